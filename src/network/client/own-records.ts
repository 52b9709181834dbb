/** This daemon's own records. They are stored and republished even if every holder loses them. */
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import { leaseState } from '../../protocol/time.ts'
import { decodeManifestRecord } from '../../protocol/identity/manifest.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { RecordKind } from '../../protocol/neighbourhood/key-space.ts'
import { checkCodeOf, codedId } from '../../protocol/claim/check-code.ts'
import { decodeReveal } from '../../protocol/claim/reveal.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import type { RoundClock } from '../../time/clock.ts'

export interface OwnRecord {
  readonly kind: RecordKind
  /** The name or DID. */
  readonly id: string
  readonly bytes: Uint8Array
}

export interface OwnRecordParts {
  readonly store: Store
  readonly clock: RoundClock
  readonly profile: NetworkProfile
}

/** A Reveal is stored once, for both of its places. */
export function rememberOwnRecord(store: Store, { kind, id, bytes }: OwnRecord): void {
  if (kind !== 'coded') store.put(keys.ownRecord(kind, id), bytes)
}

export function ownRecord(store: Store, kind: RecordKind, id: string): Uint8Array | undefined {
  return kind === 'coded' ? store.get(keys.ownRecord('reveal', nameOfCoded(id))) : store.get(keys.ownRecord(kind, id))
}

/** A Reveal for the place of its check code. Throws EncodingError. */
export function codedRecord({ id, bytes }: OwnRecord, profile: NetworkProfile): OwnRecord {
  return { kind: 'coded', id: codedId(id, checkCodeOf(decodeReveal(bytes), profile)), bytes }
}

function nameOfCoded(id: string): string {
  return id.slice(0, id.indexOf(' '))
}

export function forgetOwnRecord(store: Store, kind: RecordKind, id: string): void {
  if (kind !== 'coded') store.delete(keys.ownRecord(kind, id))
}

export function* ownRecords(store: Store): IterableIterator<OwnRecord> {
  for (const kind of ['reveal', 'kid', 'manifest'] as const) {
    for (const key of store.keys(prefixes.ownRecordsOf(kind))) {
      const bytes = store.get(key)
      if (bytes !== undefined) yield { kind, id: lastPart(key), bytes }
    }
  }
}

/**
 * Whether peers still accept it: before the end of lease and grace, or of validity. Sets unreadable records aside.
 * Throws StoreError.
 */
export function isStillAccepted(record: OwnRecord, { store, clock, profile }: OwnRecordParts): boolean {
  return (
    readOrSetAside(
      store,
      record.kind === 'coded'
        ? keys.ownRecord('reveal', nameOfCoded(record.id))
        : keys.ownRecord(record.kind, record.id),
      record.bytes,
      () => !isOver(record, clock, profile)
    ) ?? false
  )
}

function isOver({ kind, bytes }: OwnRecord, clock: RoundClock, profile: NetworkProfile): boolean {
  switch (kind) {
    case 'reveal':
    case 'coded':
      return leaseState(decodeReveal(bytes).drand_pulse, clock.time().lapse, profile).state === 'dead'
    case 'kid':
      decodeIdentityEnvelope(bytes, profile)
      return false
    case 'manifest': {
      const { validUntil } = decodeManifestRecord(bytes, profile)
      // By the clock, but only while pulses prove that it is not ahead.
      return clock.time().fresh && Date.parse(validUntil) < clock.nowMs()
    }
  }
}
