/** What the browser's own verification says, in words. Pure. */

export const millisecondsText = (milliseconds) =>
  milliseconds < 1
    ? 'under 1 ms'
    : milliseconds < 1000
      ? `${Math.round(milliseconds)} ms`
      : `${(milliseconds / 1000).toFixed(1)} s`

const RULES = { pulse: 'Checking the pulse', proof: 'Checking the work' }

/** `progress`: `{rule, done, of}`, or undefined before the first. */
export function progressText(progress) {
  if (progress === undefined) return 'Loading the verifier…'
  const { rule, done, of } = progress
  return `${RULES[rule] ?? `Checking: ${rule}`}${of > 1 ? `, ${done + 1} of ${of}` : ''}…`
}

/** `{tone, title, text}` of a Verification of chronym/verify. */
export function outcomeOf({ valid, checks, problem, backend }) {
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
