import { bothForms } from '../../../util/typed-name.ts'
import type { ZoneAnswer, ZoneBody } from '../../../api/client/client.ts'
import { canonicalName } from '../../../protocol/name/names.ts'
import { connect } from '../../connection/connect.ts'
import type { CliCommand, Context } from '../../context.ts'
import { askedName, CODE_OPTION, type CodeOption } from '../../input/names.ts'
import { recordText } from '../../../util/record-text.ts'
import { EXIT, Failure, usageFailure } from '../../failures/failure.ts'
import { collectOption, integerOption } from '../../input/values.ts'
import { formatTable, printable } from '../../terminal/format.ts'
import { recordsOfArguments, requireLabel, selectorsOfArguments } from '../../zone/arguments.ts'
import { changesBetween, formatChanges, isUnchanged, recordKey, recordsOf } from '../../zone/changes.ts'
import {
  currentZone,
  finish,
  importZone,
  type ImportOptions,
  noteRemarks,
  publish,
  published,
  type PublishOption,
  type ReplaceOptions,
  replaceZone,
  requireConsentToLoss
} from '../../zone/saving.ts'
import { editZone } from '../../zone/edit.ts'
import { formatMasterFile } from '../../zone-file/format.ts'
import { readZone, zoneOfLines } from '../../zone-file/zone-input.ts'

interface SetOptions extends ReplaceOptions, PublishOption {
  record?: string[]
}

/** A zone in record lines, which `zone set` reads again. */
export function zoneText(zone: ZoneBody): string {
  const rows = Object.entries(zone.records).flatMap(([label, records]) =>
    records.map((record) => [
      printable(label),
      record.ttl === undefined ? '' : String(record.ttl),
      record.type,
      printable(recordText(record.type, record.value))
    ])
  )
  return `; serial ${zone.serial ?? 0}\n${rows.length === 0 ? '; no records' : formatTable(rows)}`
}

function originOf(name: string, { source, state }: ZoneAnswer): string {
  if (source === 'network') return 'from the network'
  if (state === 'published') return 'published'
  return `draft, not published; the difference: chronym zone diff ${printable(canonicalName(name))}`
}

async function set(context: Context, name: string, file: string | undefined, options: SetOptions): Promise<void> {
  const lines = options.record ?? []
  if ((file === undefined) === (lines.length === 0))
    throw usageFailure(
      'give a FILE ("-": standard input) or --record, one of the two',
      "Example: chronym zone set alice.chronym --record 'www A 192.0.2.1'"
    )
  const zone =
    file === undefined ? zoneOfLines(lines, (index) => `--record ${index + 1}`) : await readZone(file, context.stdin)
  for (const label of Object.keys(zone.records)) requireLabel(name, label)
  const { saved, changes } = await replaceZone(context, connect(context), name, zone, options)
  return finish(context, name, options, saved, changes, { isWhole: true })
}

async function add(context: Context, name: string, words: readonly string[], options: PublishOption): Promise<void> {
  const { records } = recordsOfArguments(name, words)
  const client = connect(context)
  const saved = await client.patchZone(name, { add: records })
  noteRemarks(context, name, (await currentZone(client, name)).zone)
  return finish(context, name, options, saved, { added: recordsOf({ records }), removed: [], retimed: [] })
}

async function remove(context: Context, name: string, words: readonly string[], options: PublishOption): Promise<void> {
  const selectors = selectorsOfArguments(name, words)
  const client = connect(context)
  const { zone, etag } = await currentZone(client, name)
  const meant = selectors.map((selector) =>
    recordsOf(zone).filter(
      (record) =>
        record.label === selector.label &&
        (selector.type === undefined || record.type === selector.type) &&
        (selector.value === undefined || recordKey(record) === recordKey({ ...record, value: selector.value }))
    )
  )
  const missing = meant.findIndex((found) => found.length === 0)
  if (missing !== -1) {
    const text = Object.values(selectors[missing]!).join(' ')
    throw new Failure('SVC-ZON-002', `the zone of ${canonicalName(name)} has no record ${text}; nothing was changed`, {
      exitCode: EXIT.refused,
      cure: `Look at its records: chronym zone get ${printable(canonicalName(name))}`
    })
  }
  const removed = [...new Map(meant.flat().map((record) => [recordKey(record), record])).values()]
  const saved = await client.patchZone(
    name,
    { remove: removed.map(({ label, type, value }) => ({ label, type, value })) },
    { ifMatch: etag }
  )
  return finish(context, name, options, saved, { added: [], removed, retimed: [] })
}

async function diff(context: Context, name: string): Promise<void> {
  const current = await currentZone(connect(context), name)
  if (current.state !== 'draft') {
    context.output.answer(
      { draft: false, added: [], removed: [], retimed: [] },
      () => `${printable(canonicalName(name))} has no draft`
    )
    return
  }
  const live = await published(context, name)
  const changes = changesBetween(live, current.zone)
  const serials = { serial: current.zone.serial ?? 0, published_serial: live.serial ?? null }
  context.output.answer({ draft: true, ...serials, ...changes }, () => {
    const title = `; draft ${serials.serial} against published ${serials.published_serial ?? 'nothing'}`
    return `${title}\n${isUnchanged(changes) ? '; the same records' : formatChanges(changes)}`
  })
}

