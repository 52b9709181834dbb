/**
 * The list of its owner's names and identities that the zone of one name may carry, sealed (docs/protocol/wire.md, 14).
 * The words and that name then lead to all others.
 */
import nacl from 'tweetnacl'
import { concatBytes, lp } from '../encoding/bytes.ts'
import { decodeCanonical, encodeCbor } from '../encoding/cbor.ts'
import { ProtocolError } from '../errors.ts'
import { parseDid, type Did } from '../identity/did.ts'
import { parseName, type Name } from '../name/names.ts'
import type { NetworkProfile } from '../profile/profile.ts'

export const NAME_LIST_NONCE_BYTES = nacl.secretbox.nonceLength
/** Bytes of a sealed list. Three sizes, so that peers do not learn how many names somebody has. */
const NAME_LIST_SIZES: readonly number[] = [512, 2_048, 8_192]

const VERSION = 1
const HEADER_BYTES = 1 + NAME_LIST_NONCE_BYTES
const OVERHEAD_BYTES = HEADER_BYTES + nacl.secretbox.overheadLength
const LENGTH_BYTES = 4

/**
 * Undefined where the list is longer than the largest size holds: some 400 names of ten letters.
 * @param key of nameListKey, which binds the list to one name
 * @param nonce random, never used before
 */
export function sealNameList(key: Uint8Array, ids: readonly string[], nonce: Uint8Array): Uint8Array | undefined {
  const list = lp(encodeCbor(ids))
  const size = NAME_LIST_SIZES.find((each) => list.length <= each - OVERHEAD_BYTES)
  if (size === undefined) return undefined
  const padded = new Uint8Array(size - OVERHEAD_BYTES)
  padded.set(list)
  return concatBytes(Uint8Array.of(VERSION), nonce, nacl.secretbox(padded, nonce, key))
}

/**
 * The names and DIDs of a list. Undefined where the key does not open it, or its version is another. Leaves out entries
 * that are neither on this network: a later version may list more.
 */
export function openNameList(key: Uint8Array, sealed: Uint8Array, profile: NetworkProfile): (Name | Did)[] | undefined {
  if (!NAME_LIST_SIZES.includes(sealed.length) || sealed[0] !== VERSION) return undefined
  const nonce = sealed.slice(1, HEADER_BYTES)
  const padded = nacl.secretbox.open(sealed.slice(HEADER_BYTES), nonce, key)
  if (padded === null) return undefined
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  const list = padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
  const ids = orUndefined(() => decodeCanonical(list, { maxBytes: list.length, maxDepth: 1 }))
  if (!Array.isArray(ids)) return undefined
  return ids.flatMap((id: unknown) => (typeof id === 'string' ? (idOf(id, profile) ?? []) : []))
}

function idOf(text: string, profile: NetworkProfile): Name | Did | undefined {
  return orUndefined(() => (text.startsWith('did:') ? parseDid(text, profile) : parseName(text, profile)))
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}
