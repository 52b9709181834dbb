/** Changes of keys, signed with the change words: here, and never by a daemon. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Client } from '../../api/client/client.ts'
import { MAX_CHANGES } from '../../protocol/claim/changes.ts'
import { formatOffer, offerCode, offerMessage, parseOffer, type Offer } from '../../protocol/claim/offer.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../protocol/crypto/change-keys.ts'
import { MASTER_SEED_BYTES, seedToWords } from '../../protocol/crypto/keys.ts'
import { equalBytes, fromHex, toBase64 } from '../../protocol/encoding/bytes.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { StoredBy } from '../../views/common.ts'
import type { KeysView, OfferView } from '../../views/keys.ts'
import { isStillOurs } from '../../views/own.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { nameOfInput, readText } from '../input/files.ts'
import { askedName, type CodeOption, daemonSuffix, spellOne } from '../input/names.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { hasPerson, requireConsent } from '../input/questions.ts'
import { formatDuration, formatFields, formatRelative, heldBy, printable } from '../terminal/format.ts'
import { qrText } from '../terminal/qr.ts'
import { gridOf } from './run.ts'
import { readWords } from './seed.ts'

/** In messages about words that are wrong. */
const CHANGE_WORDS = 'a set of change words'

interface WordsOptions {
  changeWordsFile?: string | undefined
}

/** Reads the change words once, when the first name needs them. */
function changeWords(context: Context, file: string | undefined): () => Promise<Uint8Array> {
  let read: Promise<Uint8Array> | undefined
  return () => {
    if (read !== undefined) return read
    if (file === undefined && !hasPerson(context))
      throw usageFailure('the change words are needed', 'Give --change-words-file FILE.')
    if (file === undefined) context.output.note('The change words of the claim are needed.')
    return (read = readWords(context, file, CHANGE_WORDS))
  }
}

/** `chronym key change-words` */
export async function runChangeWords(
  context: Context,
  { make }: { make?: boolean },
  file: string | undefined
): Promise<void> {
  if (make === true) {
    if (file !== undefined) throw usageFailure('--make takes no file')
    const words = seedToWords(new Uint8Array(randomBytes(MASTER_SEED_BYTES)))
    context.output.plain({ words }, words)
    return
  }
  const client = connect(context)
  const hash = await profileHashOf(client)
  const entropy = file === undefined ? await makeWords(context) : await readWords(context, file, CHANGE_WORDS)
  const known = await client.setChangeWords(toBase64(changePoint(entropy, hash)))
  context.output.answer(known, () =>
    context.output.commands(
      'The daemon names change keys of these words from now on. It cannot compute the keys themselves. Names claimed ' +
        'before keep theirs, or have none: chronym key rotate --all'
    )
  )
}

/** The network's, as the daemon has it: it may have been started with another profile than this command would be. */
async function profileHashOf(client: Client): Promise<Uint8Array> {
  return fromHex((await client.changeWords()).profile_hash)
}

/** New words, shown and typed again. */
async function makeWords(context: Context): Promise<Uint8Array> {
  if (!hasPerson(context))
    throw usageFailure(
      'new change words are shown and asked for again, which needs a terminal',
      'Make them with --make, keep them, and give them as FILE.'
    )
  const entropy = new Uint8Array(randomBytes(MASTER_SEED_BYTES))
  context.output.error(gridOf(seedToWords(entropy).split(' ')))
  context.output.note('Write these change words on paper, away from this machine. Nothing keeps them.')
  if (!equalBytes(await readWords(context, undefined, CHANGE_WORDS), entropy))
    throw inputFailure('these are not the words that were shown', 'Begin again: nothing was changed.')
  return entropy
}

/** `chronym key rotate` */
export async function runRotate(
  context: Context,
  { all, changeWordsFile, to, yes }: WordsOptions & { all?: boolean; to?: string; yes?: boolean },
  given: string[]
): Promise<void> {
  if ((all === true) === given.length > 0) throw usageFailure('names are needed, or --all')
  const client = connect(context)
  const taker = to === undefined ? client : connect(context.of(to))
  if (to !== undefined && (await taker.changeWords()).point === null)
    throw inputFailure(
      `the daemon on ${printable(to)} knows of no change words`,
      `Make them there: chronym --data-dir ${shellWord(to)} key change-words`
    )
  const own = all === true ? (await client.names()).filter(({ state }) => isStillOurs(state)) : []
  await changeAll(context, client, all === true ? own.map(({ name }) => name) : given, { taker, changeWordsFile, yes })
}

/** `chronym key recover` */
export async function runRecover(
  context: Context,
  options: WordsOptions & { yes?: boolean },
  names: string[]
): Promise<void> {
  const client = connect(context)
  await changeAll(context, client, names, { taker: client, isAlone: true, ...options })
}

interface Changing extends WordsOptions {
  /** The daemon whose keys the names get. */
  readonly taker: Client
  /** The change key alone signs. */
  readonly isAlone?: boolean
  readonly yes?: boolean | undefined
}

