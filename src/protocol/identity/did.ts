/** DIDs of a network, and the multibase encodings that identity documents use. */
import { base58btc } from 'multiformats/bases/base58'
import { concatBytes, sha256 } from '../encoding/bytes.ts'
import { isAcceptablePublicKey } from '../crypto/ed25519.ts'
import { EncodingError, messageOf } from '../errors.ts'
import type { NetworkProfile } from '../profile/profile.ts'

/** `did:<method>:z...`: the hash of an identity's genesis document. */
export type Did = `did:${string}:z${string}`

/** Multihash head of a sha2-256 digest: code 0x12, 32 bytes. */
const SHA2_256_HEAD = Uint8Array.of(0x12, 0x20)
/** Multicodec ed25519-pub (0xed) as a varint: what Multikey puts before a public key. */
const ED25519_PUB_HEAD = Uint8Array.of(0xed, 0x01)

/** Longest base58btc text accepted: decoding takes quadratic time. 64 bytes need 89 characters. */
const MAX_MULTIBASE_CHARACTERS = 100

/** base58btc with its multibase prefix `z`. */
export function encodeMultibase(bytes: Uint8Array): string {
  return base58btc.encode(bytes)
}

/** Throws EncodingError for anything but the one encoding of at most 64 bytes. */
export function decodeMultibase(text: string): Uint8Array {
  if (text.length > MAX_MULTIBASE_CHARACTERS) throw new EncodingError('multibase text is too long')
  let bytes: Uint8Array
  try {
    bytes = base58btc.decode(text)
  } catch (error) {
    throw new EncodingError(`not base58btc multibase: ${messageOf(error)}`, { cause: error })
  }
  if (base58btc.encode(bytes) !== text) throw new EncodingError('not the canonical base58btc multibase')
  return bytes
}

/** The DID of a genesis document, from its bytes without `id` and `proof` and with relative ids. */
export function didOfGenesis(genesis: Uint8Array, profile: NetworkProfile): Did {
  return `did:${profile.did_method}:${encodeMultibase(concatBytes(SHA2_256_HEAD, sha256(genesis))) as `z${string}`}`
}

/** Checks a DID of this network. Throws EncodingError. */
export function parseDid(text: string, profile: NetworkProfile): Did {
  const prefix = `did:${profile.did_method}:`
  if (!text.startsWith(prefix)) throw new EncodingError(`a DID of network ${profile.id} begins with ${prefix}`)
  const multihash = decodeMultibase(text.slice(prefix.length))
  if (multihash.length !== 34 || multihash[0] !== SHA2_256_HEAD[0] || multihash[1] !== SHA2_256_HEAD[1]) {
    throw new EncodingError('the identifier of a DID is a sha2-256 multihash')
  }
  return text as Did
}

/** A public key as Multikey writes it: `z6Mk...`. */
export function encodeMultikey(publicKey: Uint8Array): string {
  return encodeMultibase(concatBytes(ED25519_PUB_HEAD, publicKey))
}

/** The Ed25519 public key of a Multikey text, not of small order. Throws EncodingError. */
export function decodeMultikey(text: string): Uint8Array {
  const bytes = decodeMultibase(text)
  const publicKey = bytes.subarray(2)
  if (bytes[0] !== ED25519_PUB_HEAD[0] || bytes[1] !== ED25519_PUB_HEAD[1] || !isAcceptablePublicKey(publicKey)) {
    throw new EncodingError('not the Multikey of an Ed25519 public key')
  }
  return publicKey
}
