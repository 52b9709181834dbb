import { createInterface } from 'node:readline/promises'
import type { Context } from './context.ts'

/** Whether a person can be asked: both the question and the answer need a terminal. */
export function hasPerson({ output, stdin }: Context): boolean {
  return output.live && (stdin as { isTTY?: boolean }).isTTY === true
}

/** Asks a yes-or-no question where a person can answer; anywhere else the answer is yes. `byDefault`: what Enter alone answers. */
export async function confirm(context: Context, question: string, byDefault = true): Promise<boolean> {
  const { stdin } = context
  if (!hasPerson(context)) return true
  const prompt = createInterface({ input: stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D close it without an answer.
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)))
  try {
    const answer = await Promise.race([prompt.question(`${question} ${byDefault ? '[Y/n]' : '[y/N]'} `), closed])
    if (answer === undefined) process.stderr.write('\n')
    if (answer === undefined) return false
    return answer.trim() === '' ? byDefault : /^(?:y|yes)$/iu.test(answer.trim())
  } finally {
    prompt.close()
  }
}
