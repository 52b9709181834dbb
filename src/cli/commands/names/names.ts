import type { Command } from 'commander'
import { connect } from '../../connection/connect.ts'
import { action, type Run } from '../../context.ts'
import { askedName, CODE_OPTION, type CodeOption } from '../../input/names.ts'
import type { RevealBody } from '../../../api/client/client.ts'
import type { BackupView } from '../../../views/backup.ts'
import type { Explanation } from '../../../views/explanation.ts'
import type { OwnedNameView } from '../../../views/own.ts'
import { EXIT } from '../../failures/exit-codes.ts'
import { aboutDid } from '../../identity/about-did.ts'
import { SHORT_CODE } from '../../../protocol/claim/check-code.ts'
import { SHORT_ID } from '../../task/task-words.ts'
import { fitTable, formatFields, formatRelative, formatTable, printable } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'
import { wantedLines } from './adopt.ts'
import { parseZoneText } from '../../zone-file/zone-input.ts'
import { identityText } from './kid.ts'
import { zoneText } from './zone.ts'

const CONFIDENCES = {
  settled: 'settled',
  provisional: 'provisional: registered lately, and others may still contest it',
  thin: 'thin: fewer peers answered than a full quorum',
  proven: 'proven: the claim has the check code that you gave'
}
const SOURCES = {
  own: 'no peer answers: this is the record of a name of the daemon itself',
  held: 'no peer answers: this is a record that the daemon holds for others',
  network: 'peers'
}

/** What a name is, for people: its records last. Without an explanation only what the Reveal itself says. */
export function resolvedText(
  reveal: RevealBody,
  { lease, resolves, own }: Partial<Pick<Explanation, 'lease' | 'resolves' | 'own'>>,
  nowMs: number
): string {
  const { source } = reveal
  const owner = Buffer.from(reveal.pubkey).toString('hex')
  return [
    formatFields([
      ['name', printable(reveal.name)],
      ...(reveal.check_code === undefined ? [] : [['check code', printable(reveal.check_code)] as const]),
      ['owner', own?.name == null ? owner : `this daemon (${owner})`],
      ...(lease == null ? [] : [['lease', `until ${lease.end} (${formatRelative(lease.end, nowMs)})`] as const]),
      ...(resolves == null ? [] : [['confidence', CONFIDENCES[resolves]] as const]),
      ...(source === undefined ? [] : [['source', SOURCES[source]] as const])
    ]),
    '',
    recordsText(Buffer.from(reveal.payload, 'base64').toString('utf8'))
  ].join('\n')
}

/** The rules of a zone are for the daemon; whatever a peer put there is shown safely. */
function recordsText(payload: string): string {
  try {
    return zoneText(parseZoneText(payload, 'payload'))
  } catch {
    return `; no zone: ${printable(payload)}`
  }
}

/** Enough of a key or an id to tell it from others. */
const short = (hex: string | null): string => (hex === null ? '' : printable(hex).slice(0, 16))

/** An explanation in full: the verdict first, then what it rests on, then who answered what. */
export function explanationText(explanation: Explanation, nowMs: number, paint: Paint): string {
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

function renewalText({ renewal: { state, due, task_id: task } }: OwnedNameView, nowMs: number): string {
  switch (state) {
    case 'scheduled':
      return due === null || Date.parse(due) <= nowMs ? 'now' : formatRelative(due, nowMs)
    case 'running':
      return `under way (${printable(task ?? '').slice(0, SHORT_ID)})`
    case 'paused':
      return `paused (${printable(task ?? '').slice(0, SHORT_ID)})`
    case 'failed':
      return 'failed; tried again'
    case 'off':
    case 'released':
      return state
    case 'impossible':
      return 'not possible'
  }
}

/** The names with their leases, then what their owner should know. */
export function ownedText(names: readonly OwnedNameView[], nowMs: number, paint: Paint, columns = Infinity): string {
  if (names.length === 0) return 'no names yet; earn one: chronym register NAME'
  const rows = names.map((each) => [
    printable(each.name),
    printable(each.check_code).slice(0, SHORT_CODE),
    each.state,
    `${each.lease_end.slice(0, 10)}, ${formatRelative(each.lease_end, nowMs)}`,
    renewalText(each, nowMs),
    String(each.renewal.left),
    each.serial === each.published_serial ? 'published' : `${each.serial} not published`
  ])
  return [
    fitTable([['name', 'code', 'state', 'lease ends', 'renewal', 'left', 'zone'], ...rows], columns),
    ...warningLines(names, paint)
  ].join('\n')
}

export function warningLines(names: readonly Pick<OwnedNameView, 'name' | 'warnings'>[], paint: Paint): string[] {
  return names.flatMap(({ name, warnings }) =>
    warnings.map(({ message }) => `${paint('yellow', `warning ${printable(name)}:`)} ${printable(message)}`)
  )
}

/** Where the sealed list of names is, or why it is nowhere. */
function listLines(list: BackupView['list'], paint: Paint): string[] {
  if (list === null) return []
  const isFine = list.state === 'kept' || list.state === 'waiting'
  return [`${isFine ? 'list of names:' : paint('yellow', 'warning, list of names:')} ${printable(list.detail)}`]
}

export function addNameCommands(program: Command, run: Run): void {
  program
    .command('resolve')
    .argument('<name>', 'a name, or a DID')
    .description(
      'look up a name or an identity in the network. This reveals your interest to peers: to claim a ' +
        'free name, run `register` directly'
    )
    .option(...CODE_OPTION)
    .action(
      action(run, async (context, { code }: CodeOption, text: string) => {
        const name = askedName(text, code)
        const client = connect(context)
        if (name.startsWith('did:')) {
          const identity = await aboutDid(client.resolveKid(name))
          context.output.answer(identity, () => identityText(identity))
        } else {
          const reveal = await client.resolve(name)
          // The Reveal says nothing of lease and confidence; programs get it alone.
          const explained = context.output.json ? {} : await client.explain(name).catch(() => ({}))
          context.output.answer(reveal, () => resolvedText(reveal, explained, Date.now()))
        }
        return EXIT.ok
      })
    )

  program
    .command('explain')
    .argument('<name>')
    .description('explain who owns a name, which peers say so, and which rule decided')
    .option(...CODE_OPTION)
    .action(
      action(run, async (context, { code }: CodeOption, name: string) => {
        const explanation = await connect(context).explain(askedName(name, code))
        context.output.answer(explanation, (paint) =>
          context.output.commands(explanationText(explanation, Date.now(), paint))
        )
        return EXIT.ok
      })
    )

  program
    .command('names')
    .description("list this daemon's names: lease, renewals, and what needs your attention")
    .action(
      action(run, async (context) => {
        const client = connect(context)
        const names = await client.names()
        // Programs read the names alone; `chronym adopt` lists what the daemon looks for.
        const wanted = context.output.json ? [] : await client.wanted()
        const { list } = context.output.json ? { list: null } : await client.backup()
        context.output.answer(names, (paint) =>
          context.output.commands(
            [
              ownedText(names, Date.now(), paint, context.output.columns),
              ...listLines(list, paint),
              ...(wanted.length === 0 ? [] : ['', 'looked for in the network:', ...wantedLines(wanted)])
            ].join('\n')
          )
        )
        return EXIT.ok
      })
    )
}
