import { createInterface } from 'node:readline/promises'
import type { Context } from './context.ts'

/** Asks a yes-or-no question where a person can answer; anywhere else the answer is yes. */
export async function confirm(context: Context, question: string): Promise<boolean> {
  const { stdin } = context
  if (!context.output.live || (stdin as { isTTY?: boolean }).isTTY !== true) return true
  const prompt = createInterface({ input: stdin, output: process.stderr })
  try {
    return /^(?:y|yes|)$/iu.test((await prompt.question(`${question} [Y/n] `)).trim())
  } finally {
    prompt.close()
  }
}
