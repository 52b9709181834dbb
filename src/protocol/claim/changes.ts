/**
 * Changes of a claim's keys: rotation, recovery and transfer are one act. The claim, its age, its lease and its check code
 * stay. A change key is known by its hash alone until it is used (pre-rotation, as in KERI).
 */
import { concatBytes, equalBytes, lp, sha256 } from '../encoding/bytes.ts'
import { type CborValue, bytesField, fieldsOf } from '../encoding/cbor.ts'
import { domain } from '../crypto/domain.ts'
import { verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError } from '../errors.ts'

/** A record with more would not fit `vdf_proof` beside 64 links. */
export const MAX_CHANGES = 16

/** What a change says, and what its signatures cover. The new owner knows all of it before the change key is revealed. */
export interface ChangeTerms {
  /** The signing key from now on, 32 bytes. */
  readonly pubkey: Uint8Array
  /** `nextHash` of the change key after this one, 32 bytes. */
  readonly next: Uint8Array
  /** Whether the signing key before this change signs it too. */
  readonly consented: boolean
}

export interface Change extends ChangeTerms {
  /** The revealed change key, 32 bytes; absent where the claim named none: then the signing key signs alone. */
  readonly key?: Uint8Array
  /** By `key`; where there is none, by the signing key. 64 bytes. */
  readonly signature: Uint8Array
  /** By the signing key before this change, where it is `consented`. */
  readonly consent?: Uint8Array
}

/** What the rules compare of a change. Its hash covers all changes before it. */
export interface ChangeMark {
  readonly hash: Uint8Array
  readonly consented: boolean
}

/** Keys of a claim, as its last change left them. `next` is absent while the claim has none. */
interface ClaimKeys {
  readonly pubkey: Uint8Array
  readonly next?: Uint8Array | undefined
}

/** Which change this is: of which claim, and after which other one. */
export interface ChangePlace {
  readonly name: string
  readonly claimId: Uint8Array
  /** Hash of the change before; absent for the first. */
  readonly before?: Uint8Array | undefined
}

const NONE = new Uint8Array(32)

/** `H(domain(next-key) ‖ change key)`. */
export function nextHash(changeKey: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return sha256(domain('next-key', profileHash), changeKey)
}

/**
 * What the change key and the signing key before sign:
 * `domain(change) ‖ lp(name) ‖ claim id ‖ hash of the change before, or zeros ‖ pubkey ‖ next ‖ u8(consented)`. The change
 * key need not be in it: the `next` before names it.
 */
export function changeMessage(
  { name, claimId, before = NONE }: ChangePlace,
  { pubkey, next, consented }: ChangeTerms,
  profileHash: Uint8Array
): Uint8Array {
  const flag = Uint8Array.of(consented ? 1 : 0)
  return concatBytes(domain('change', profileHash), lp(name), claimId, before, pubkey, next, flag)
}

/** Marks of all changes, in order. Verifies nothing. */
export function marksOf(
  name: string,
  claimId: Uint8Array,
  changes: readonly Change[],
  profileHash: Uint8Array
): readonly ChangeMark[] {
  const marks: ChangeMark[] = []
  for (const change of changes) {
    const before = marks.at(-1)?.hash
    marks.push({
      hash: sha256(changeMessage({ name, claimId, before }, change, profileHash)),
      consented: change.consented
    })
  }
  return marks
}

/** Why these changes do not lead from the first keys of a claim to `pubkey`; undefined where they do. */
export function problemOfChanges(
  first: ClaimKeys,
  pubkey: Uint8Array,
  changes: readonly Change[],
  { name, claimId, profileHash }: { name: string; claimId: Uint8Array; profileHash: Uint8Array }
): string | undefined {
  const marks = marksOf(name, claimId, changes, profileHash)
  let keys = first
  for (const [index, change] of changes.entries()) {
    const message = changeMessage({ name, claimId, before: marks[index - 1]?.hash }, change, profileHash)
    const problem = problemOfChange(keys, change, message, profileHash)
    if (problem !== undefined) return `change ${index + 1} of ${changes.length}: ${problem}`
    keys = change
  }
  return equalBytes(keys.pubkey, pubkey) ? undefined : 'pubkey: not the key that the last change names'
}

function problemOfChange(
  before: ClaimKeys,
  change: Change,
  message: Uint8Array,
  profileHash: Uint8Array
): string | undefined {
  const { key, signature, consent } = change
  if (key === undefined) {
    if (before.next !== undefined) return 'only the change key, which it lacks, changes these keys'
    return verifyStrict(signature, message, before.pubkey) ? undefined : "the signing key's signature does not verify"
  }
  if (before.next === undefined) return 'the claim names no change key'
  if (!equalBytes(nextHash(key, profileHash), before.next)) return 'its change key is not the one named before'
  if (!verifyStrict(signature, message, key)) return "the change key's signature does not verify"
  if (consent !== undefined && !verifyStrict(consent, message, before.pubkey))
    return 'the signature of the signing key before does not verify'
  return undefined
}

/** How the changes of two records of one claim relate; a number: they part at that index. */
type ChangesRelation = 'same' | 'longer' | 'shorter' | number

/** `offered` compared with `held`. */
export function relateChanges(
  held: readonly Pick<ChangeMark, 'hash'>[],
  offered: readonly Pick<ChangeMark, 'hash'>[]
): ChangesRelation {
  const common = Math.min(held.length, offered.length)
  for (let index = 0; index < common; index++) if (!equalBytes(held[index]!.hash, offered[index]!.hash)) return index
  return held.length === offered.length ? 'same' : offered.length > held.length ? 'longer' : 'shorter'
}

/* As CBOR, in `vdf_proof`. */

export function changeValue({ key, pubkey, next, signature, consent }: Change): CborValue {
  return { ...(key && { key }), pubkey, next, signature, ...(consent && { consent }) }
}

/** Throws EncodingError. */
export function changeOf(value: CborValue | undefined): Change {
  const fields = fieldsOf(value, ['pubkey', 'next', 'signature'], ['key', 'consent'])
  const has = (member: string): boolean => Object.hasOwn(fields, member)
  if (has('consent') && !has('key')) throw new EncodingError('consent: the signing key signs once')
  return {
    ...(has('key') && { key: bytesField(fields, 'key', 32) }),
    pubkey: bytesField(fields, 'pubkey', 32),
    next: nextField(fields),
    consented: has('consent'),
    signature: bytesField(fields, 'signature', 64),
    ...(has('consent') && { consent: bytesField(fields, 'consent', 64) })
  }
}

/** Throws EncodingError. Zeros are how C says that there is none, so no record may carry them. */
export function nextField(fields: ReturnType<typeof fieldsOf>): Uint8Array {
  const next = bytesField(fields, 'next', 32)
  if (equalBytes(next, NONE)) throw new EncodingError('next: absent, not zeros, where no change key is named')
  return next
}
