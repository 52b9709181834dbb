/** A peer's signed word that it holds a commitment since a round. Evidence for people; no rule reads it but the choice of p. */
import { concatBytes, fromHex, lp, u64be } from './bytes.ts'
import { decodeCanonical, encodeCbor } from './cbor.ts'
import { domain } from './domain.ts'
import { sign, verifyStrict } from './ed25519.ts'
import { EncodingError } from './errors.ts'
import type { NetworkProfile } from './profile.ts'
import { bytesField, fieldsOf, integerField } from './record-fields.ts'

export interface Receipt {
  /** C, 32 bytes. */
  commitment: Uint8Array
  /** s: the round at which the peer first saw C. */
  seen: number
  /** The peer id of an Ed25519 key: an identity multihash that holds the key. */
  peer: Uint8Array
  signature: Uint8Array
}

/** A libp2p peer id of an Ed25519 key is this and the raw key (libp2p specification, "Peer Ids and Keys"). */
const ED25519_PEER_ID_PREFIX = fromHex('002408011220')
const PEER_ID_BYTES = ED25519_PEER_ID_PREFIX.length + 32

const BOUNDS = { maxBytes: 512, maxDepth: 1 }

/** `domain(receipt) ‖ C ‖ s ‖ lp(peer id)`. */
export function receiptMessage(commitment: Uint8Array, seen: number, peer: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return concatBytes(domain('receipt', profileHash), commitment, u64be(seen), lp(peer))
}

/** The peer id bytes of a node's Ed25519 public key. */
export function peerIdOf(publicKey: Uint8Array): Uint8Array {
  return concatBytes(ED25519_PEER_ID_PREFIX, publicKey)
}

/** Makes the receipt of the node with that key. */
export function signReceipt(commitment: Uint8Array, seen: number, node: { publicKey: Uint8Array; secretKey: Uint8Array }, profileHash: Uint8Array): Receipt {
  const peer = peerIdOf(node.publicKey)
  return { commitment, seen, peer, signature: sign(receiptMessage(commitment, seen, peer, profileHash), node.secretKey) }
}

/** Whether the receipt is signed by the peer that it names. Peers with other keys than Ed25519 do not exist in this network. */
export function verifyReceipt(receipt: Receipt, profileHash: Uint8Array): boolean {
  const { commitment, seen, peer, signature } = receipt
  if (peer.length !== PEER_ID_BYTES || !ED25519_PEER_ID_PREFIX.every((byte, index) => peer[index] === byte)) return false
  return verifyStrict(signature, receiptMessage(commitment, seen, peer, profileHash), peer.subarray(ED25519_PEER_ID_PREFIX.length))
}

/** Deterministic CBOR: {commitment, seen, peer, signature}. */
export function encodeReceipt({ commitment, seen, peer, signature }: Receipt): Uint8Array {
  return encodeCbor({ commitment, seen, peer, signature })
}

/** Throws EncodingError. The signature is not verified. */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), ['commitment', 'peer', 'seen', 'signature'])
  const peer = bytesField(fields, 'peer')
  if (peer.length > 128) throw new EncodingError('peer: a peer id has at most 128 bytes')
  return { commitment: bytesField(fields, 'commitment', 32), seen: integerField(fields, 'seen'), peer, signature: bytesField(fields, 'signature', 64) }
}

/**
 * Whether enough peers hold the commitment for its owner to draw a pulse: more than half of those asked gave a receipt with s within
 * `receipt_slack` rounds of ours, and `witness_quorum` were asked where there are as many [one lying receipt].
 *
 * @param receipts verified, one a peer
 * @param known peers of the neighbourhood that could have been asked
 */
export function enoughReceipts(receipts: readonly Pick<Receipt, 'seen'>[], asked: number, known: number, ourRound: number, profile: NetworkProfile): boolean {
  const timely = receipts.filter(({ seen }) => Math.abs(seen - ourRound) <= profile.receipt_slack).length
  return asked >= Math.min(profile.witness_quorum, known) && timely * 2 > asked
}

/** p: the round whose pulse seeds a first claim, by our own verified round. */
export function claimRound(verified: number, profile: NetworkProfile): number {
  return verified + profile.min_commit
}
