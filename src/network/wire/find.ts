/** `find`: the peers that a peer knows nearest to a position in the key space. `reach`: dial me at this address of mine. */
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { type CborValue, arrayField, bytesField, knownFieldsOf } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { type CommonAnswer, decodeCommonAnswer } from './answers.ts'
import { KEY_BYTES } from './records.ts'

/** Peers in one answer: bounds k of a profile. */
const MAX_FOUND = 100

/** Addresses of one peer, and bytes of each: a peer may listen on several interfaces, and a name has 63 octets. */
export const MAX_ADDRESSES = 3
const MAX_ADDRESS_BYTES = 128

/** An Ed25519 peer id: an identity multihash. */
const PEER_ID_BYTES = 38

export interface FindRequest {
  readonly type: 'find'
  /** A position in the key space; peers are at SHA-256 of their id. */
  readonly key: Uint8Array
}

export interface FoundPeer {
  readonly peer: Uint8Array
  /** Multiaddrs in binary, without the peer id. */
  readonly addresses: readonly Uint8Array[]
}

export type FindAnswer = { readonly type: 'found'; readonly peers: readonly FoundPeer[] } | CommonAnswer

export function decodeFindRequest(value: CborValue): FindRequest {
  return { type: 'find', key: bytesField(knownFieldsOf(value, ['type', 'key']), 'key', KEY_BYTES) }
}

export function decodeFindAnswer(value: CborValue, type: string): FindAnswer {
  if (type !== 'found') return decodeCommonAnswer(value, type)
  const peers = arrayField(knownFieldsOf(value, ['type', 'peers']), 'peers')
  if (peers.length > MAX_FOUND) throw new EncodingError(`peers: at most ${MAX_FOUND}`)
  return { type, peers: peers.map(decodePeer) }
}

function decodePeer(value: CborValue): FoundPeer {
  const fields = knownFieldsOf(value, ['peer', 'addresses'])
  const addresses = arrayField(fields, 'addresses').map((address) => bytesField({ address }, 'address'))
  if (addresses.length > MAX_ADDRESSES) throw new EncodingError(`addresses: at most ${MAX_ADDRESSES}`)
  if (addresses.some(({ length }) => length > MAX_ADDRESS_BYTES))
    throw new EncodingError(`address: at most ${MAX_ADDRESS_BYTES} bytes`)
  return { peer: bytesField(fields, 'peer', PEER_ID_BYTES), addresses }
}

/** The readable addresses: a peer of a later version may use unknown kinds. */
export function readableAddresses(addresses: readonly Uint8Array[]): Multiaddr[] {
  return addresses.flatMap((bytes) => {
    try {
      return [multiaddr(bytes)]
    } catch {
      return []
    }
  })
}

export interface ReachRequest {
  readonly type: 'reach'
  /** A multiaddr in binary, without the peer id. */
  readonly address: Uint8Array
}

/** Refused with `unreached` where no connection came about, with `undialled` where none was tried. */
export type ReachAnswer = { readonly type: 'reached' } | CommonAnswer

export function decodeReachRequest(value: CborValue): ReachRequest {
  const address = bytesField(knownFieldsOf(value, ['type', 'address']), 'address')
  if (address.length > MAX_ADDRESS_BYTES) throw new EncodingError(`address: at most ${MAX_ADDRESS_BYTES} bytes`)
  return { type: 'reach', address }
}

export function decodeReachAnswer(value: CborValue, type: string): ReachAnswer {
  if (type !== 'reached') return decodeCommonAnswer(value, type)
  return { type }
}
