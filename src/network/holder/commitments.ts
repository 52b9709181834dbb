/** Commitments seen: who was first is decided by when we saw them, so nothing may change that moment afterwards. */
import { toHex } from '../../protocol/bytes.ts'
import { decodeCanonical, encodeCbor } from '../../protocol/cbor.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import { bytesField, fieldsOf, integerField, textField } from '../../protocol/record-fields.ts'
import { stampHolds, stampWork } from '../../protocol/stamp.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import type { Store } from '../../store/types.ts'
import type { RoundClock } from '../clock.ts'

export interface CommitmentLimits {
  /** Commitments kept in all; about 200 bytes each on disk and in memory. */
  readonly total: number
  /** Of one address prefix; counts only in networks that limit prefixes. */
  readonly perPrefix: number
}

export const DEFAULT_COMMITMENT_LIMITS: CommitmentLimits = { total: 65_536, perPrefix: 1_024 }

/** The last sight is written again only when it is older than this part of `commit_keep`: re-sending is frequent, disks are slow. */
const REWRITE_PART = 8

const BOUNDS = { maxBytes: 512, maxDepth: 1 }

interface Kept {
  /** s: the round of the first sight. */
  readonly seen: number
  /** The verified round of the last sight. */
  readonly last: number
  readonly nonce: Uint8Array
  readonly prefix: string
}

export type Received = { readonly seen: number } | { readonly refused: 'stamp' | 'full' }

export interface Commitments {
  /** Keeps C on disk before it returns. Seeing C again changes nothing but how long it is kept [resetting the stamp]. */
  receive(commitment: Uint8Array, nonce: Uint8Array, prefix: string): Received
  /** s of a commitment. */
  seen(commitment: Uint8Array): number | undefined
  /** Drops those not re-sent within `commit_keep` verified rounds. */
  expire(): void
  readonly size: number
}

export function createCommitments(store: Store, profile: NetworkProfile, clock: RoundClock, limits: CommitmentLimits = DEFAULT_COMMITMENT_LIMITS): Commitments {
  const hash = profileHash(profile)
  const kept = new Map<string, Kept>()
  /** Prefix -> ids of C -> work of its stamp. */
  const byPrefix = new Map<string, Map<string, number>>()

  const index = (id: string, commitment: Uint8Array, value: Kept): void => {
    kept.set(id, value)
    const ofPrefix = byPrefix.get(value.prefix) ?? new Map<string, number>()
    ofPrefix.set(id, stampWork(commitment, value.nonce, hash))
    byPrefix.set(value.prefix, ofPrefix)
  }
  const drop = (id: string): void => {
    const ofPrefix = byPrefix.get(kept.get(id)!.prefix)!
    ofPrefix.delete(id)
    if (ofPrefix.size === 0) byPrefix.delete(kept.get(id)!.prefix)
    kept.delete(id)
    store.delete(keys.commitment(Buffer.from(id, 'hex')))
  }

  /** Makes room for a commitment of that prefix and work; false when it is the one to go. */
  const makeRoom = (prefix: string, work: number): boolean => {
    const ownPrefix = byPrefix.get(prefix)
    const prefixFull = profile.answers_per_prefix > 0 && (ownPrefix?.size ?? 0) >= limits.perPrefix
    if (!prefixFull && kept.size < limits.total) return true
    const [fullest, ofPrefix] = prefixFull ? [prefix, ownPrefix!] : fullestOf(byPrefix)
    const [least, leastWork] = [...ofPrefix].reduce((low, each) => (each[1] < low[1] ? each : low))
    // Equal work gives way to nobody: what came first stays.
    if (fullest === prefix && work <= leastWork) return false
    drop(least)
    return true
  }

  for (const [storeKey, bytes] of store.list(prefixes.commitments)) {
    const id = lastPart(storeKey)
    index(id, Buffer.from(id, 'hex'), decodeKept(bytes))
  }

  return {
    receive(commitment, nonce, prefix) {
      if (!stampHolds(commitment, nonce, profile.stamp_bits, hash)) return { refused: 'stamp' }
      const id = toHex(commitment)
      const { now, verified } = clock.time()
      const known = kept.get(id)
      if (known !== undefined) {
        if (verified - known.last > profile.commit_keep / REWRITE_PART) {
          const renewed = { ...known, last: verified }
          store.put(keys.commitment(commitment), encodeKept(renewed))
          kept.set(id, renewed)
        }
        return { seen: known.seen }
      }
      if (!makeRoom(prefix, stampWork(commitment, nonce, hash))) return { refused: 'full' }
      const value = { seen: now, last: verified, nonce, prefix }
      store.put(keys.commitment(commitment), encodeKept(value))
      index(id, commitment, value)
      return { seen: now }
    },
    seen: (commitment) => kept.get(toHex(commitment))?.seen,
    expire() {
      const { verified, fresh } = clock.time()
      if (!fresh) return
      for (const [id, { last }] of kept) {
        if (verified - last > profile.commit_keep) drop(id)
      }
    },
    get size() {
      return kept.size
    }
  }
}

function fullestOf(byPrefix: ReadonlyMap<string, Map<string, number>>): [string, Map<string, number>] {
  return [...byPrefix].reduce((fullest, each) => (each[1].size > fullest[1].size ? each : fullest))
}

function encodeKept({ seen, last, nonce, prefix }: Kept): Uint8Array {
  return encodeCbor({ seen, last, nonce, prefix })
}

function decodeKept(bytes: Uint8Array): Kept {
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), ['seen', 'last', 'nonce', 'prefix'])
  return { seen: integerField(fields, 'seen'), last: integerField(fields, 'last'), nonce: bytesField(fields, 'nonce'), prefix: textField(fields, 'prefix') }
}
