/**
 * Which records of the store are part of a backup, and what each must be. Left out is what others can give again:
 * entries held for peers, contacts, the configuration, tokens.
 */
import { BackupError } from './container.ts'
import { requirePoint } from '../protocol/crypto/change-keys.ts'
import { nameKey } from '../protocol/crypto/keys.ts'
import { keyIndexOfLog } from '../protocol/identity/seed.ts'
import { decodeIdentityEnvelope, decodeIdentityRecord } from '../protocol/identity/record.ts'
import { decodeManifestRecord } from '../protocol/identity/manifest.ts'
import { equalBytes } from '../protocol/encoding/bytes.ts'
import { messageOf } from '../protocol/errors.ts'
import { parseName } from '../protocol/name/names.ts'
import { type NetworkProfile, profileHash } from '../protocol/profile/profile.ts'
import { changesIn, decodeReveal, type Reveal } from '../protocol/claim/reveal.ts'
import { checkReveal } from '../protocol/claim/valid.ts'
import { parseZone } from '../protocol/zone/zone.ts'
import { LocalZones } from '../registry/stored/local-zones.ts'
import { Memory } from '../registry/stored/memory.ts'
import { OwnedNames, decodeAdoption } from '../registry/stored/owned-names.ts'
import { readGivenCode, Pins } from '../registry/stored/pins.ts'
import { readAgree, readFollowed } from '../registry/stored/pin-lists.ts'
import { Receipts } from '../registry/stored/receipts.ts'
import { SeenIdentities } from '../registry/identities/seen-identities.ts'
import { keys, lastPart, prefixes } from '../store/keys.ts'
import type { StoredRecords } from '../store/inspect.ts'
import { UnreadableRecord } from '../store/stored-shapes.ts'
import type { Did } from '../protocol/identity/did.ts'
import { decodeEntry, decodeProof } from '../registry/claims/journal.ts'
import type { Store } from '../store/types.ts'

export interface RecordFacts {
  readonly profile: NetworkProfile
  /** 32 bytes. */
  readonly masterSeed: Uint8Array
}

type Check = (key: string, value: Uint8Array, facts: RecordFacts, store: RecordStore) => void

/** Each throws for what the daemon could not read or the network would refuse. */
const CHECKS: Readonly<Record<string, Check>> = {
  [prefixes.ownedNames]: (key, _value, facts, store) => {
    const owned = new OwnedNames(store, facts.profile).get(lastPart(key))!
    checkSigned(owned.reveal, facts.profile)
    requireOwnKey(owned.reveal, facts)
  },
  [prefixes.zones]: (key, _value, { profile }, store) => {
    const name = parseName(lastPart(key), profile)
    parseZone({ records: new LocalZones(store).get(name)!.records }, profile)
  },
  [prefixes.receipts]: (key, _value, _facts, store) => void new Receipts(store).get(lastPart(key)),
  [prefixes.ownIdentities]: (key, value, { profile }) => requireDid(decodeIdentityRecord(value, profile).log.did, key),
  [prefixes.ownRecordsOf('reveal')]: (key, value, { profile }) => {
    const reveal = decodeReveal(value)
    if (reveal.name !== lastPart(key)) throw new UnreadableRecord(`it is of ${reveal.name}`)
    checkSigned(reveal, profile)
  },
  [prefixes.ownRecordsOf('kid')]: (key, value, { profile }) =>
    requireDid(decodeIdentityRecord(value, profile).log.did, key),
  [prefixes.ownRecordsOf('manifest')]: (key, value, { profile }) =>
    requireDid(decodeManifestRecord(value, profile).id, key),
  [prefixes.proofs]: (_key, value) => void decodeProof(value),
  [prefixes.pins]: (key, _value, { profile }, store) => void new Pins(store, profile).get(lastPart(key)),
  [prefixes.pinCodes]: (_key, value) => void readGivenCode(value),
  [prefixes.pinLists]: (_key, value) => void readFollowed(value),
  [keys.pinListsAgree()]: (_key, value) => void readAgree(value),
  [prefixes.pinLooks]: requireEmpty,
  [prefixes.pinEnds]: requireEmpty,
  [prefixes.seenNames]: (key, _value, _facts, store) => {
    const [, name = '', claimId = ''] = key.split('/')
    void new Memory(store).newest(name, Buffer.from(claimId, 'hex'))
  },
  [prefixes.seenIdentities]: (key, _value, _facts, store) => void new SeenIdentities(store).get(lastPart(key) as Did),
  [keys.changePoint()]: (_key, value) => void requirePoint(value),
  [prefixes.wanted]: (_key, value) => void decodeAdoption(value),
  [prefixes.tasks]: (key, value) => void decodeEntry(value, lastPart(key))
}

