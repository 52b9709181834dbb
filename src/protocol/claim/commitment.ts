/**
 * Commitments, which claim a name without revealing it, and the receipts that peers sign for them. A receipt is evidence
 * for people; the only rule that reads it chooses p.
 */
import { lp, sha256, concatBytes, fromHex, u64be } from '../encoding/bytes.ts'
import { domain } from '../crypto/domain.ts'
import { decodeCanonical, encodeCbor, bytesField, fieldsOf, integerField } from '../encoding/cbor.ts'
import { sign, verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError } from '../errors.ts'
import type { NetworkProfile } from '../profile/profile.ts'

export const COMMITMENT_BYTES = 32

/** Random for each attempt, so that the name cannot be found by guessing. */
export const SALT_BYTES = 32

const NO_NEXT = new Uint8Array(32)

/**
 * C = `H(domain(commitment) ‖ lp(name) ‖ pubkey(32) ‖ next(32) ‖ salt(32))`.
 *
 * @param next hash of the first change key (changes.ts); zeros where the claim names none
 */
export function commitmentHash(
  name: string,
  publicKey: Uint8Array,
  salt: Uint8Array,
  profileHash: Uint8Array,
  next: Uint8Array = NO_NEXT
): Uint8Array {
  return sha256(domain('commitment', profileHash), lp(name), publicKey, next, salt)
}

export interface Receipt {
  /** C, 32 bytes. */
  commitment: Uint8Array
  /** s: the round in which the peer first saw C. */
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
export function receiptMessage(
  commitment: Uint8Array,
  seen: number,
  peer: Uint8Array,
  profileHash: Uint8Array
): Uint8Array {
  return concatBytes(domain('receipt', profileHash), commitment, u64be(seen), lp(peer))
}

function peerIdOf(publicKey: Uint8Array): Uint8Array {
  return concatBytes(ED25519_PEER_ID_PREFIX, publicKey)
}

export function signReceipt(
  commitment: Uint8Array,
  seen: number,
  node: { publicKey: Uint8Array; secretKey: Uint8Array },
  profileHash: Uint8Array
): Receipt {
  const peer = peerIdOf(node.publicKey)
  return {
    commitment,
    seen,
    peer,
    signature: sign(receiptMessage(commitment, seen, peer, profileHash), node.secretKey)
  }
}

/** Whether the named peer signed the receipt. All peers of this network have Ed25519 keys. */
export function verifyReceipt(receipt: Receipt, profileHash: Uint8Array): boolean {
  const { commitment, seen, peer, signature } = receipt
  if (peer.length !== PEER_ID_BYTES || !ED25519_PEER_ID_PREFIX.every((byte, index) => peer[index] === byte))
    return false
  return verifyStrict(
    signature,
    receiptMessage(commitment, seen, peer, profileHash),
    peer.subarray(ED25519_PEER_ID_PREFIX.length)
  )
}

/** Deterministic CBOR: {commitment, seen, peer, signature}. */
export function encodeReceipt({ commitment, seen, peer, signature }: Receipt): Uint8Array {
  return encodeCbor({ commitment, seen, peer, signature })
}

/** Throws EncodingError. Does not verify the signature. */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  const fields = fieldsOf(decodeCanonical(bytes, BOUNDS), ['commitment', 'peer', 'seen', 'signature'])
  const peer = bytesField(fields, 'peer')
  if (peer.length > 128) throw new EncodingError('peer: a peer id has at most 128 bytes')
  return {
    commitment: bytesField(fields, 'commitment', 32),
    seen: integerField(fields, 'seen'),
    peer,
    signature: bytesField(fields, 'signature', 64)
  }
}

/** What an owner knows once its commitment is answered, in rounds. */
export interface Committed {
  /** v when it was sent. */
  readonly sentRound: number
  /** `ProtocolTime.now` */
  readonly now: number
}

/**
 * p, the round whose pulse seeds a first claim: `min_commit` after the latest s. So it is above every counted s, and no
 * witness may ask for more. After slow answers its pulse may be known already: an earlier p is better. Undefined until
 * more than half of those asked saw C in time: not before it was sent, not after now, within the slack for clocks [one
 * lying receipt].
 *
 * @param seen s of each verified receipt, one a peer
 */
export function claimRound(
  seen: readonly number[],
  asked: number,
  { sentRound, now }: Committed,
  profile: NetworkProfile
): { timely: number; round: number | undefined } {
  const timely = seen.filter(
    (round) => round >= sentRound - profile.receipt_slack && round <= now + profile.receipt_slack
  )
  const isEnough = timely.length * 2 > asked
  return { timely: timely.length, round: isEnough ? Math.max(...timely) + profile.min_commit : undefined }
}
