/** The output of a program, both streams. Not synchronous: our server may ask this process meanwhile. */
import { execFile } from 'node:child_process'

const PATIENCE_MS = 120_000
const MOST_BYTES = 64 * 2 ** 20

export async function said(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { ...options, timeout: PATIENCE_MS, maxBuffer: MOST_BYTES }, (error, stdout, stderr) =>
      // A program that fails says why; one that is missing says nothing.
      resolve(stdout + stderr + (error?.code === 'ENOENT' ? error.message : ''))
    ).stdin?.end()
  })
}
