/** The events of the daemon as sentences. Pure. */
import type { DaemonEvent } from '../lib/api.ts'
import { count, ends, hasWords, localTimes, plural } from '../lib/words.ts'
import { CANCELLED } from '../tasks/state.ts'
import type { Tone } from '../parts/basics.ts'

export const TOPICS = {
  name: 'Names',
  task: 'Tasks',
  peer: 'Peers',
  record: 'Records',
  beacon: 'Beacon',
  other: 'Other'
}

export type Topic = keyof typeof TOPICS

export const topicOf = ({ type }: Pick<DaemonEvent, 'type'>): Topic => {
  const [topic = ''] = type.split(':')
  return topic in TOPICS ? (topic as Topic) : 'other'
}

/** Details are open: a newer daemon may have other words. */
type Words = Readonly<Record<string, string>>
const WORK: Words = { register: 'registration', renew: 'renewal' }
const PHASES: Words = {
  queued: 'waits for a place',
  commit: 'sends its commitment',
  pulse: 'waits for its pulse',
  evaluate: 'is being computed',
  prove: 'makes its proof',
  reveal: 'publishes its proof',
  done: 'is done'
}
const RECORDS: Words = {
  reveal: 'name',
  coded: 'check code of',
  kid: 'identity',
  manifest: 'manifest',
  commitment: 'commitment'
}
const MODES: Words = {
  full: 'stores and serves records',
  light: 'asks others only',
  offline: 'has left the network'
}

interface Sentence {
  readonly text: string
  readonly tone?: Tone
  /** The place of the page that shows more. */
  readonly href?: string
}

export function sentenceOf({ type, detail }: Pick<DaemonEvent, 'type' | 'detail'>): Sentence & { tone: Tone } {
  const sayer = SAYERS[type]
  if (sayer !== undefined) return { tone: '', ...sayer(detail as unknown as Detail) }
  const facts = Object.entries(detail).map(
    ([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value as unknown)}`
  )
  return { tone: 'quiet', text: facts.length === 0 ? type : `${type} (${facts.join(', ')})` }
}

/** What sentences take from events; each event has some of them. */
interface Detail {
  readonly kind: string
  readonly name: string
  readonly phase: string
  readonly error: string
  readonly message: string
  readonly warning: string
  readonly peer: string
  readonly id: string | number
  readonly state?: string
  readonly mode: string
  readonly round: number
  /** For {@link condensed}. */
  readonly more?: number
}

const workOf = ({ kind, name }: Detail): string => `The ${WORK[kind] ?? kind} of ${name}`
const nameHref = (name: string): string => `#/lookup/${encodeURIComponent(name)}`

const SAYERS: Readonly<Record<string, (detail: Detail) => Sentence>> = {
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
  'name:changing': ({ name }) => ({
    text: `Other keys wait for ${name}: one secret alone has signed them.`,
    tone: 'bad',
    href: nameHref(name)
  }),
  'name:lost': ({ name }) => ({
    text: `Peers have settled on another owner of ${name}.`,
    tone: 'bad',
    href: nameHref(name)
  }),
  'name:changed': ({ name }) => ({
    text: `The keys of ${name} were changed to those of another owner.`,
    tone: 'bad',
    href: nameHref(name)
  }),
  'name:sold': ({ name }) => ({
    text: `${name} is another owner's for good: it was sold.`,
    tone: 'quiet',
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

/** Runs of these events collapse into a count. */
const CONDENSED = new Set(['peer:connect', 'peer:disconnect', 'record:stored', 'beacon:pulse'])
/** Events farther apart than this are not one. */
const TOGETHER_MS = 60_000

/**
 * Newest first, as given. A run of one type within a minute becomes its newest, with `more`: how many others there
 * were. A run of pulses becomes its newest however long it took.
 */
export function condensed<Event extends Pick<DaemonEvent, 'at' | 'type' | 'detail'>>(
  events: readonly Event[]
): Event[] {
  const lines: (Event & { oldest: string })[] = []
  for (const event of events) {
    const last = lines.at(-1)
    const isSame = last !== undefined && last.type === event.type && CONDENSED.has(event.type)
    const isNear =
      isSame && (event.type === 'beacon:pulse' || Date.parse(last.oldest) - Date.parse(event.at) <= TOGETHER_MS)
    if (!isNear) lines.push({ ...event, oldest: event.at })
    else {
      const more = ((last.detail as Partial<Detail>).more ?? 0) + 1
      lines[lines.length - 1] = { ...last, oldest: event.at, detail: { ...last.detail, more } }
    }
  }
  return lines
}

/** Those whose topic is shown and that have all words of the search. */
export function filtered<Event extends Pick<DaemonEvent, 'type' | 'detail'>>(
  events: readonly Event[],
  { topics, search = '' }: { topics: ReadonlySet<Topic>; search?: string }
): Event[] {
  const text = (event: Event) => `${event.type} ${sentenceOf(event).text} ${JSON.stringify(event.detail)}`
  return events.filter((event) => topics.has(topicOf(event)) && (search.trim() === '' || hasWords(text(event), search)))
}
