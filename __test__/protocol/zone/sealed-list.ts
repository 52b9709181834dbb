/** Lists of names as releases up to 88cfa41c sealed and published them (docs/protocol/wire.md, 14). */
import nacl from 'tweetnacl'
import { concatBytes, lp, toBase64 } from '../../../src/protocol/encoding/bytes.ts'
import { encodeCbor } from '../../../src/protocol/encoding/cbor.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'

const NONCE = new Uint8Array(nacl.secretbox.nonceLength).fill(2)
/** Version, nonce and tag. */
const OVERHEAD_BYTES = 1 + nacl.secretbox.nonceLength + nacl.secretbox.overheadLength

/** Sealed as a list is, whatever is in it. */
export function sealPadded(key: Uint8Array, plaintext: Uint8Array, size: number): Uint8Array {
  const padded = new Uint8Array(size - OVERHEAD_BYTES)
  padded.set(plaintext)
  return concatBytes(Uint8Array.of(1), NONCE, nacl.secretbox(padded, NONCE, key))
}

export const sealedList = (key: Uint8Array, ids: readonly string[], size = 512): Uint8Array =>
  sealPadded(key, lp(encodeCbor(ids)), size)

/** The payload of an empty zone that carries a list. */
export const payloadWithList = (serial: number, sealed: Uint8Array): Uint8Array =>
  canonicalJsonBytes({ records: {}, sealed: toBase64(sealed), serial })
