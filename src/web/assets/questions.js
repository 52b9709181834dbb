/**
 * What is asked before an expensive or destructive act, and when. Pure: each gives the question for `ask`, or null
 * where there is none.
 */
import { count, duration } from './elements.js'
import { isUnchanged } from './zone/records.js'

/** Longer work begins after a question, seconds. */
const ASK_FROM_SECONDS = 5 * 60
/** More work than this is thrown away after a question only, seconds. */
const ASK_LOST_FROM_SECONDS = 60
/** A renewal that adds less than this share of a lease gains little. */
const LITTLE_GAIN = 0.5

/** What a task costs on this machine, in one line. */
export function costLine({ iterations, seconds, queued_seconds: queued, proof_kept: isKept }) {
  if (isKept) return 'A finished proof is kept here, only publishing is left'
  const waiting = queued > 0 ? `, of which ${duration(queued)} waiting for the tasks before it` : ''
  return `About ${duration(seconds)} on this machine (${count(iterations)} squarings)${waiting}`
}

/** Waiting for other tasks is no work. */
const isLong = ({ seconds, queued_seconds: queued }) => seconds - queued > ASK_FROM_SECONDS

/** `estimate`: of POST /api/vdf/estimate. A name that this daemon owns is refused by the daemon, which says why. */
export function registerQuestion(name, estimate) {
  if (estimate.kind !== 'register' || !isLong(estimate)) return null
  return {
    title: `Register ${name}?`,
    lines: [`${costLine(estimate)}.`, 'It can be paused, and goes on after a restart. Cancelled, its work is lost.'],
    yes: 'Register',
    no: 'Not now'
  }
}

/** `owned`: of GET /api/names. `estimate`: as for a registration. */
export function renewQuestion({ name, lease_end: end, renewal: { left, state, due } }, estimate) {
  const gained = (Date.parse(estimate.lease_end) - Date.parse(end)) / 1000
  const lease = (Date.parse(estimate.lease_end) - Date.parse(estimate.lease_start)) / 1000
  const gainsLittle = gained < LITTLE_GAIN * lease
  if (!gainsLittle && !isLong(estimate)) return null
  // Of a lost name the estimate is that of a registration, which is more.
  const bound = estimate.kind === 'renew' ? '' : 'At most what registering it takes: '
  const lines = [`${bound}${costLine(estimate)}.`]
  if (gainsLittle) lines.push(`It gains only ${duration(gained)} of a lease of ${duration(lease)}.`)
  lines.push(`It spends one of the ${count(left)} renewals that are left.`)
  if (state === 'scheduled' && due !== null && Date.parse(due) > Date.now())
    lines.push(`The daemon renews it by itself in ${duration((Date.parse(due) - Date.now()) / 1000)}.`)
  return { title: `Renew ${name}?`, lines, yes: 'Renew', no: 'Not now' }
}

/** `rate`: squarings a second, null where it is not known. */
export function cancelQuestion({ kind, name, phase, progress, iterations }, rate) {
  const done = rate === null || rate <= 0 ? null : progress / rate
  if (progress === 0 || (done !== null && done <= ASK_LOST_FROM_SECONDS)) return null
  const share = `${Math.floor((100 * progress) / iterations)}%`
  const work =
    done === null
      ? `${count(progress)} squarings, ${share} of them all`
      : `About ${duration(done)} of work, ${share} of its squarings`
  const lines =
    phase === 'reveal'
      ? [`Its proof is finished, and is kept for 30 days: to ${kind} the name again takes it up.`]
      : [`${work}, would be lost. It would have to start from the beginning.`]
  return { title: `Cancel: ${kind} ${name}?`, lines, yes: 'Cancel the task', no: 'Keep it' }
}

/** `changes`: from the saved draft to what is to be saved. Only what disappears needs an answer. */
export function saveQuestion(name, changes, { isChangedElsewhere = false } = {}) {
  if (changes.removed.length === 0) return null
  const lines = [
    isChangedElsewhere
      ? 'The saved zone was changed elsewhere since you opened it. Saving replaces it:'
      : 'Saving replaces the zone that is saved:'
  ]
  return { title: `Replace the zone of ${name}?`, lines, changes, yes: 'Replace', no: 'Keep the saved one' }
}

/**
 * `published`: `{records}` as lines are compared, or `{trouble}` where it cannot be read. `changes`: from that to what
 * is to be published.
 */
export function publishQuestion(name, published, changes) {
  const question = { title: `Publish the zone of ${name}?`, yes: 'Publish', no: 'Not yet' }
  if (published.trouble !== undefined)
    return {
      ...question,
      lines: [`What is published cannot be read just now, so it cannot be compared: ${published.trouble}`]
    }
  if (Object.keys(published.records).length === 0 || isUnchanged(changes)) return null
  return { ...question, lines: ['It replaces what is published. The difference:'], changes }
}

/**
 * `published`, `changes`: as of {@link publishQuestion}; `changes` goes from the draft to what is published, so it
 * shows what the discard does.
 */
export function discardDraftQuestion(name, published, changes) {
  const question = { title: `Discard the draft of ${name}?`, yes: 'Discard', no: 'Keep it' }
  if (published.trouble !== undefined)
    return {
      ...question,
      lines: [
        `The draft would be lost. What is published cannot be read just now, so it cannot be compared: ${published.trouble}`
      ]
    }
  const lines = [
    isUnchanged(changes)
      ? 'It has the records that are published.'
      : 'What is published stays, and the draft is lost. The difference:'
  ]
  return { ...question, lines, changes }
}

export function discardQuestion(name, changes) {
  return {
    title: `Discard your edits of ${name}?`,
    lines: [isUnchanged(changes) ? 'They change no record.' : 'These changes would be lost:'],
    changes,
    yes: 'Discard',
    no: 'Keep them'
  }
}
