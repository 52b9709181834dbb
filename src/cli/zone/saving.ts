/** Saving a whole zone, with a question before records are lost. */
import { type Client, ProblemError, type ZoneBody } from '../../api/client/client.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import type { FieldError } from '../../errors.ts'
import { requireConsent } from '../input/questions.ts'
import type { Context } from '../context.ts'
import { plural } from '../../util/words.ts'
import { heldBy, printable } from '../terminal/format.ts'
import type { ZoneInput } from '../zone-file/zone-input.ts'
import { EXIT, type ExitCode, Failure } from '../failures/failure.ts'
import { nameOfInput, readMasterText } from '../input/files.ts'
import { type FileProblem, type ParsedFile, parseMasterFile } from '../zone-file/parse.ts'
import { connect } from '../connection/connect.ts'
import { remarksOn } from './remarks.ts'
import { changesBetween, countBeyond, formatChanges, isUnchanged, type ZoneChanges } from './changes.ts'

export interface ImportOptions {
  readonly keepNs?: boolean
}

export interface ReplaceOptions {
  readonly yes?: boolean
  readonly ifSerial?: number
}

/**
 * Asks before records are lost, with the difference. `act` begins a sentence: "replacing the zone". Throws as {@link
 * requireConsent} does.
 */
export async function requireConsentToLoss(
  context: Context,
  { removed, ...rest }: ZoneChanges,
  { act, isGiven, cure }: { readonly act: string; readonly isGiven: boolean; readonly cure: string }
): Promise<void> {
  if (removed.length === 0) return
  const lost = plural(removed.length, 'record')
  await requireConsent(context, {
    cost: `${act} would drop ${lost}`,
    question: `This will drop ${lost}. Continue?`,
    isGiven,
    shown: formatChanges({ removed, ...rest }),
    refusal: `${act} would drop ${lost}; nothing was changed`,
    cure
  })
}

/**
 * Puts a zone in the place of the present one. Asks before records are lost; a change that came in between is not
 * overwritten.
 */
export async function replaceZone(
  context: Context,
  client: Client,
  name: string,
  zone: ZoneInput,
  options: ReplaceOptions
): Promise<{ saved: { serial: number }; changes: ZoneChanges }> {
  const current = await currentZone(client, name)
  const changes = changesBetween(current.zone, zone)
  await requireConsentToLoss(context, changes, {
    isGiven: options.yes === true,
    act: `replacing the zone of ${printable(name)}`,
    cure: 'To change single records, use `chronym zone add` and `zone rm`. To replace the whole zone, give --yes.'
  })
  // The serial of the present zone is a condition: it means that zone, edited.
  const { serial, ...rest } = zone
  const sent: ZoneBody = serial === undefined || serial === current.zone.serial ? rest : zone
  const ifMatch = options.ifSerial === undefined ? current.etag : `"${options.ifSerial}"`
  const saved = await client.saveZone(name, sent, { ifMatch })
  noteRemarks(context, name, zone)
  return { saved, changes }
}

export function noteRemarks(context: Context, name: string, zone: ZoneInput): void {
  for (const remark of remarksOn(zone, canonicalName(name))) context.output.note(`• ${printable(remark)}`)
}

function showSaved(context: Context, name: string, saved: { serial: number }, changes: ZoneChanges): void {
  if (!isUnchanged(changes)) context.output.note(formatChanges(changes))
  context.output.answer(saved, () =>
    context.output.commands(
      `saved as serial ${saved.serial}; make it live: chronym zone publish ${printable(canonicalName(name))}`
    )
  )
}

export interface CurrentZone {
  readonly zone: ZoneInput
  readonly state: 'draft' | 'published'
  readonly etag: string | undefined
}

const NONE: CurrentZone = { zone: { records: {} }, state: 'published', etag: undefined }

/**
 * The draft of a name, else what this daemon published of it. That of another's name is none to change: the daemon
 * refuses it when it is sent.
 */
export async function currentZone(client: Client, name: string): Promise<CurrentZone> {
  try {
    const { zone, source, state, etag } = await client.zone(name)
    return source === 'local' ? { zone, state, etag } : NONE
  } catch (error) {
    // An own zone comes from the daemon's store; a network that finds nothing means that there is none.
    if (error instanceof ProblemError && (error.code.startsWith('SVC-RES-') || error.code === 'SVC-ZON-001'))
      return NONE
    throw error
  }
}

/**
 * Replaces the zone of a name with that of a file (`-`: standard input). CLI-INP-001 names every line that can't be
 * read, SVC-ZON-002 every line that the daemon refuses; nothing is saved then.
 */
