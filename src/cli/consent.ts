/** Questions before what is expensive or cannot be taken back. */
import { confirm, hasPerson } from './confirm.ts'
import type { Context } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { Failure, usageFailure } from './failure.ts'

export interface Consent {
  /** What it costs, as a sentence without its stop. */
  readonly cost: string
  readonly question: string
  /** `--yes` */
  readonly isGiven: boolean
  /** The answer of who only presses Enter. */
  readonly byDefault?: boolean
}

/**
 * Asks on a terminal. Where nobody can answer, what was not agreed to beforehand is not done: exit code 2, and `--yes` is the cure. Throws CLI-INT-001 for a no.
 */
export async function requireConsent(context: Context, { cost, question, isGiven, byDefault = false }: Consent): Promise<void> {
  if (isGiven) return
  if (!hasPerson(context)) throw usageFailure(`${cost}; that needs a yes, and nobody can be asked here`, 'Add --yes where it is meant.')
  context.output.error(cost)
  if (!(await confirm(context, question, byDefault))) throw new Failure('CLI-INT-001', 'not confirmed; nothing was changed', { exitCode: EXIT.interrupted })
}
