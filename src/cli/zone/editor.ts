import { spawn } from 'node:child_process'
import { hasPerson } from '../questions/consent.ts'
import type { Context } from '../context.ts'
import { Failure, usageFailure } from '../failures/failure.ts'
import { EXIT } from '../failures/exit-codes.ts'

/** The command of the user's editor. Throws CLI-USE-001 without one named and without a terminal. */
export function editorOf(context: Context): string {
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
export async function openInEditor(command: string, file: string): Promise<void> {
  const child =
    process.platform === 'win32'
      ? spawn(`${command} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawn('sh', ['-c', `${command} "$1"`, command, file], { stdio: 'inherit' })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0)
    throw new Failure('CLI-INP-001', `the editor (${command}) ended with ${code ?? 'a signal'}; nothing was saved`, {
      exitCode: EXIT.usage,
      cure: 'Set VISUAL or EDITOR to an editor that waits until the file is closed.'
    })
}
