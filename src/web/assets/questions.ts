/**
 * What is asked before an expensive or destructive act, and when. Pure: each gives the question for `ask`, or null
 * where there is none.
 */
import type { Estimate, OwnedNameView, TaskView } from './lib/api.ts'
import { count, duration } from './lib/words.ts'
import type { Difference, Question } from './parts/dialog.ts'
import type { Published } from './zone/daemon.ts'
import { isUnchanged } from './zone/records.ts'

/** What the questions need of an estimate. */
export type Cost = Pick<Estimate, 'iterations' | 'seconds' | 'queued_seconds' | 'proof_kept'>

/** Longer work needs a confirmation, seconds. */
const ASK_FROM_SECONDS = 5 * 60
/** Discarding more work than this needs a confirmation, seconds. */
const ASK_LOST_FROM_SECONDS = 60
/** A renewal that adds less than this share of a lease gains little. */
const LITTLE_GAIN = 0.5

/** What a task costs on this machine, in one line. */
export function costLine({ iterations, seconds, queued_seconds: queued, proof_kept: isKept }: Cost): string {
  if (isKept) return 'A finished proof is kept here; only publishing is left'
  const waiting = queued > 0 ? `, of which ${duration(queued)} waiting for the tasks before it` : ''
  return `About ${duration(seconds)} on this machine (${count(iterations)} squarings)${waiting}`
}

/** Waiting for other tasks is no work. */
const isLong = ({ seconds, queued_seconds: queued }: Cost): boolean => seconds - queued > ASK_FROM_SECONDS

/** `estimate`: of POST /api/vdf/estimate. A name that this daemon owns is refused by the daemon, which says why. */
export function registerQuestion(name: string, estimate: Cost & Pick<Estimate, 'kind'>): Question | null {
  if (estimate.kind !== 'register' || !isLong(estimate)) return null
  return {
    title: `Register ${name}?`,
    lines: [`${costLine(estimate)}.`, 'You can pause it, and it resumes after a restart. Cancelling loses the work.'],
    yes: 'Register',
    no: 'Not now'
  }
}

/** `owned`: of GET /api/names. `estimate`: as for a registration. */
export function renewQuestion(
  { name, lease_end: end, renewal: { left, state, due } }: Pick<OwnedNameView, 'name' | 'lease_end' | 'renewal'>,
  estimate: Estimate
): Question | null {
  const gained = (Date.parse(estimate.lease_end) - Date.parse(end)) / 1000
  const lease = (Date.parse(estimate.lease_end) - Date.parse(estimate.lease_start)) / 1000
  const gainsLittle = gained < LITTLE_GAIN * lease
  if (!gainsLittle && !isLong(estimate)) return null
  // Of a lost name the estimate is that of a registration, which is more.
  const bound = estimate.kind === 'renew' ? '' : 'At most as much as registering it: '
  const lines = [`${bound}${costLine(estimate)}.`]
  if (gainsLittle) lines.push(`It gains only ${duration(gained)} of a lease of ${duration(lease)}.`)
  lines.push(`It spends one of the ${count(left)} renewals that are left.`)
  if (state === 'scheduled' && due !== null && Date.parse(due) > Date.now())
    lines.push(`The daemon renews it automatically in ${duration((Date.parse(due) - Date.now()) / 1000)}.`)
  return { title: `Renew ${name}?`, lines, yes: 'Renew', no: 'Not now' }
}

/** `rate`: squarings a second, null where it is not known. */
export function cancelQuestion(
  { kind, name, phase, progress, iterations }: TaskView,
  rate: number | null
): Question | null {
  const done = rate === null || rate <= 0 ? null : progress / rate
  if (progress === 0 || (done !== null && done <= ASK_LOST_FROM_SECONDS)) return null
  const share = `${Math.floor((100 * progress) / iterations)}%`
  const work =
    done === null
      ? `${count(progress)} squarings (${share})`
      : `About ${duration(done)} of work (${share} of its squarings)`
  const lines =
    phase === 'reveal'
      ? [`Its finished proof is kept for 30 days. If you ${kind} the name again, the daemon reuses it.`]
      : [`${work} would be lost. The task would have to start from the beginning.`]
  return { title: `Cancel: ${kind} ${name}?`, lines, yes: 'Cancel the task', no: 'Keep it' }
}

/** `changes`: from the saved draft to what is to be saved. Only what disappears needs an answer. */
export function saveQuestion(name: string, changes: Difference, { isChangedElsewhere = false } = {}): Question | null {
  if (changes.removed.length === 0) return null
  const lines = [
    isChangedElsewhere
      ? 'The saved zone was changed elsewhere since you opened it. Saving replaces it:'
      : 'Saving replaces the saved zone:'
  ]
  return { title: `Replace the zone of ${name}?`, lines, changes, yes: 'Replace', no: 'Keep the saved one' }
}

/** `changes`: from what is published to what is to be, undefined where it cannot be read. */
export function publishQuestion(name: string, published: Published, changes: Difference | undefined): Question | null {
  const question = { title: `Publish the zone of ${name}?`, yes: 'Publish', no: 'Not yet' }
  if (published.trouble !== undefined || changes === undefined)
    return {
      ...question,
      lines: [`The published zone cannot be read now, so there is no comparison: ${published.trouble ?? ''}`]
    }
  if (Object.keys(published.records ?? {}).length === 0 || isUnchanged(changes)) return null
  return { ...question, lines: ['It replaces the published zone. The difference:'], changes }
}

/** As of {@link publishQuestion}; `changes` goes from the draft to what is published: it shows what the discard does. */
export function discardDraftQuestion(name: string, published: Published, changes: Difference | undefined): Question {
  const question = { title: `Discard the draft of ${name}?`, yes: 'Discard', no: 'Keep it' }
  if (published.trouble !== undefined || changes === undefined)
    return {
      ...question,
      lines: [
        'The draft would be lost. The published zone cannot be read now, so there is no comparison: ' +
          (published.trouble ?? '')
      ]
    }
  const lines = [
    isUnchanged(changes)
      ? 'It has the same records as the published zone.'
      : 'The published zone stays, and the draft is lost. The difference:'
  ]
  return { ...question, lines, changes }
}

export function discardQuestion(name: string, changes: Difference): Question {
  return {
    title: `Discard your edits of ${name}?`,
    lines: [isUnchanged(changes) ? 'They change no record.' : 'These changes would be lost:'],
    changes,
    yes: 'Discard',
    no: 'Keep them'
  }
}

/** `owned`: of GET /api/names. */
export function releaseQuestion(
  { name, lease_end: end }: Pick<OwnedNameView, 'name' | 'lease_end'>,
  nowMs: number
): Question {
  const left = duration((Date.parse(end) - nowMs) / 1000)
  return {
    title: `Let ${name} lapse?`,
    lines: [
      `The daemon stops renewing it. Its lease ends in ${left}, and after the grace anyone may register it.`,
      'Its zone stays published until then. Until the grace ends you can take it back.'
    ],
    yes: 'Release',
    no: 'Keep it',
    isDanger: true
  }
}