async function discard(context: Context, name: string, { yes }: { yes?: boolean }): Promise<void> {
  const client = connect(context)
  const current = await currentZone(client, name)
  if (current.state === 'draft') {
    // An unreachable network counts as no records, so that too much counts as lost, not too little.
    const live = await published(context, name, 'SVC-RES-')
    await requireConsentToLoss(context, changesBetween(current.zone, live), {
      isGiven: yes === true,
      act: `discarding the draft of ${printable(canonicalName(name))}`,
      cure: 'Look at it with `chronym zone diff`; discard it all the same with --yes.'
    })
  }
  const answer = await client.discardZone(name)
  context.output.answer(answer, () => 'draft discarded; what is published stays')
}

async function drafts(context: Context): Promise<void> {
  const list = await connect(context).drafts()
  const rows = list.map((draft) => [
    printable(bothForms(draft.name)),
    String(draft.serial),
    draft.published_serial === null ? '-' : String(draft.published_serial),
    String(draft.records),
    draft.owner
  ])
  context.output.answer(list, () =>
    list.length === 0 ? 'no drafts' : formatTable([['NAME', 'DRAFT', 'PUBLISHED', 'RECORDS', 'OWNER'], ...rows])
  )
}

export function addZoneCommands(program: CliCommand): void {
  const zone = program.command('zone').description('DNS records of a name').helpCommand(false)
  const PUBLISH = ['--publish', 'publish it as well'] as const
  const YES_TO_ALL = [
    '-y, --yes',
    'with --publish: publish earlier edits of the draft too, without a question'
  ] as const
  const YES = ['-y, --yes', 'do not ask before records are dropped'] as const

  zone
    .command('get')
    .argument('<name>')
    .description('print the zone of a name: the draft if there is one, else the published zone; it says which')
    .option('--public', 'what the network shows, also for our own names')
    .option(...CODE_OPTION)
    .runs(async (context, options: CodeOption & { public?: boolean }, name: string) => {
      const found = await connect(context, { anonymous: options.public === true }).zone(askedName(name, options.code))
      context.output.answer(
        found.zone,
        () => `; ${context.output.commands(originOf(name, found))}\n${zoneText(found.zone)}`
      )
    })

  zone
    .command('set')
    .argument('<name>')
    .argument('[file]', 'JSON, or lines LABEL [TTL] TYPE VALUE; "-": standard input')
    .description('replace the whole zone of a name; asks before it drops records')
    .option('-r, --record <record>', "a record, such as 'www A 192.0.2.1'; may be repeated", collectOption)
    .option(
      '--if-serial <serial>',
      'only when the zone still has this serial',
      integerOption(0, Number.MAX_SAFE_INTEGER)
    )
    .option(...PUBLISH)
    .option(...YES)
    .runs((context, options: SetOptions, name: string, file: string | undefined) => set(context, name, file, options))

  zone
    .command('add')
    .argument('<name>')
    .argument('<record...>', "LABEL [TTL] TYPE VALUE..., or whole records, such as 'www 1h A 192.0.2.1' each")
    .description('add records to the zone of a name; all others stay')
    .option(...PUBLISH)
    .option(...YES_TO_ALL)
    .runs((context, options: PublishOption, name: string, words: string[]) => add(context, name, words, options))

  zone
    .command('rm')
    .argument('<name>')
    .argument('<selector...>', "LABEL [TYPE [VALUE]], such as 'www' or 'www A 192.0.2.1'; all others stay")
    .description('remove records from the zone of a name')
    .option(...PUBLISH)
    .option(...YES_TO_ALL)
    .runs((context, options: PublishOption, name: string, words: string[]) => remove(context, name, words, options))

  zone
    .command('edit')
    .argument('<name>')
    .description('edit the zone of a name as a master file, in VISUAL or EDITOR')
    .option(...PUBLISH)
    .option(...YES_TO_ALL)
    .runs(async (context, options: PublishOption, name: string) => {
      const edited = await editZone(context, connect(context), name)
      if (edited === undefined) context.output.note('nothing was changed')
      else await finish(context, name, options, edited.saved, edited.changes)
    })

  zone
    .command('diff')
    .argument('<name>')
    .description('compare the draft of a name with its published zone')
    .runs((context, _options: unknown, name: string) => diff(context, name))

  zone
    .command('discard')
    .argument('<name>')
    .description('drop the draft of a name; the published zone stays')
    .option('-y, --yes', 'do not ask')
    .runs((context, options: { yes?: boolean }, name: string) => discard(context, name, options))

  zone
    .command('drafts')
    .alias('list')
    .description('list the zones saved here and not yet published')
    .runs((context) => drafts(context))

  zone
    .command('import')
    .argument('<name>')
    .argument('<file>', 'an RFC 1035 master file; "-": standard input')
    .description('replace the zone of a name with a master file; asks before it drops records')
    .option('--keep-ns', 'keep the NS of the name itself, which delegates all of it to other servers')
    .option(...PUBLISH)
    .option(...YES)
    .runs(async (context, options: ReplaceOptions & ImportOptions & PublishOption, name: string, file: string) => {
      const { saved, changes } = await importZone(context, connect(context), name, file, options)
      return finish(context, name, options, saved, changes, { isWhole: true })
    })

  zone
    .command('export')
    .argument('<name>')
    .description('print the zone of a name as an RFC 1035 master file')
    .option('--public', 'what the network shows, also for our own names')
    .runs(async (context, options: { public?: boolean }, name: string) => {
      const found = await connect(context, { anonymous: options.public === true }).zone(name)
      const text =
        `; ${originOf(name, found)}; serial ` +
        `${found.zone.serial ?? 0}\n${formatMasterFile(found.zone, canonicalName(name))}`
      context.output.plain({ zone: text }, text.trimEnd())
    })

  zone
    .command('publish')
    .argument('<name>')
    .description('sign the draft of a name and publish it')
    .runs(async (context, _options: unknown, name: string) => {
      await publish(context, name)
    })
}
