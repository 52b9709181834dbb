import { bothForms } from '../../../util/typed-name.ts'
import type { OwnedNameView, WantedView } from '../../../views/own.ts'
import { SHORT_CODE } from '../../../protocol/claim/check-code.ts'
import { connect } from '../../connection/connect.ts'
import { requireConsent } from '../../input/questions.ts'
import type { CliCommand } from '../../context.ts'
import { EXIT, usageFailure } from '../../failures/failure.ts'
import { fitTable, formatRelative, printable } from '../../terminal/format.ts'
import { SHORT_ID } from '../../task/task.ts'
import type { Paint } from '../../terminal/output.ts'

/** Of registrations, where there is no name yet. */
const MOST_NAMED = 3

interface ReleaseOptions {
  undo?: boolean
  yes?: boolean
}

function endOf({ lease_end: end }: Pick<OwnedNameView, 'lease_end'>): string {
  return `${end} (${formatRelative(end, Date.now())})`
}

export function addReleaseCommand(program: CliCommand): void {
  program
    .command('release')
    .argument('<name>', 'a name of this daemon')
    .description(
      'let a name lapse: the daemon stops renewing it. Until it lapses, --undo or a renewal takes it back. A sold name ' +
        'leaves the list'
    )
    .option('--undo', 'take it back: the daemon renews it again')
    .option('-y, --yes', 'do not ask')
    .runs(async (context, options: ReleaseOptions, name: string) => {
      const client = connect(context)
      if (options.undo === true) {
        const kept = await client.takeBack(name)
        context.output.answer(
          kept,
          () =>
            `${printable(kept.name)} is kept; its lease ends at ${endOf(kept)}, and it is renewed before ` +
            `that${kept.renewal.state === 'off' ? ' once auto_renew is on' : ''}`
        )
        return
      }
      const owned = (await client.names()).find((each) => each.name === name.toLowerCase())
      // For other names the daemon's refusal says more.
      if (owned !== undefined && owned.state !== 'sold') {
        const cost =
          `The daemon stops renewing ${printable(owned.name)}: its lease ends at ${endOf(owned)}, and ` +
          'after the grace anyone may register it'
        await requireConsent(context, { cost, question: 'Let it lapse?', isGiven: options.yes === true })
      }
      const released = await client.release(name)
      context.output.answer(released, () => {
        if (released.state === 'sold') return `${printable(released.name)} is off the list: it is another owner's.`
        return context.output.commands(
          `${printable(released.name)} is released and lapses at ${endOf(released)}. Until the grace ends, ` +
            `take it back: chronym release --undo ${printable(released.name)}`
        )
      })
    })
}

interface AdoptOptions {
  forget?: boolean
}

function wantedLines(wanted: readonly WantedView[]): string[] {
  return wanted.map(({ id, state, detail }) => `${printable(id)}  ${state}: ${printable(detail)}`)
}

export function addAdoptCommand(program: CliCommand): void {
  program
    .command('adopt')
    .argument('[names...]', 'names or DIDs of this seed; without one: list what the daemon looks for')
    .description(
      'find names and identities of this seed in the network and adopt them, as after a restore from ' +
        'the words. The daemon keeps looking for those it does not find'
    )
    .option('--forget', 'stop looking for them, and give them up where the database lost them')
    .runs(async (context, { forget }: AdoptOptions, names: string[]) => {
      const client = connect(context)
      if (forget === true) {
        if (names.length === 0) throw usageFailure('--forget needs a name')
        for (const name of names) await client.unwant(name)
        context.output.answer({ forgotten: names }, () => `looked for no more: ${names.map(printable).join(', ')}`)
        return EXIT.ok
      }
      const wanted: WantedView[] = []
      if (names.length === 0) wanted.push(...(await client.wanted()))
      for (const name of names) wanted.push(await client.want(name))
      context.output.answer(wanted, () =>
        wanted.length === 0 ? 'nothing is looked for' : context.output.commands(wantedLines(wanted).join('\n'))
      )
      return names.length > 0 && wanted.some(({ state }) => state !== 'adopted') ? EXIT.negative : EXIT.ok
    })
}

export function renewalText({ renewal: { state, due, task_id: task } }: OwnedNameView, nowMs: number): string {
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

/** `underWay`: names of running registrations. */
function noNamesText(underWay: readonly string[]): string {
  if (underWay.length === 0) return 'no names yet; earn one: chronym register NAME'
  const [verb, shown] = [underWay.length === 1 ? 'is' : 'are', underWay.slice(0, MOST_NAMED).map(printable).join(', ')]
  const more = underWay.length > MOST_NAMED ? ` and ${underWay.length - MOST_NAMED} more` : ''
  return `no names yet; ${shown}${more} ${verb} being registered: chronym tasks`
}

/** A name that is published and has no record leads nowhere. */
function zoneText({ serial, published_serial: published, records }: OwnedNameView): string {
  if (serial !== published) return `${serial} not published`
  return records === 0 ? 'empty' : 'published'
}

function ownedText(names: readonly OwnedNameView[], nowMs: number, paint: Paint, columns = Infinity): string {
  const rows = names.map((each) => [
    printable(bothForms(each.name)),
    printable(each.check_code).slice(0, SHORT_CODE),
    each.state,
    `${each.lease_end.slice(0, 10)}, ${formatRelative(each.lease_end, nowMs)}`,
    renewalText(each, nowMs),
    String(each.renewal.left),
    zoneText(each)
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

export function addNamesCommand(program: CliCommand): void {
  program
    .command('names')
    .description("list this daemon's names: lease, renewals, and what needs your attention")
    .runs(async (context) => {
      const client = connect(context)
      const names = await client.names()
      // Programs read the names alone; `chronym adopt` lists what the daemon looks for.
      const wanted = context.output.json ? [] : await client.wanted()
      const tasks = context.output.json || names.length > 0 ? [] : await client.tasks()
      const underWay = tasks.filter(({ kind, status }) => kind === 'register' && status === 'running')
      context.output.answer(names, (paint) =>
        context.output.commands(
          [
            names.length === 0
              ? noNamesText(underWay.map(({ name }) => name))
              : ownedText(names, Date.now(), paint, context.output.columns),
            ...(wanted.length === 0 ? [] : ['', 'looked for in the network:', ...wantedLines(wanted)])
          ].join('\n')
        )
      )
    })
}
