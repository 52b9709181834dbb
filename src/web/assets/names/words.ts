/** What a name is at, in words. Pure: `nowMs` is the time. */
import type { OwnedNameView } from '../lib/api.ts'
import type { Tone } from '../parts/basics.ts'
import { duration } from '../lib/words.ts'

/** A lease that ends within this, seconds, is worth a look. */
const SOON_SECONDS = 24 * 3600

const left = (at: string, nowMs: number): number => (Date.parse(at) - nowMs) / 1000

type Named = Pick<OwnedNameView, 'state' | 'lease_end'> & { renewal: Pick<OwnedNameView['renewal'], 'state'> }

/** The state, and how long the lease runs. */
export function leaseWords(
  { state, lease_end: end, renewal }: Named,
  nowMs: number
): { word: string; text: string; tone: Tone } {
  const seconds = left(end, nowMs)
  if (state === 'contested') return { word: 'contested', text: 'peers name another key', tone: 'bad' }
  if (state === 'lost') return { word: 'lost', text: 'peers have settled on another key', tone: 'bad' }
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
  { serial, published_serial: published }: Pick<OwnedNameView, 'serial' | 'published_serial'>,
  hasEdits: boolean
): { word: string; tone: Tone } {
  if (hasEdits) return { word: 'unsaved edits', tone: 'warn' }
  if (serial === 0) return { word: 'no zone', tone: 'quiet' }
  if (serial > published) return { word: 'draft', tone: 'warn' }
  return { word: 'published', tone: 'good' }
}

/** May it be released, or taken back? */
export function releaseAct({ state, renewal }: Omit<Named, 'lease_end'>): 'release' | 'undo' | undefined {
  if (state === 'lost' || state === 'lapsed') return undefined
  return renewal.state === 'released' ? 'undo' : 'release'
}
