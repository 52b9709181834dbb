import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { decodeReceipt, verifyReceipt } from '../../protocol/claim/commitment.ts'
import { recordKey } from '../../protocol/neighbourhood/key-space.ts'
import { OURSELVES } from '../budget/budget.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer, Peers } from '../peers.ts'
import { AskError } from '../wire/ask.ts'
import type { CommitOutcome, VerifiedReceipt } from '../types.ts'
import { type ClientParts, askWithRetries, reachable, requireOthers } from './holders.ts'

/**
 * Sends C with its stamp to every peer that shares the blinded prefix of K(name). Returns the verified receipts of
 * diverse peers.
 * Nothing sent reveals K(name). Safe to repeat: peers keep the round at which they first saw C. Throws OfflineError, or
 * the signal's reason.
 */
export async function commit(
  parts: ClientParts,
  name: string,
  commitment: Uint8Array,
  nonce: Uint8Array,
  signal?: AbortSignal
): Promise<CommitOutcome> {
  signal?.throwIfAborted()
  const { peers, countedSelf, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const receipts: VerifiedReceipt[] = []
  // This node keeps C in any network where it stores; its receipt counts only where it is a holder.
  const own = self?.commit(commitment, nonce, OURSELVES.prefix)
  if (countedSelf !== undefined && own !== undefined && typeof own !== 'string') {
    receipts.push({ peer: parts.ownPeerId, seenRound: own.seen, signature: own.signature })
  }
  const neighbourhood = await peers.neighbourhood(recordKey('reveal', name, hash), signal)
  signal?.throwIfAborted()
  const asked = neighbourhood.peers
  requireOthers(parts, asked)
  // All keep C, only diverse peers count: otherwise silent ids of one machine block every commitment [silent ids of one
  // address].
  const of = peers.diverse(asked).length + (countedSelf === undefined ? 0 : 1)
  const received = (answers: readonly (VerifiedReceipt | undefined)[]): VerifiedReceipt[] => {
    const counted = new Set(
      peers.diverse(asked.filter((_, index) => answers[index] !== undefined)).map(({ peer }) => peer)
    )
    return answers.filter((receipt) => receipt !== undefined && counted.has(receipt.peer)) as VerifiedReceipt[]
  }
  const pending = asked.map((peer) => receiptOf(peers, peer, commitment, nonce, hash, signal))
  const answers = await waitForEnough(pending, (some) => (receipts.length + received(some).length) * 2 > of)
  receipts.push(...received(answers))
  return { receipts, of }
}

async function receiptOf(
  peers: Peers,
  peer: Peer,
  commitment: Uint8Array,
  nonce: Uint8Array,
  hash: Uint8Array,
  signal?: AbortSignal
): Promise<VerifiedReceipt | undefined> {
  try {
    const answer = await askWithRetries(peers, peer, { type: 'commit', commitment, nonce }, signal)
    if (answer.type !== 'received') return undefined
    const receipt = decodeReceipt(answer.receipt)
    const isTheirs = toHex(receipt.peer) === toHex(peer.id.toMultihash().bytes)
    if (isTheirs && equalBytes(receipt.commitment, commitment) && verifyReceipt(receipt, hash)) {
      return { peer: peer.peer, seenRound: receipt.seen, signature: receipt.signature }
    }
    peers.penalise(peer, 'a receipt that does not verify')
    return undefined
  } catch (error) {
    if (error instanceof ProtocolError) peers.penalise(peer, error.message)
    else if (!(error instanceof AskError)) throw error
    return undefined
  }
}
