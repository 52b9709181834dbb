/** What a name is at, in words. Pure: `nowMs` is the time. */
import type { KeysView, OwnedNameView } from '../lib/api.ts'
import { dateTime, duration } from '../lib/words.ts'
import type { Tone } from '../parts/basics.ts'
import { nameInLink, spellName } from '../../../util/typed-name.ts'

/** A lease that ends within this, seconds, is worth a look. */
const SOON_SECONDS = 24 * 3600

const left = (at: string, nowMs: number): number => (Date.parse(at) - nowMs) / 1000

type Named = Pick<OwnedNameView, 'state' | 'lease_end' | 'sold'> & { renewal: Pick<OwnedNameView['renewal'], 'state'> }

/** The state, and how long the lease runs. */
export function leaseWords(
  { state, lease_end: end, renewal, sold }: Named,
  nowMs: number
): { word: string; text: string; tone: Tone } {
  const seconds = left(end, nowMs)
  if (state === 'contested') return { word: 'contested', text: 'peers name another key', tone: 'bad' }
  if (state === 'changing')
    return { word: 'changing', text: 'one secret alone has signed other keys, which wait', tone: 'bad' }
  if (state === 'lost') return { word: 'lost', text: 'peers have settled on another key', tone: 'bad' }
  if (state === 'changed') return { word: 'changed', text: "its keys are another owner's now", tone: 'bad' }
  if (state === 'sold')
    return { word: 'sold', text: `another owner's since ${dateTime(sold?.at ?? end)}`, tone: 'quiet' }
  if (state === 'lapsed') return { word: 'lapsed', text: 'anyone may register it', tone: 'bad' }
  if (state === 'grace')
    return { word: 'grace', text: `lapsed ${duration(-seconds)} ago; only you may renew it`, tone: 'bad' }
  const text = `${duration(seconds)} left`
  if (renewal.state === 'released') return { word: 'released', text: `${text}, then it lapses`, tone: 'warn' }
  return { word: 'live', text, tone: seconds < SOON_SECONDS && renewal.state !== 'scheduled' ? 'warn' : 'good' }
}

/** When the daemon renews it, and how often the network still allows that. */
export function renewalWords(
  { renewal: { state, due } }: { renewal: Pick<OwnedNameView['renewal'], 'state' | 'due'> },
  nowMs: number
): string {
  if (state === 'scheduled')
    return due !== null && Date.parse(due) > nowMs ? `by itself in ${duration(left(due, nowMs))}` : 'by itself, now'
  return {
    running: 'under way',
    paused: 'paused',
    failed: 'failed; tried again by itself',
    off: 'off (auto_renew)',
    released: 'never: released',
    impossible: 'not possible'
  }[state]
}

/** Of its zone. `hasEdits`: in this tab, saved nowhere. */
export function zoneWords(
  { serial, published_serial: published, records }: Pick<OwnedNameView, 'serial' | 'published_serial' | 'records'>,
  hasEdits: boolean
): { word: string; tone: Tone } {
  if (hasEdits) return { word: 'unsaved edits', tone: 'warn' }
  if (serial === 0) return { word: 'no zone', tone: 'quiet' }
  if (serial > published) return { word: 'draft', tone: 'warn' }
  if (records === 0) return { word: 'empty', tone: 'quiet' }
  return { word: 'published', tone: 'good' }
}

/** How often the keys of a name changed, and whether the last time is final. */
export function keysWords({
  changes,
  changes_left: rest,
  final,
  final_at: at
}: Pick<KeysView, 'changes' | 'changes_left' | 'final' | 'final_at'>): { word: string; text: string; tone: Tone } {
  if (changes === 0) return { word: 'first keys', text: 'never changed', tone: 'good' }
  const times = `${changes} of ${changes + rest} changes`
  if (final) return { word: 'final', text: times, tone: 'good' }
  const until = at === null ? 'yet' : `before ${dateTime(at)}`
  return { word: 'not final', text: `${times}; another may take its place ${until}`, tone: 'warn' }
}

/** Another owner may have it. */
export function isGone(state: OwnedNameView['state']): boolean {
  return state === 'lost' || state === 'changed' || state === 'sold' || state === 'lapsed'
}

