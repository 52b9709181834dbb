/** The events of the daemon as sentences. Pure. */
import { count, ends, localTimes, plural } from '../lib/words.ts'

/** The code by which the daemon tells a cancelled task from a failed one. */
const CANCELLED = 'SVC-TSK-003'

export const TOPICS = {
  name: 'Names',
  task: 'Tasks',
  peer: 'Peers',
  record: 'Records',
  beacon: 'Beacon',
  other: 'Other'
}

export const topicOf = ({ type }) => {
  const [topic] = type.split(':')
  return topic in TOPICS ? topic : 'other'
}

const WORK = { register: 'registration', renew: 'renewal' }
const PHASES = {
  queued: 'waits for a place',
  commit: 'sends its commitment',
  pulse: 'waits for its pulse',
  evaluate: 'is being computed',
  prove: 'makes its proof',
  reveal: 'publishes its proof',
  done: 'is done'
}
const RECORDS = {
  reveal: 'name',
  coded: 'check code of',
  kid: 'identity',
  manifest: 'manifest',
  commitment: 'commitment'
}
const MODES = {
  full: 'stores and serves records',
  light: 'asks others only',
  offline: 'has left the network'
}

/** `{text, tone, href?}`: `href` is the place of the page that shows more. */
export function sentenceOf({ type, detail }) {
  const sayer = SAYERS[type]
  if (sayer !== undefined) return { tone: '', ...sayer(detail) }
  const facts = Object.entries(detail).map(
    ([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`
  )
  return { tone: 'quiet', text: facts.length === 0 ? type : `${type} (${facts.join(', ')})` }
}

const workOf = ({ kind, name }) => `The ${WORK[kind] ?? kind} of ${name}`
const nameHref = (name) => `#/lookup/${encodeURIComponent(name)}`

const SAYERS = {
  'task:phase': (detail) => ({
    text: `${workOf(detail)} ${PHASES[detail.phase] ?? `is in phase ${detail.phase}`}.`,
    href: '#/tasks'
  }),
  'task:completed': (detail) => ({ text: `${workOf(detail)} is complete.`, tone: 'good', href: '#/tasks' }),
  'task:failed': (detail) =>
    detail.error === CANCELLED
      ? { text: `${workOf(detail)} was cancelled.`, tone: 'quiet', href: '#/tasks' }
      : { text: `${workOf(detail)} failed (${detail.error}).`, tone: 'bad', href: '#/tasks' },
  'name:held': ({ name }) => ({ text: `Peers say that ${name} is yours.`, tone: 'good', href: nameHref(name) }),
  'name:contested': ({ name }) => ({
    text: `Peers name another key beside yours as the owner of ${name}.`,
    tone: 'warn',
    href: nameHref(name)
  }),
  'name:lost': ({ name }) => ({
    text: `Peers have settled on another owner of ${name}.`,
    tone: 'bad',
    href: nameHref(name)
  }),
  'name:warning': ({ name, message }) => ({
    text: `${name}: ${localTimes(message)}`,
    tone: 'warn',
    href: nameHref(name)
  }),
  'name:warning-over': ({ name, warning }) => ({
    text: `${name}: the warning "${warning}" is over.`,
    tone: 'good',
    href: nameHref(name)
  }),
  'peer:connect': ({ peer, more }) => ({
    text: more === undefined ? `Peer ${ends(peer)} connected.` : `${plural(more + 1, 'peer')} connected.`,
    tone: 'quiet'
  }),
  'peer:disconnect': ({ peer, more }) => ({
    text: more === undefined ? `Peer ${ends(peer)} left.` : `${plural(more + 1, 'peer')} left.`,
    tone: 'quiet'
  }),
  'record:stored': ({ kind, id, state, more }) => ({
    text:
      more === undefined
        ? `This node stored the ${RECORDS[kind] ?? kind} ${ends(String(id), 20, 8)}${state ? ` (${state})` : ''} for the network.`
        : `This node stored ${plural(more + 1, 'record')} for the network.`,
    tone: 'quiet'
  }),
  mode: ({ mode }) => ({ text: `The mode is now ${mode}: this node ${MODES[mode] ?? mode}.`, href: '#/settings' }),
  'beacon:pulse': ({ round }) => ({ text: `The beacon is at round ${count(round)}.`, tone: 'quiet' })
}

/** Of these, many in a row say no more than their number. */
const CONDENSED = new Set(['peer:connect', 'peer:disconnect', 'record:stored', 'beacon:pulse'])
/** Events farther apart than this are not one. */
const TOGETHER_MS = 60_000

/**
 * Newest first, as given; a run of the same kind within a minute becomes its newest, with `more`: how many there were
 * besides. Of pulses only the newest of a run stays.
 */
export function condensed(events) {
  const lines = []
  for (const event of events) {
    const last = lines.at(-1)
    const isSame = last !== undefined && last.type === event.type && CONDENSED.has(event.type)
    const isNear =
      isSame && (event.type === 'beacon:pulse' || Date.parse(last.oldest) - Date.parse(event.at) <= TOGETHER_MS)
    if (!isNear) lines.push({ ...event, oldest: event.at })
    else {
      const more = (last.detail.more ?? 0) + 1
      lines[lines.length - 1] = { ...last, oldest: event.at, detail: { ...last.detail, more } }
    }
  }
  return lines
}

/** Of the topics that are shown, and with all words of the search. */
export function filtered(events, { topics, search = '' }) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return events.filter((event) => {
    if (!topics.has(topicOf(event))) return false
    if (words.length === 0) return true
    const text = `${event.type} ${sentenceOf(event).text} ${JSON.stringify(event.detail)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
