import { wordsToSeed } from '../protocol/crypto/keys.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import { OwnedNames } from '../registry/stored/owned-names.ts'
import { validateReveal, type Checkers } from '../protocol/claim/valid.ts'
import { judgeSpeaker } from '../protocol/identity/judge-documents.ts'
import { type BackupContents, BackupError } from './container.ts'
import { type BackupSummary, problemOf, RecordStore, summarize } from './records.ts'

/**
 * Every possible offline check: the daemon can read each record, each name belongs to the seed, and its signature,
 * pulses and proofs verify. Identity logs verify.
 * Throws BackupError `damaged` or `source`; rejects with what a checker rejects with.
 */
export async function verifyContents(contents: BackupContents, checkers: Checkers): Promise<BackupSummary> {
  const { records, profile, files } = contents
  const facts = { profile, masterSeed: wordsToSeed(contents.words) }
  for (const [key, value] of records) {
    const problem = problemOf(key, value, facts)
    if (problem !== undefined) throw wrong(`record ${key}: ${problem}`)
  }
  for (const { path } of files)
    if (!records.has(keys.task(path.split('/')[1]!))) throw wrong(`${path} belongs to no task`)
  const store = new RecordStore(records)
  for (const { name, reveal } of new OwnedNames(store, profile).list()) {
    const verdict = await validateReveal(reveal, profile, checkers)
    if (!verdict.ok) throw wrong(`the record of ${name} breaks rule "${verdict.rule}": ${verdict.detail}`)
  }
  return summarize(records, facts)
}

/**
 * What a restore takes, and the DIDs whose manifest it leaves out: the identity lists its key no more, as after a
 * rotation. A daemon keeps such a manifest, and it must not cost the names beside it.
 */
export function withoutMuteManifests(contents: BackupContents): { contents: BackupContents; mute: string[] } {
  const prefix = prefixes.ownRecordsOf('manifest')
  const isMute = ([key, value]: readonly [string, Uint8Array]): boolean => {
    const identity = contents.records.get(key.replace(prefix, prefixes.ownIdentities))
    return key.startsWith(prefix) && identity !== undefined && !judgeSpeaker(value, identity, contents.profile).ok
  }
  const records = [...contents.records]
  return {
    contents: { ...contents, records: new Map(records.filter((record) => !isMute(record))) },
    mute: records.filter(isMute).map(([key]) => lastPart(key))
  }
}

function wrong(reason: string): BackupError {
  return new BackupError(
    'damaged',
    `the backup holds what does not verify: ${reason}`,
    'It was made by something else than chronym, or by another version. Nothing was written.'
  )
}