/** May it be released, taken back, or taken off the list? */
export function releaseAct({
  state,
  renewal
}: Pick<Named, 'state' | 'renewal'>): 'release' | 'undo' | 'acknowledge' | undefined {
  if (state === 'sold') return 'acknowledge'
  if (isGone(state)) return undefined
  return renewal.state === 'released' ? 'undo' : 'release'
}

/** The suffix of the built-in networks, until the daemon has told its own. */
const DEFAULT_SUFFIX = '.chronym'
/** Octets of a label: RFC 1035, section 2.3.4. */
const MAX_OCTETS = 63

/** `zone`: of GET /api/dns, `chronym.` -> `.chronym`. */
export const suffixOf = (zone: string | undefined): string =>
  zone === undefined ? DEFAULT_SUFFIX : `.${zone.replace(/\.$/, '')}`

function labelError(label: string): string | undefined {
  if (label.length > MAX_OCTETS) return `It has ${label.length} octets before the suffix; at most ${MAX_OCTETS} fit.`
  if (!/^[a-z0-9-]*$/.test(label)) return 'Only letters, digits and hyphens are allowed.'
  if (/^-|-$/.test(label)) return 'A hyphen may be neither first nor last.'
  return undefined
}

/** A check code looks a claim up that is there: to register the part before it is for the person to decide. */
const CODED = 'Two hyphens come before a check code, which only looks a name up: to register one, leave both out.'

export interface ReadName {
  /** As the network spells it: ` Alice. ` -> `alice.chronym`. */
  readonly name: string
  /** As people read it, where it has letters beyond ASCII that were typed. */
  readonly shown?: string
  /** Why it cannot be registered. */
  readonly error?: string
  /** Nor looked up. */
  readonly isUnread?: true
}

interface Known {
  /** Names of this daemon. */
  readonly own?: readonly string[]
  /** Names of running tasks. */
  readonly running?: readonly string[]
}

/** What is looked up for a text, perhaps with a check code. Throws for a link or a space that leads to no name. */
export function askedName(text: string, suffix: string): string {
  const read = readName(text, suffix)
  if (read?.isUnread) throw new Error(read.error)
  return read?.name ?? text
}

/** What a text means as a name; undefined for no text. */
export function readName(text: string, suffix: string, known?: Known): ReadName | undefined {
  try {
    return readTyped(nameInLink(text), suffix, known)
  } catch (error) {
    return { name: text, error: sentenceOf(error as Error), isUnread: true }
  }
}

const sentenceOf = ({ message }: Error): string => `${message[0]!.toUpperCase()}${message.slice(1)}.`

function readTyped(text: string, suffix: string, { own = [], running = [] }: Known = {}): ReadName | undefined {
  // The other full stops of UTS 46 too.
  const typed = text.replace(/[。．｡]/g, '.').replace(/\.$/, '')
  if (typed === '') return undefined
  const at = typed.toLowerCase().endsWith(suffix) ? typed.length - suffix.length : typed.length
  const label = typed.slice(0, at)
  const known = (name: string): string | undefined =>
    own.includes(name) ? 'It is yours already.' : running.includes(name) ? 'A task for it is under way.' : undefined
  const wrong = (error: string): ReadName => ({ name: `${label}${suffix}`, error })
  if (label === '') return wrong(`Something must come before ${suffix}.`)
  if (label.includes('.'))
    return at === typed.length
      ? { name: typed.toLowerCase(), error: `Names of this network end with ${suffix}.` }
      : wrong(`A name is one label and ${suffix}: what is below it belongs to its zone.`)
  // An encoding is not this page's to judge: the daemon gets what was typed, and says what is wrong with it.
  if (/^xn--/i.test(label)) {
    const [name, error] = [`${label}${suffix}`, known(`${label}${suffix}`.toLowerCase())]
    return { name, ...(error !== undefined && { error }) }
  }
  let spelled
  try {
    spelled = spellName(label)
  } catch (error) {
    return wrong(sentenceOf(error as Error))
  }
  const { name: ascii, unicode } = spelled
  const name = `${ascii}${suffix}`
  const error = ((unicode ?? ascii).includes('--') ? CODED : undefined) ?? labelError(ascii) ?? known(name)
  const isTypedAsRead = unicode === undefined || /^[\0-\x7f]*$/.test(label)
  return { name, ...(!isTypedAsRead && { shown: `${unicode}${suffix}` }), ...(error !== undefined && { error }) }
}
