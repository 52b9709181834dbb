import { createInterface } from 'node:readline/promises'
import type { Context } from './context.ts'

/** Asks a yes-or-no question where a person can answer; anywhere else the answer is yes. */
export async function confirm(context: Context, question: string): Promise<boolean> {
  const { stdin } = context
  if (!context.output.live || (stdin as { isTTY?: boolean }).isTTY !== true) return true
  const prompt = createInterface({ input: stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D close it without an answer.
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([prompt.question(`${question} [Y/n] `), closed])
    if (answer === undefined) process.stderr.write('\n')
    return answer !== undefined && /^(?:y|yes|)$/iu.test(answer.trim())
  } finally {
    prompt.close()
  }
}
