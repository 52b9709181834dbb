/** `zone edit`: the zone as a master file in the user's editor. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { type Client, ProblemError } from '../../api/client/client.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import { masterText } from '../input/files.ts'
import { NotUtf8Error } from '../../util/utf8.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { hasPerson } from '../input/questions.ts'
import type { Context } from '../context.ts'
import { inputFailure, usageFailure } from '../failures/failure.ts'
import { printable } from '../terminal/format.ts'
import { formatMasterFile } from '../zone-file/format.ts'
import { type FileProblem, type ParsedFile, parseMasterFile } from '../zone-file/parse.ts'
import { changesBetween, inSpellingOf, isUnchanged, type ZoneChanges } from './changes.ts'
import { currentZone, type CurrentZone, noteRemarks, problemsInFile, requireConsentToLoss } from './saving.ts'

/** Begins the lines with errors, which are removed before the file is parsed again. */
const REMARK = ';! '
const HEADER =
  '; One record a line: OWNER [TTL] IN TYPE VALUE. Save and close to continue; without a change nothing is saved.\n'

interface Edited {
  readonly saved: { readonly serial: number }
  readonly changes: ZoneChanges
}

/**
 * Edits and saves the zone of a name; undefined when nothing was changed. Whatever fails, the text is kept in a file
 * that the message names.
 */
export async function editZone(context: Context, client: Client, name: string): Promise<Edited | undefined> {
  const editor = editorOf(context)
  const current = await currentZone(client, name)
  const directory = await mkdtemp(join(tmpdir(), 'chronym-zone-'))
  const file = join(directory, 'zone.txt')
  try {
    const edited = await editUntilSaved(context, client, name, { current, editor, file })
    await rm(directory, { recursive: true })
    return edited
  } catch (error) {
    context.output.error(
      `your text is kept in ${file}; save it with: chronym zone import ${printable(canonicalName(name))} ${shellWord(file)}`
    )
    throw error
  }
}

async function editUntilSaved(
  context: Context,
  client: Client,
  name: string,
  { current, editor, file }: { current: CurrentZone; editor: string; file: string }
): Promise<Edited | undefined> {
  const apex = canonicalName(name)
  let given = `${HEADER}${formatMasterFile(current.zone, apex)}`
  for (let problems: readonly FileProblem[] = []; ;) {
    await writeFile(file, given, { mode: 0o600 })
    await openInEditor(editor, file)
    const text = await readEdited(file)
    if (text === given) {
      if (problems.length === 0) return undefined
      throw badFile(problems)
    }
    const body = text
      .split('\n')
      .filter((line) => !line.startsWith(REMARK))
      .join('\n')
    const parsed = parseMasterFile(body, apex)
    const outcome = parsed.problems.length > 0 ? parsed.problems : await save(context, client, name, parsed, current)
    if (!isProblems(outcome)) return outcome
    problems = outcome
    if (!hasPerson(context)) throw badFile(problems)
    // The remarks are lines of the file too.
    const shift = problems.length
    const remarks = problems.map(
      ({ line, message }) => `${REMARK}line ${line + shift}: ${message.replaceAll('\n', ' ')}\n`
    )
    given = remarks.join('') + body
  }
}

async function readEdited(file: string): Promise<string> {
  try {
    return masterText(await readFile(file))
  } catch (error) {
    if (!(error instanceof NotUtf8Error)) throw error
    throw inputFailure(`what the editor saved can't be read: ${error.message}; nothing was saved`, undefined, error)
  }
}

/** Returns the daemon's objections to records as problems of lines. */
async function save(
  context: Context,
  client: Client,
  name: string,
  parsed: ParsedFile,
  { zone: former, etag }: CurrentZone
): Promise<Edited | undefined | FileProblem[]> {
  const zone = inSpellingOf(former, parsed.zone)
  const changes = changesBetween(former, zone)
  if (isUnchanged(changes)) return undefined
  noteRemarks(context, name, zone)
  if (Object.keys(zone.records).length === 0) {
    await requireConsentToLoss(context, changes, {
      act: 'an empty file',
      isGiven: false,
      cure: 'To empty a zone: `chronym zone set NAME FILE --yes` with {"records": {}} in the file.'
    })
  }
  try {
    return { saved: await client.saveZone(name, zone, { ifMatch: etag }), changes }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'SVC-ZON-002' && error.errors.length > 0)
      return problemsInFile(error.errors, parsed)
    throw error
  }
}

function isProblems(outcome: Edited | undefined | readonly FileProblem[]): outcome is readonly FileProblem[] {
  return Array.isArray(outcome)
}

function badFile(problems: readonly FileProblem[]): Error {
  return inputFailure(`line ${problems[0]!.line}: ${problems[0]!.message}; nothing was saved`)
}

/** The command of the user's editor. Throws CLI-USE-001 without one named and without a terminal. */
function editorOf(context: Context): string {
  const named = [context.env['VISUAL'], context.env['EDITOR']].find(
    (command) => command !== undefined && command.trim() !== ''
  )
  if (named !== undefined) return named
  if (!hasPerson(context))
    throw usageFailure(
      'there is no editor: neither VISUAL nor EDITOR is set',
      'Set one, or use `chronym zone export` and `chronym zone import`.'
    )
  return process.platform === 'win32' ? 'notepad' : 'vi'
}

/**
 * Opens a file in an editor until that ends. The command may have arguments of its own, as with git. Throws CLI-INP-001
 * when it fails.
 */
async function openInEditor(command: string, file: string): Promise<void> {
  const child =
    process.platform === 'win32'
      ? spawn(`${command} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('sh', ['-c', `${command} "$1"`, command, file], { stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0)
    throw inputFailure(
      `the editor (${command}) ended with ${code ?? 'a signal'}; nothing was saved`,
      'Set VISUAL or EDITOR to an editor that waits until the file is closed.'
    )
}
