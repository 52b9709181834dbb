/** Saving and publishing a zone, each after its question. Without a page: what asks, reads and writes are arguments. */
import { discardDraftQuestion, publishQuestion, saveQuestion } from '../questions.ts'
import { difference, isUnchanged, recordsOf } from './records.ts'

/** What saving replaces: a draft, never the published zone. */
const savedRecords = ({ source, records }) => (source === 'local' ? records : {})

/**
 * Saves what was entered. `of`: the zone as it was loaded (`name`, `etag`). `save` takes the zone that it replaces, as
 * it is now, and resolves to the serial.
 */
export async function saveZone({ fetchZone, save, ask }, of, rows, say) {
  const now = await fetchZone(of.name)
  const changes = difference(savedRecords(now), recordsOf(rows).records)
  const question = saveQuestion(of.name, changes, { isChangedElsewhere: now.etag !== of.etag })
  if (question !== null && !(await ask(question))) return say('Not saved. Your edits are kept in this tab.')
  return say(`Saved as serial ${await save(now)}. Only this daemon sees it until it is published.`, 'good')
}

/**
 * Drops the draft; what is published stays. `discard` takes the zone that was asked about, and the daemon refuses where
 * it has changed since. Resolves to what there is to say once no draft is left, undefined where it is kept.
 */
export async function discardDraft({ fetchZone, fetchPublished, discard, ask }, of) {
  const now = await fetchZone(of.name)
  if (now.state !== 'draft') return 'The draft no longer exists.'
  const published = await fetchPublished(of.name)
  const changes = published.records === undefined ? undefined : difference(now.records, published.records)
  if (!(await ask(discardDraftQuestion(of.name, published, changes)))) return undefined
  await discard(now)
  return 'Draft discarded. The published zone stays.'
}

/** Saves what was entered, where it differs from what is saved, and publishes it. Arguments as of {@link saveZone}. */
export async function publishZone({ fetchZone, fetchPublished, save, publish, ask }, of, rows, say) {
  const { records } = recordsOf(rows)
  const now = await fetchZone(of.name)
  const changes = difference(savedRecords(now), records)
  // A draft that the user has seen needs one answer, about what peers will see; one that another client saved needs
  // its own.
  const first = now.etag === of.etag ? null : saveQuestion(of.name, changes, { isChangedElsewhere: true })
  if (first !== null && !(await ask(first))) return say('Nothing was saved or published.')
  say('Reading the published zone…')
  const published = await fetchPublished(of.name)
  const toPublish = published.records === undefined ? undefined : difference(published.records, records)
  const second = publishQuestion(of.name, published, toPublish)
  if (second !== null && !(await ask(second)))
    return say('Nothing was saved or published. What you entered is kept in this tab.')
  if (now.source !== 'local' || !isUnchanged(changes)) await save(now)
  say('Publishing…')
  const { serial, stored_by: holders, of: asked } = await publish()
  return say(`Serial ${serial} is live at ${holders} of ${asked} peers.`, 'good')
}