/** What a backup reads from the store; tasks only on request. */
export const BACKED_UP_PREFIXES: readonly string[] = Object.keys(CHECKS)

/**
 * Why a record cannot be restored; undefined where it can. Throws BackupError `source` for a name that belongs to
 * another seed.
 */
export function problemOf(key: string, value: Uint8Array, facts: RecordFacts): string | undefined {
  const prefix = BACKED_UP_PREFIXES.find((each) => key.startsWith(each))
  if (prefix === undefined) return 'no backup holds records of this kind'
  try {
    CHECKS[prefix]!(key, value, facts, new RecordStore(new Map([[key, value]])))
    return undefined
  } catch (error) {
    if (error instanceof BackupError) throw error
    return messageOf(error)
  }
}

interface NameSummary {
  readonly name: string
  readonly serial: number
  readonly draft: boolean
}

export interface BackupSummary {
  readonly names: readonly NameSummary[]
  readonly drafts: readonly string[]
  /** `index`: of its keys, as `chronym kid create --index` takes it; null where they are of another seed. */
  readonly identities: readonly { readonly did: string; readonly version: number; readonly index: number | null }[]
  readonly tasks: readonly { readonly task_id: string; readonly name: string; readonly kind: string }[]
  readonly proofs: number
  readonly pins: number
}

export function summarize(records: StoredRecords, { profile, masterSeed }: RecordFacts): BackupSummary {
  const store = new RecordStore(records)
  const owned = new OwnedNames(store, profile)
  const zones = new LocalZones(store)
  return {
    names: owned.list().map(({ name, serial, publishedSerial }) => ({
      name,
      serial,
      draft: (zones.get(name)?.serial ?? 0) > publishedSerial
    })),
    drafts: [...store.keys(prefixes.zones)].map(lastPart).filter((name) => owned.get(name) === undefined),
    identities: [...store.list(prefixes.ownIdentities)].map(([key, value]) => {
      const { versions } = decodeIdentityEnvelope(value, profile)
      return {
        did: lastPart(key),
        version: versions.length,
        index: keyIndexOfLog(versions, masterSeed, profile) ?? null
      }
    }),
    tasks: [...store.list(prefixes.tasks)].map(([key, value]) => {
      const { id, name, kind } = decodeEntry(value, lastPart(key)).state
      return { task_id: id, name, kind }
    }),
    proofs: store.count(prefixes.proofs),
    pins: store.count(prefixes.pins) + store.count(prefixes.pinCodes)
  }
}

function checkSigned(reveal: Reveal, profile: NetworkProfile): void {
  const checked = checkReveal(reveal, profile)
  if (!checked.ok) throw new UnreadableRecord(`rule "${checked.rule}": ${checked.detail}`)
}

/** A backup of names with a seed that cannot sign for them would be worth nothing. */
function requireOwnKey(reveal: Reveal, { profile, masterSeed }: RecordFacts): void {
  const { name, pubkey } = reveal
  const own = nameKey(masterSeed, profileHash(profile), parseName(name, profile), changesIn(reveal))
  if (equalBytes(pubkey, own.publicKey)) return
  throw new BackupError(
    'source',
    `${name} belongs to another seed than these 24 words`,
    'Put back the words that the names belong to: they are in the seed-words file of before, or in an older backup.'
  )
}

function requireDid(did: string, key: string): void {
  if (did !== lastPart(key)) throw new UnreadableRecord(`it is of ${did}`)
}

function requireEmpty(_key: string, value: Uint8Array): void {
  if (value.length > 0) throw new UnreadableRecord('a mark has no value')
}

/**
 * Records in memory under the interface of the store, so that the daemon's own readers judge them. It takes no writes;
 * unreadable ones throw UnreadableRecord.
 */
export class RecordStore implements Store {
  readonly #records: StoredRecords

  constructor(records: StoredRecords) {
    this.#records = records
  }

  get(key: string): Uint8Array | undefined {
    return this.#records.get(key)
  }

  *list(prefix: string, after = ''): IterableIterator<[key: string, value: Uint8Array]> {
    for (const [key, value] of this.#records) if (key.startsWith(prefix) && key > after) yield [key, value]
  }

  *keys(prefix: string): IterableIterator<string> {
    for (const [key] of this.list(prefix)) yield key
  }

  count(prefix: string): number {
    return [...this.keys(prefix)].length
  }

  bytes(): number {
    return [...this.#records.values()].reduce((sum, { length }) => sum + length, 0)
  }

  put(): never {
    throw new Error('these records are read only')
  }

  delete(): never {
    throw new Error('these records are read only')
  }

  batch(): never {
    throw new Error('these records are read only')
  }

  batchLater(): never {
    throw new Error('these records are read only')
  }

  settle(): void {}

  setAside(_key: string, reason: string): never {
    throw new UnreadableRecord(reason)
  }

  close(): void {}
}
