import { isUtf8 } from 'node:buffer'
import { parseAskedName } from '../../../protocol/claim/check-code.ts'
import type { RevealJson, Verification, VerifiedReveal } from '../../../verify/verifier.ts'
import { loadProfile } from '../../connection/location.ts'
import { EXIT } from '../../failures/failure.ts'
import { readJson } from '../../input/files.ts'
import type { Client, RevealBody } from '../../../api/client/client.ts'
import type { Explanation } from '../../../views/explanation.ts'
import { isStillOurs } from '../../../views/own.ts'
import { connect } from '../../connection/connect.ts'
import type { CliCommand, Context } from '../../context.ts'
import { aboutDid, askedName, CODE_OPTION, type CodeOption } from '../../input/names.ts'
import { formatFields, formatRelative, formatTable, printable, indentedJson } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'
import { ProtocolError } from '../../../protocol/errors.ts'
import { builtInProfiles } from '../../../protocol/profile/built-in.ts'
import type { NetworkProfile } from '../../../protocol/profile/profile.ts'
import { parseZonePayload } from '../../../protocol/zone/zone.ts'
import { renewalText } from './owned.ts'
import { zoneText } from './zone.ts'

const CONFIDENCES = {
  settled: 'settled',
  provisional: 'provisional: registered lately, and others may still contest it',
  thin: 'thin: fewer peers answered than a full quorum',
  proven: 'proven: the claim has the check code that you gave'
}
const SOURCES = {
  own: 'no peer shows it: this is the record of a name of the daemon itself',
  held: 'no peer answers: this is a record that the daemon holds for others',
  network: 'peers'
}

/** What a name is, for people: its records last. Without an explanation only what the Reveal itself says. */
function resolvedText(
  reveal: RevealBody,
  { lease, resolves, own }: Partial<Pick<Explanation, 'lease' | 'resolves' | 'own'>>,
  nowMs: number,
  profiles: readonly NetworkProfile[]
): string {
  const { source, asked_at: askedAt } = reveal
  const owner = Buffer.from(reveal.pubkey).toString('hex')
  return [
    formatFields([
      ['name', printable(reveal.name)],
      ...(reveal.check_code === undefined ? [] : [['check code', printable(reveal.check_code)] as const]),
      ['owner', own?.name != null && isStillOurs(own.name.state) ? `this daemon (${owner})` : owner],
      ...(own?.name?.sold === undefined
        ? []
        : [['sold', `by this daemon, for good since ${own.name.sold.at}`] as const]),
      ...(lease == null ? [] : [['lease', `until ${lease.end} (${formatRelative(lease.end, nowMs)})`] as const]),
      ...(resolves == null ? [] : [['confidence', CONFIDENCES[resolves]] as const]),
      ...(reveal.keys_pending ? [['keys', 'changed lately: another change may still take its place'] as const] : []),
      ...(reveal.notice === undefined ? [] : [['notice', noticeText(reveal.notice)] as const]),
      ...(source === undefined ? [] : [['source', SOURCES[source]] as const]),
      ...(askedAt === undefined
        ? []
        : [['answered', `${formatRelative(askedAt, nowMs)}; peers are asked again`] as const])
    ]),
    '',
    recordsText(Buffer.from(reveal.payload, 'base64'), profiles)
  ].join('\n')
}

function noticeText({ pubkey, final_at: at }: NonNullable<RevealBody['notice']>): string {
  const key = Buffer.from(pubkey).toString('hex')
  return `one secret alone signed other keys (${key}); they count ${at === null ? 'later' : `from ${at}`}, unless the owner objects`
}

/** What no daemon serves as a zone is shown as it is, and called so. */
function recordsText(payload: Uint8Array, profiles: readonly NetworkProfile[]): string {
  for (const profile of profiles) {
    try {
      return zoneText(parseZonePayload(payload, profile))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
    }
  }
  if (payload.length === 0) return '; no zone: the payload is empty'
  return `; no zone: ${printable(Buffer.from(payload).toString(isUtf8(payload) ? 'utf8' : 'latin1'))}`
}

/** Enough of a key or an id to tell it from others. */
const short = (hex: string | null): string => (hex === null ? '' : printable(hex).slice(0, 16))

function explanationText(explanation: Explanation, nowMs: number, paint: Paint): string {
  const { lease, resolves, error, asked } = explanation
  const notes = [...explanation.notes]
  const head = formatFields([
    ['rule', `${printable(explanation.rule)}: ${printable(explanation.rule_text)}`],
    ['state', printable(explanation.state)],
    ...(explanation.owner === null ? [] : [['owner', printable(explanation.owner)] as const]),
    ...(lease === null
      ? []
      : [
          [
            'lease',
            `${lease.start} to ${lease.end} (${formatRelative(lease.end, nowMs)}), grace to ${lease.grace_end}`
          ] as const
        ]),
    ...(resolves === null ? [] : [['resolves', `yes (${resolves})`] as const]),
    ...(error === null ? [] : [['resolves', `no: ${error.code}`] as const])
  ])
  const answers = explanation.answers.map((answer) => [
    answer.self ? 'this daemon' : printable(answer.peer),
    answer.state,
    answer.vote ? 'counts' : '',
    short(answer.owner),
    short(answer.claim_id),
    answer.serial === null ? '' : String(answer.serial)
  ])
  const silent = asked.silent.map(({ peer, reason }) => [printable(peer), reason])
  const rows = [...answers, ...silent]
  const table =
    rows.length === 0
      ? 'nobody answered'
      : formatTable([['peer', 'answer', 'vote', 'owner', 'claim', 'serial'], ...rows])
  const own = explanation.own?.name
  if (own != null) notes.push(`Renewals left: ${own.renewal.left}; the next: ${renewalText(own, nowMs)}`)
  return [
    paint('bold', printable(explanation.verdict)),
    head,
    '',
    ...notes.map((note) => `- ${printable(note)}`),
    '',
    table
  ].join('\n')
}

