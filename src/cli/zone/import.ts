import { ProblemError, type Client } from '../../api/client/client.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../failures/exit-codes.ts'
import { Failure } from '../failures/failure.ts'
import { nameOfInput, readText } from '../input/files.ts'
import { parseMasterFile, type FileProblem } from '../zone-file/parse.ts'
import type { ZoneChanges } from './changes.ts'
import { problemsInFile } from './file-problems.ts'
import { replaceZone, type ReplaceOptions } from './saving.ts'

/**
 * Replaces the zone of a name with that of a file (`-`: standard input). CLI-INP-001 names every line that can't be
 * read, SVC-ZON-002 every line that the daemon refuses; nothing is saved then.
 */
export async function importZone(
  context: Context,
  client: Client,
  name: string,
  file: string,
  options: ReplaceOptions
): Promise<{ saved: { serial: number }; changes: ZoneChanges }> {
  const text = await readText(file, context.stdin)
  const where = nameOfInput(file)
  if (text.trim() === '')
    throw badFile(where, [{ line: 1, message: 'the file is empty; a zone without records has at least a comment' }])
  const parsed = parseMasterFile(text, canonicalName(name))
  if (parsed.problems.length > 0) throw badFile(where, parsed.problems)
  if (parsed.soaLine !== undefined)
    context.output.note(
      `• ${where} line ${parsed.soaLine}: the SOA is left out; a Chronym zone has a serial of its own`
    )
  try {
    return await replaceZone(context, client, name, parsed.zone, options)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'SVC-ZON-002' && error.errors.length > 0)
      throw badFile(where, problemsInFile(error.errors, parsed), { code: error.code, exitCode: EXIT.refused })
    throw error
  }
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
