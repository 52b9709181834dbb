/** Saving and publishing a zone, each after its question. Without a page: what asks, reads and writes are arguments. */
import type { ZonePublishedBody } from '../lib/api.ts'
import type { Told } from '../parts/act.ts'
import type { Ask, Difference, Question } from '../parts/dialog.ts'
import type { Published, Records, Zone } from './daemon.ts'
import { difference, isUnchanged, recordsOf, type RecordRow } from './records.ts'

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
function discardDraftQuestion(name: string, published: Published, changes: Difference | undefined): Question {
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

export type Say = (text: string, tone?: Told) => void

interface Services {
  readonly ask: Ask
  readonly fetchZone: (name: string) => Promise<Zone>
  readonly fetchPublished: (name: string) => Promise<Published>
  /** Takes the zone that it replaces, as it is now, and resolves to the serial. */
  readonly save: (now: Zone) => Promise<number>
  /** Takes the zone that was asked about; the daemon refuses where it has changed since. */
  readonly discard: (now: Zone) => Promise<unknown>
  readonly publish: () => Promise<Pick<ZonePublishedBody, 'serial' | 'stored_by' | 'of'>>
}
type Some<Names extends keyof Services> = Pick<Services, Names>

/** The zone as it was loaded. */
interface Loaded {
  readonly name: string
  readonly etag: string | null
}

/** What saving replaces: a draft, never the published zone. */
const savedRecords = ({ source, records }: Zone): Records => (source === 'local' ? records : {})

/** Saves what was entered. */
export async function saveZone(
  { fetchZone, save, ask }: Some<'fetchZone' | 'save' | 'ask'>,
  of: Loaded,
  rows: readonly RecordRow[],
  say: Say
): Promise<void> {
  const now = await fetchZone(of.name)
  const changes = difference(savedRecords(now), recordsOf(rows).records)
  const question = saveQuestion(of.name, changes, { isChangedElsewhere: now.etag !== of.etag })
  if (question !== null && !(await ask(question))) {
    say('Not saved. Your edits are kept in this tab.')
    return
  }
  say(`Saved as serial ${await save(now)}. Only this daemon sees it until it is published.`, 'good')
}

/**
 * Drops the draft; what is published stays. Resolves to what there is to say once no draft is left, undefined where it
 * is kept.
 */
export async function discardDraft(
  { fetchZone, fetchPublished, discard, ask }: Some<'fetchZone' | 'fetchPublished' | 'discard' | 'ask'>,
  of: Pick<Loaded, 'name'>
): Promise<string | undefined> {
  const now = await fetchZone(of.name)
  if (now.state !== 'draft') return 'The draft no longer exists.'
  const published = await fetchPublished(of.name)
  const changes = published.records === undefined ? undefined : difference(now.records, published.records)
  if (!(await ask(discardDraftQuestion(of.name, published, changes)))) return undefined
  await discard(now)
  return 'Draft discarded. The published zone stays.'
}

/** Saves what was entered, where it differs from what is saved, and publishes it. */
export async function publishZone(
  { fetchZone, fetchPublished, save, publish, ask }: Omit<Services, 'discard'>,
  of: Loaded,
  rows: readonly RecordRow[],
  say: Say
): Promise<void> {
  const { records } = recordsOf(rows)
  const now = await fetchZone(of.name)
  const changes = difference(savedRecords(now), records)
  // A draft that the user has seen needs one answer, about what peers will see; one that another client saved needs
  // its own.
  const first = now.etag === of.etag ? null : saveQuestion(of.name, changes, { isChangedElsewhere: true })
  if (first !== null && !(await ask(first))) {
    say('Nothing was saved or published.')
    return
  }
  say('Reading the published zone…')
  const published = await fetchPublished(of.name)
  const toPublish = published.records === undefined ? undefined : difference(published.records, records)
  const second = publishQuestion(of.name, published, toPublish)
  if (second !== null && !(await ask(second))) {
    say('Nothing was saved or published. What you entered is kept in this tab.')
    return
  }
  if (now.source !== 'local' || !isUnchanged(changes)) await save(now)
  say('Publishing…')
  const { serial, stored_by: holders, of: asked } = await publish()
  say(`Serial ${serial} is live at ${holders} of ${asked} peers.`, 'good')
}