export async function importZone(
  context: Context,
  client: Client,
  name: string,
  file: string,
  options: ReplaceOptions & ImportOptions
): Promise<{ saved: { serial: number }; changes: ZoneChanges }> {
  const text = await readMasterText(file, context.stdin)
  const where = nameOfInput(file)
  if (text.trim() === '')
    throw badFile(where, [{ line: 1, message: 'the file is empty; a zone without records has at least a comment' }])
  const parsed = parseMasterFile(text, canonicalName(name), { leavesOutApexNs: options.keepNs !== true })
  if (parsed.problems.length > 0) throw badFile(where, parsed.problems)
  if (parsed.soaLine !== undefined)
    context.output.note(
      `• ${where} line ${parsed.soaLine}: the SOA is left out; a Chronym zone has a serial of its own`
    )
  for (const { line, message, others } of byMessage(parsed.remarks))
    context.output.note(
      `• ${where} line ${line}${others === 0 ? '' : ` and ${plural(others, 'more', 'more')}`}: ${printable(message)}`
    )
  try {
    return await replaceZone(context, client, name, parsed.zone, options)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'SVC-ZON-002' && error.errors.length > 0)
      throw badFile(where, problemsInFile(error.errors, parsed), { code: error.code, exitCode: EXIT.refused })
    throw error
  }
}

/** An export has the same remark for many lines. */
function byMessage(remarks: readonly FileProblem[]): (FileProblem & { readonly others: number })[] {
  const groups = Map.groupBy(remarks, ({ message }) => message)
  return [...groups.values()].map((group) => ({ ...group[0]!, others: group.length - 1 }))
}

/** As `zone set`: the command line refuses what cannot be parsed, the daemon what no zone may hold. */
function badFile(
  where: string,
  problems: readonly FileProblem[],
  { code, exitCode }: { code: string; exitCode: ExitCode } = { code: 'CLI-INP-001', exitCode: EXIT.usage }
): Failure {
  const [first, ...more] = problems
  return new Failure(code, `${where} line ${first!.line}: ${first!.message}; nothing was saved`, {
    exitCode,
    errors: more.map(({ line, message }) => ({ path: `line ${line}`, message })),
    cure: 'Correct these lines and import the file again.'
  })
}

/**
 * What the daemon has against records, by the lines of the file that they come from; line 1 for what concerns the
 * whole.
 */
export function problemsInFile(errors: readonly FieldError[], { lines }: ParsedFile): FileProblem[] {
  return errors.map(({ path, message }) => {
    const [, label = '', index = '0'] = path.split('/')
    return { line: lines[label]?.[Number(index)] ?? lines[label]?.[0] ?? 1, message }
  })
}

export interface PublishOption {
  publish?: boolean
  readonly yes?: boolean
}

export async function publish(context: Context, name: string): Promise<void> {
  const published = await connect(context).publishZone(name)
  context.output.answer(published, () => `published serial ${published.serial}; ${heldBy(published)}`)
}

/** Publishes what was saved, or says how. `isWhole`: the zone was given whole, so that all its lines are meant. */
export async function finish(
  context: Context,
  name: string,
  options: PublishOption,
  saved: { serial: number },
  changes: ZoneChanges,
  { isWhole = false } = {}
): Promise<void> {
  if (options.publish !== true) {
    showSaved(context, name, saved, changes)
    return
  }
  const { zone } = await currentZone(connect(context), name)
  const live = changesBetween(await published(context, name), zone)
  const others = isWhole ? 0 : countBeyond(changes, live)
  if (others > 0 && options.yes !== true) {
    const kept = `nothing was published; your change is in the draft, serial ${saved.serial}`
    await requireConsent(context, {
      cost: `publishing makes ${plural(others, 'line')} of earlier edits live too`,
      shown: formatChanges(live),
      question: `${others} of these lines ${others === 1 ? 'is an earlier edit' : 'are earlier edits'}. Publish them too?`,
      isGiven: false,
      refusal: `publishing would make ${plural(others, 'line')} of earlier edits live too; ${kept}`,
      cure: `See all of them: chronym zone diff ${printable(name)}. To publish them too, give --yes.`,
      declined: kept
    })
  } else if (!isUnchanged(live)) context.output.note(formatChanges(live))
  await publish(context, name)
}

/**
 * The zone that others see. It has no records where a code begins with `nothing`: by default, where the name is not
 * registered.
 */
export async function published(context: Context, name: string, nothing = 'SVC-RES-002'): Promise<ZoneBody> {
  try {
    return (await connect(context, { anonymous: true }).zone(name)).zone
  } catch (error) {
    if (error instanceof ProblemError && error.code.startsWith(nothing)) return { records: {} }
    throw error
  }
}