/** The daemon may be of another network than the configuration here. */
function knownProfiles(context: Context): NetworkProfile[] {
  return [loadProfile(context, undefined), ...Object.values(builtInProfiles)]
}

export function addLookUpCommands(program: CliCommand): void {
  program
    .command('resolve')
    .argument('<name>', 'a name, or a DID')
    .description(
      'look up a name or an identity in the network. This reveals your interest to peers: to claim a ' +
        'free name, run `register` directly'
    )
    .option(...CODE_OPTION)
    .runs(async (context, { code }: CodeOption, text: string) => {
      const name = askedName(text, code)
      const client = connect(context)
      if (name.startsWith('did:')) {
        const identity = await aboutDid(client.resolveKid(name))
        context.output.answer(identity, () => indentedJson(identity))
      } else {
        const reveal = await client.resolve(name)
        // The Reveal says nothing of lease and confidence; programs get it alone.
        const explained = context.output.json ? {} : await client.explain(name).catch(() => ({}))
        context.output.answer(reveal, () => resolvedText(reveal, explained, Date.now(), knownProfiles(context)))
      }
    })

  program
    .command('explain')
    .argument('<name>')
    .description('explain who owns a name, which peers say so, and which rule decided')
    .option(...CODE_OPTION)
    .runs(async (context, { code }: CodeOption, name: string) => {
      const client = connect(context)
      const asked = askedName(name, code)
      const explanation = await client.explain(asked)
      const text = context.output.json ? '' : await rememberedText(client, asked)
      context.output.answer(explanation, (paint) =>
        context.output.commands(explanationText(explanation, Date.now(), paint) + text)
      )
    })
}

/** What keeps hosts of the name from being served without TLS; empty for a token that may not know. */
async function rememberedText(client: Client, asked: string): Promise<string> {
  const hosts = await client.keyedHosts().catch(() => [])
  const own = hosts.map(({ host }) => printable(host)).filter((host) => host === asked || host.endsWith(`.${asked}`))
  return own
    .map(
      (host) =>
        `\n\n${host} had a key for https, so it is not opened by http://. ` +
        `If it has none any more, \`chronym https forget ${host}\`.`
    )
    .join('')
}

const MARKS = { true: ['green', 'ok  '], false: ['red', 'no  '], null: ['dim', '-   '] } as const

function verificationText(
  { checks, problem, value }: Verification<VerifiedReveal>,
  nowMs: number,
  paint: Paint
): string {
  const lines = checks.map(({ passed, title, detail }) => {
    const [style, mark] = MARKS[`${passed}`]
    return `${paint(style, mark)}${title}${detail === '' ? '' : `: ${printable(detail)}`}`
  })
  if (value === undefined)
    return [...lines, '', `${paint('red', 'not valid')}: ${printable(problem!.detail)}`].join('\n')
  const end = new Date(value.leaseEnds).toISOString()
  return [
    ...lines,
    '',
    paint('green', 'valid'),
    formatFields([
      ['name', printable(value.name)],
      ['check code', value.checkCode],
      ['owner', value.owner],
      ['lease', `until ${end} (${formatRelative(end, nowMs)})`]
    ])
  ].join('\n')
}

export function addVerifyCommand(program: CliCommand): void {
  program
    .command('verify')
    .argument('<name>', 'the name that was asked for, best with the check code that its owner gave you')
    .argument('<file>', 'a Reveal as `chronym --json resolve` prints it; "-" is standard input')
    .description('check a record of a name offline: exit code 0 when it is valid and of that claim, 1 when not')
    .option(...CODE_OPTION)
    .option('--network <network>', 'local, test, main, or a profile file (default: that of the configuration)')
    .runs(async (context, { network, code }: { network?: string } & CodeOption, typed: string, file: string) => {
      const name = askedName(typed, code)
      const profile = loadProfile(context, network)
      // A typing error says nothing about the record.
      parseAskedName(name, profile)
      const reveal = (await readJson(file, context.stdin)) as RevealJson
      const { verifyReveal } = await import('../../../verify/node.ts')
      const result = await verifyReveal(reveal, { profile, name })
      context.output.answer(result, (paint) => verificationText(result, Date.now(), paint))
      return result.valid ? EXIT.ok : EXIT.negative
    })
}