/**
 * One after the other; what is done stays done, so the same command goes on after a failure. Names that the other daemon
 * has already are left out: this one may have been killed before it noted that.
 */
async function changeAll(
  context: Context,
  client: Client,
  names: readonly string[],
  { taker, isAlone = false, changeWordsFile, yes }: Changing
): Promise<void> {
  const before = []
  for (const name of names) before.push(await client.nameKeys(name))
  await requireConsent(context, {
    cost: 'names get new keys',
    shown: formatFields(before.map((keys) => [printable(keys.name), nextText(keys, isAlone)])),
    question: `Change the keys of ${names.length === 1 ? printable(names[0]!) : `${names.length} names`}?`,
    // A program that runs it has been told what to do.
    isGiven: yes === true || !hasPerson(context)
  })
  const words = changeWords(context, changeWordsFile)
  const changed = []
  for (const [index, name] of names.entries()) {
    const progress = `${index + 1} of ${names.length}: ${printable(name)}`
    const keys = before[index]!
    if (taker !== client && !keys.own) {
      context.output.note(`${progress} is left out: it has no keys of this daemon any more`)
      continue
    }
    const offer = parseOffer((await taker.offer(name, isAlone)).offer)
    const stored = await accept(client, { offer, keys, words })
    if (taker !== client) await taker.want(name)
    changed.push({ name, ...stored })
    context.output.note(`${progress} has new keys, ${heldBy(stored)}`)
  }
  const [first] = changed
  context.output.answer(changed, () =>
    first === undefined
      ? 'Nothing is left to change.'
      : context.output.commands(`When it is final: chronym transfer status ${printable(first.name)}`)
  )
}

/** From when the new keys would count. */
function nextText({ change_key: hasChangeKey, final_after_seconds: after }: KeysView, isAlone: boolean): string {
  const from = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()
  return isAlone || !hasChangeKey
    ? `one key alone signs: new keys from ${from(after.alone)}, the present ones until then`
    : `both keys sign: new keys at once, final at ${from(after.both)}`
}

/** Signs an offer where the claim names a change key, and has the daemon publish the change. */
async function accept(
  client: Client,
  { offer, keys, words }: { offer: Offer; keys: KeysView; words: () => Promise<Uint8Array> }
): Promise<StoredBy> {
  const { stored_by, of } = await client.acceptOffer({
    offer: formatOffer(offer),
    ...(keys.change_key && signatureOf(offer, await words(), await profileHashOf(client)))
  })
  return { stored_by, of }
}

function signatureOf(offer: Offer, entropy: Uint8Array, hash: Uint8Array): { key: string; signature: string } {
  const of = { name: offer.name as Name, index: offer.index, profileHash: hash }
  return {
    key: toBase64(changePublicKey(changePoint(entropy, hash), of)),
    signature: toBase64(signAsChangeKey(entropy, of, offerMessage(offer, hash)))
  }
}

/** `chronym transfer offer` */
export async function runOffer(context: Context, _options: unknown, names: string[]): Promise<void> {
  const client = connect(context)
  const made: OfferView[] = []
  for (const name of names) made.push(await client.offer(name))
  const [first, ...others] = made
  const { json, unicode } = context.output
  const qr = json || !unicode || others.length > 0 ? undefined : await qrText(first!.offer, context.output)
  context.output.answer(made, () =>
    [...made.map(({ offer }) => offer), ...(qr === undefined ? [] : ['', qr])].join('\n')
  )
  context.output.note(
    // The owner has another directory: no option of this one is put into that command.
    'Give this link to the present owner, who accepts it with chronym transfer accept LINK.\n' +
      `Compare these codes with the owner:\n${codesText(made)}\n` +
      'Once the owner has accepted, this daemon takes the name up by itself.'
  )
}

function codesText(offers: readonly Pick<OfferView, 'name' | 'code'>[]): string {
  return formatFields(offers.map(({ name, code }) => [printable(name), code]))
}

/** `chronym transfer accept`: one after the other, so the same command goes on after a failure. */
export async function runAccept(
  context: Context,
  { changeWordsFile, yes }: WordsOptions & { yes?: boolean },
  given: string
): Promise<void> {
  const offers = await offersFrom(context, given)
  const what = offers.length === 1 ? printable(offers[0].name) : `${offers.length} names`
  await requireConsent(context, {
    cost: `${what} will belong to another owner, and nothing takes that back`,
    shown: codesText(offers.map((offer) => ({ name: offer.name, code: offerCode(offer) }))),
    question: `Are these the codes that the new owner reads? Give ${what} away?`,
    isGiven: yes === true
  })
  const words = changeWords(context, changeWordsFile)
  const client = connect(context)
  const accepted = []
  for (const offer of offers) {
    const keys = await client.nameKeys(offer.name)
    const stored = await accept(client, { offer, keys, words })
    accepted.push({ name: offer.name, ...stored })
    context.output.note(`${printable(offer.name)} has another owner, ${heldBy(stored)}`)
  }
  context.output.answer(accepted, () =>
    context.output.commands(`When it is final: chronym transfer status ${printable(offers[0].name)}`)
  )
}

