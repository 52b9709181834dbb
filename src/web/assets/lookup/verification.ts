/** What the browser's own verification says, in words. Pure. */

import type { Progress, Verification } from '../../../verify/types.ts'
import type { Tone } from '../parts/basics.ts'

/** As a worker posts it. */
export type Outcome = Omit<Verification<unknown>, 'value'>

export const millisecondsText = (milliseconds: number): string =>
  milliseconds < 1
    ? 'under 1 ms'
    : milliseconds < 1000
      ? `${Math.round(milliseconds)} ms`
      : `${(milliseconds / 1000).toFixed(1)} s`

const RULES: Readonly<Record<string, string>> = { pulse: 'Checking the pulse', proof: 'Checking the work' }

/** Undefined before the first. */
export function progressText(progress: Progress | undefined): string {
  if (progress === undefined) return 'Loading the verifier…'
  const { rule, done, of } = progress
  return `${RULES[rule] ?? `Checking: ${rule}`}${of > 1 ? `, ${done + 1} of ${of}` : ''}…`
}

export function outcomeOf({ valid, checks, problem, backend }: Outcome): { tone: Tone; title: string; text: string } {
  const passed = checks.filter((check) => check.passed === true).length
  const by = backend === 'bigint' ? ' in plain JavaScript' : ''
  return valid
    ? { tone: 'good', title: 'Valid', text: `All ${passed} checks passed, made by this browser${by}.` }
    : {
        tone: 'bad',
        title: 'Not valid',
        text: `${problem?.detail ?? 'A check failed'} (${problem?.rule ?? 'unknown rule'}). ${passed} of ${checks.length} checks passed.`
      }
}
