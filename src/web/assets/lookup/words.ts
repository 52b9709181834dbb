/** The explanation of a name in words: steps from the question to the verdict, and the legend of the picture. Pure. */
import type { Explanation } from '../lib/api.ts'
import { count, ends, plural } from '../lib/words.ts'
import type { AskedPeer, Kind } from './layout.ts'
import type { Tone } from '../parts/basics.ts'

type Owned = Pick<Explanation, 'owner'>

const KINDS: Readonly<Record<Kind, string>> = {
  first: 'names the owner',
  other: 'names another key',
  unproved: 'names a claim that no answer proves',
  none: 'holds nothing of it',
  silent: 'did not answer'
}

/** What each kind of answer says. Where no owner was found, nobody names one: the keys are alike. */
export const kindWords = ({ owner }: Owned): Readonly<Record<Kind, string>> =>
  owner === null ? { ...KINDS, first: 'names one key' } : KINDS

const SILENCE: Readonly<Record<string, string>> = {
  'no-answer': 'no answer',
  late: 'late',
  busy: 'too busy',
  invalid: 'sent a record that is not valid'
}

/** What one peer said, as a phrase. */
export function saidBy({
  kind,
  state,
  owner,
  reason = '',
  serial
}: Pick<AskedPeer, 'kind' | 'state' | 'owner' | 'reason' | 'serial'>): string {
  if (kind === 'silent') return SILENCE[reason] ?? reason
  if (kind === 'none') return 'holds nothing of it'
  const of = serial === null ? '' : `, serial ${serial}`
  return owner === null ? `${state}: a claim without its record` : `${state}: key ${ends(owner)}${of}`
}

/** 0.0123 -> "1.2% of the key space"; exact enough to compare two peers. */
export function distanceText(distance: number): string {
  if (distance === 0) return '0'
  const share = 100 * distance
  return `${share >= 0.01 ? Number(share.toPrecision(2)) : share.toExponential(1)}%`
}

type Words = readonly [string, Tone]

export const STATES: Readonly<Record<Explanation['state'], Words>> = {
  none: ['Free', 'quiet'],
  contested: ['Contested', 'bad'],
  provisional: ['Provisional', 'warn'],
  fresh: ['Contest open', 'warn'],
  settling: ['Settling', 'warn'],
  settled: ['Settled', 'good'],
  grace: ['In grace', 'warn'],
  dead: ['Lapsed', 'quiet'],
  unconfirmed: ['Not confirmed', 'warn'],
  registering: ['Being registered here', 'accent'],
  proven: ['Proven by its code', 'good']
}

export const RULES: Readonly<Record<Explanation['rule'], string>> = {
  majority: 'The majority',
  'provisional-only': 'The majority of provisional entries',
  'provisional-majority': 'Few votes against a provisional claim',
  'no-majority': 'No majority',
  parted: 'Keys changed in two ways',
  pin: 'A pinned owner',
  'two-majorities': 'Two majorities, one after the other',
  'nobody-holds-it': 'Nobody holds it',
  'older-than-seen': 'Older than what was seen',
  'nobody-answers': 'No peer answers: the record of this daemon',
  blinded: 'A blinded look-up',
  'check-code': 'The check code'
}

export const CONFIDENCE: Readonly<Record<NonNullable<Explanation['resolves']>, Words>> = {
  settled: ['settled', 'good'],
  provisional: ['not settled yet', 'warn'],
  thin: ['thin: fewer peers than a quorum', 'warn'],
  proven: ['proven by its check code', 'good']
}

export interface Step {
  readonly title: string
  readonly text: string
  readonly tone: Tone
}