/** The link itself, or a file that holds some, one on a line. */
async function offersFrom(context: Context, given: string): Promise<[Offer, ...Offer[]]> {
  const isFile = given === '-' || existsSync(given)
  const text = isFile ? await readText(given, context.stdin) : given
  try {
    const [first = '', ...others] = text.split('\n').filter((line) => line.trim() !== '')
    return [parseOffer(first), ...others.map(parseOffer)]
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    const what = isFile ? nameOfInput(given) : given.startsWith('chronym:') ? 'this' : `"${given}" is no file and`
    throw inputFailure(
      `${what} is not an offer: ${error.detail}`,
      'Give the whole link that `transfer offer` printed for the new owner, in quotes, or a file with one on a line.'
    )
  }
}

/** `chronym transfer status` */
export async function runStatus(context: Context, { code }: CodeOption, name: string): Promise<void> {
  const keys = await connect(context).nameKeys(askedName(name, code))
  context.output.answer(keys, () => statusText(keys))
}

function statusText(keys: KeysView): string {
  return [presentText(keys), ...(keys.notice === null ? [] : [noticeText(keys.name, keys.notice, keys.votes)])].join(
    '\n'
  )
}

/** A change with one signature: whose, from when, and the cure where it is another's. */
function noticeText(
  name: string,
  { pubkey, own, final_at: at, votes: holding }: NonNullable<KeysView['notice']>,
  votes: number
): string {
  const when = at === null ? 'later' : `from ${at}`
  const held = `${holding} of ${votes} holders`
  if (own)
    return `New keys that one key alone signed here count ${when}; ${held} have them. The keys before count until then.`
  return (
    `One key alone has signed other keys (${printable(pubkey)}), which count ${when}; ${held} have them. ` +
    `If that was not you, sign others with both keys before: chronym key rotate ${printable(name)}`
  )
}

function presentText({ name, own, changes, ...rest }: KeysView): string {
  const whose = own ? 'this daemon has its key' : 'another owner has its key'
  if (changes === 0) return `The keys of ${printable(name)} have never changed; ${whose}.`
  const state = `The last change is ${finalText(rest)}, for ${holdersText(rest)}.`
  return `The keys of ${printable(name)} have changed ${changes} of ${MAX_CHANGES} times; ${whose}. ${state}`
}

/** A thin answer may call a change final and proves nothing: then no date is known either. */
function finalText({ final, final_at: at }: Pick<KeysView, 'final' | 'final_at'>): string {
  if (final) return 'final'
  return at === null ? 'not final yet' : `not final before ${at}`
}

/** At the place of the name, and at that of its check code: a look-up by code asks there. */
function holdersText({ final_votes: final, votes, coded }: Pick<KeysView, 'final_votes' | 'votes' | 'coded'>): string {
  return `${final} of ${votes} holders, and for ${coded.final_votes} of ${coded.votes} at the place of its check code`
}

/** `chronym transfer verify` */
export async function runVerify(context: Context, { code: asked }: CodeOption, given: string): Promise<void> {
  const isOffer = given === '-' || given.startsWith('chronym:') || existsSync(given)
  const offer = isOffer ? (await offersFrom(context, given))[0] : undefined
  const name = offer?.name ?? (await spellOne(context, given, () => daemonSuffix(context)))
  const keys = await connect(context).nameKeys(askedName(name, asked))
  const code = offer && offerCode(offer)
  context.output.answer({ ...keys, ...(code && { offer_code: code }) }, () =>
    [
      formatFields([
        ['name', printable(keys.name)],
        ['check code', printable(keys.check_code)],
        ['claimed', `${keys.claimed_at} (${formatRelative(keys.claimed_at, Date.now())})`],
        ['renewals', String(keys.renewals)],
        ['changes of keys', `${keys.changes}, ${keys.changes_left} left`],
        [
          'last change',
          keys.changes === 0
            ? 'none'
            : `${finalText(keys)}${keys.final ? '' : ': another may still take its place'} (for ${holdersText(keys)})`
        ],
        [
          'signed twice',
          [
            ...(keys.other_keys > 0 ? [`${keys.other_keys} of ${keys.votes} holders show other keys`] : []),
            ...(keys.equivocation ? ['two zones with one serial'] : [])
          ].join(', ') || 'nothing that the holders show'
        ],
        [
          'change key',
          keys.change_key
            ? `named: with both keys a change is final after ${formatDuration(keys.final_after_seconds.both)}`
            : `none: the next change is final after ${formatDuration(keys.final_after_seconds.alone)}`
        ],
        ...(keys.notice === null ? [] : [['notice', noticeText(keys.name, keys.notice, keys.votes)] as const]),
        ...(code === undefined ? [] : [['code of the offer', code] as const])
      ]),
      '',
      'The record proves the claim, its age and its changes. It does not prove that the seller has signed no other ' +
        'change: wait until the change is final before you pay. The seller, and who had the seed or the change words ' +
        'before, keep the former keys: these sign nothing of the claim once the change is final.'
    ].join('\n')
  )
}
