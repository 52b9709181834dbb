/**
 * The sealed list of its owner's names and identities that releases before this one put into the zone of one name
 * (docs/protocol/wire.md, 14). It is only read: the words and that name still lead to all others.
 */
import nacl from 'tweetnacl'
import { decodeCanonical } from '../encoding/cbor.ts'
import { ProtocolError } from '../errors.ts'
import { parseDid, type Did } from '../identity/did.ts'
import { parseName, type Name } from '../name/names.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/** Bytes of a sealed list. Three sizes, so that peers do not learn how many names somebody has. */
const NAME_LIST_SIZES: readonly number[] = [512, 2_048, 8_192]

const VERSION = 1
const HEADER_BYTES = 1 + nacl.secretbox.nonceLength
const LENGTH_BYTES = 4

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