/** From the question to the verdict. */
export function stepsOf(explanation: Explanation): Step[] {
  const {
    asked,
    answers,
    candidates,
    rule,
    rule_text: ruleText,
    pin,
    claim_id: claimId,
    reach,
    resolves,
    error
  } = explanation
  const voices = answers.filter(({ vote }) => vote).length
  const steps: Step[] = [
    {
      title: 'Asked',
      text:
        `${plural(asked.peers, 'peer')} near the name, of about ${plural(reach.network_size, 'node')}. ` +
        `${count(asked.answered)} answered` +
        (asked.left_out === 0 ? '.' : `; ${count(asked.left_out)} more do not count, since their prefix is full.`),
      tone: asked.answered * 2 > asked.peers ? 'good' : 'warn'
    }
  ]
  if (rule !== 'blinded')
    steps.push({
      title: 'Counted',
      text:
        candidates.length === 0
          ? `No answer names an owner.`
          : `${plural(voices, 'vote')}: ${candidates.map((each) => `${count(each.votes)} for ${ends(each.owner)}`).join(', ')}.`,
      tone: candidates.length > 1 ? 'bad' : candidates.length === 0 ? 'quiet' : 'good'
    })
  steps.push({ title: RULES[rule], text: ruleText, tone: toneOfRule(rule) })
  if (pin !== null) steps.push(pinStep(pin, claimId))
  steps.push(
    resolves !== null
      ? { title: 'Resolves', text: `The answer is ${CONFIDENCE[resolves][0]}.`, tone: CONFIDENCE[resolves][1] }
      : {
          title: 'Does not resolve',
          text: error === null ? 'Not yet.' : `${error.message} (${error.code})`,
          tone: 'warn'
        }
  )
  return steps
}

function toneOfRule(rule: Explanation['rule']): Step['tone'] {
  if (rule === 'majority') return 'good'
  if (['nobody-holds-it', 'blinded', 'check-code'].includes(rule)) return 'quiet'
  return rule === 'provisional-only' ? 'warn' : 'bad'
}

function pinStep(
  { state, owner: pinned, claim_id: pinnedClaim, rival }: NonNullable<Explanation['pin']>,
  claimId: string | null
): Step {
  if (rival !== null)
    return { title: 'Remembered', text: `Another owner was seen before: ${ends(rival)}. It is contested.`, tone: 'bad' }
  const agrees = pinnedClaim === claimId
  if (state === 'firm')
    return {
      title: 'Pinned',
      text: agrees
        ? 'Seen twice as settled: the same claim.'
        : `Seen twice as settled: another claim, by ${ends(pinned)}.`,
      tone: agrees ? 'good' : 'bad'
    }
  return {
    title: 'Seen once',
    text: agrees ? 'The same claim. A second look makes that firm.' : `Another claim was seen, by ${ends(pinned)}.`,
    tone: agrees ? 'quiet' : 'warn'
  }
}

/** What the picture shows, for those who cannot see it; the table beside it has each peer. */
export function pictureText(
  explanation: Owned & Pick<Explanation, 'name'>,
  { peers }: { readonly peers: readonly Pick<AskedPeer, 'kind'>[] }
): string {
  const { name } = explanation
  const of = (kind: string) => peers.filter((peer) => peer.kind === kind).length
  const parts = Object.entries(kindWords(explanation))
    .map(([kind, words]) => [of(kind), words] as const)
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
  return `${plural(peers.length, 'peer')} around ${name}: ${parts.join(', ')}. The table below has each of them.`
}

/** A name or a DID: which of the two look-ups a text asks for. */
export const isDid = (text: string): boolean => /^did:/i.test(text.trim())

const TOLD = /\b\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b/g

interface Part {
  readonly text?: string
  readonly time?: string
  readonly key?: string
}

/** A sentence of the daemon in parts, each of one kind: a page shows times and keys in its own way. */
export function partsOf(sentence: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const { 0: told, index } of sentence.matchAll(TOLD)) {
    if (index > from) parts.push({ text: sentence.slice(from, index) })
    parts.push(told.includes('T') ? { time: told } : { key: told })
    from = index + told.length
  }
  if (from < sentence.length) parts.push({ text: sentence.slice(from) })
  return parts
}
