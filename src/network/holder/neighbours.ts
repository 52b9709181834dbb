/** Asks those who should hold a name as well what they hold. */
import { equalBytes, sha256, toHex } from '../../protocol/bytes.ts'
import type { Claim } from '../../protocol/claim.ts'
import type { EntryState } from '../../protocol/entry.ts'
import type { NeighbourAnswer } from '../../protocol/neighbours.ts'
import { decodeReveal } from '../../protocol/reveal.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { AskError } from '../protocol/ask.ts'
import type { Peer, Peers } from '../peers.ts'
import type { Verifier } from '../verifier.ts'

/** A neighbour's answer with the record it sent along. */
export interface NeighbourRecord extends NeighbourAnswer {
  readonly from: Peer
  readonly entry?: { readonly claimId: Uint8Array; readonly state: EntryState }
  readonly record?: Uint8Array
}

export interface Neighbours {
  /** Closest first. */
  readonly answers: readonly NeighbourRecord[]
  /** Diverse ones that are known, whether they answered or not. */
  readonly known: number
}

const NOBODY: Neighbours = { answers: [], known: 0 }

/** Asks the k closest to a key that are known here what they hold under it. Those that do not answer are left out. */
export async function askNeighbours(peers: Peers | undefined, key: Uint8Array): Promise<Neighbours> {
  if (peers === undefined) return NOBODY
  const answers = await askThem(peers, peers.nearest(key), key)
  // Looked at again, since whoever cannot be reached is known no longer.
  return { answers, known: peers.diverse(peers.nearest(key)).length }
}

/** As `askNeighbours`, for a name of another neighbourhood: those closest to H(preimage) are looked up. */
export async function askElsewhere(peers: Peers | undefined, preimage: Uint8Array): Promise<Neighbours> {
  if (peers === undefined) return NOBODY
  const closest = await peers.closest(preimage)
  return { answers: await askThem(peers, closest, sha256(preimage)), known: peers.diverse(closest).length }
}

async function askThem(peers: Peers, asked: readonly Peer[], key: Uint8Array): Promise<NeighbourRecord[]> {
  const answers = await Promise.all(asked.map((peer) => askOne(peers, peer, key)))
  return answers.filter((answer) => answer !== undefined)
}

async function askOne(peers: Peers, from: Peer, key: Uint8Array): Promise<NeighbourRecord | undefined> {
  const { peer, prefix } = from
  try {
    const answer = await peers.ask(from, { type: 'get', kind: 'reveal', key })
    if (answer.type === 'none') return { peer, prefix, from }
    if (answer.type !== 'entry') return undefined
    const { state, claim: claimId, record } = answer
    return { peer, prefix, from, entry: { claimId, state }, ...(record !== undefined && { record }) }
  } catch (error) {
    if (error instanceof AskError) return undefined
    throw error
  }
}

/** The Valid record of that claim which one of the neighbours has sent; undefined when none did. Whoever sent an invalid one is penalised. */
export async function recordOfClaim(
  claimId: Uint8Array,
  { answers }: Neighbours,
  peers: Peers | undefined,
  verifier: Verifier
): Promise<{ claim: Claim; record: Uint8Array } | undefined> {
  const tried = new Set<string>()
  for (const { entry, record, from } of answers) {
    if (entry === undefined || record === undefined || !equalBytes(entry.claimId, claimId)) continue
    const hash = toHex(sha256(record))
    if (tried.has(hash)) continue
    tried.add(hash)
    const problem = await claimOfRecord(record, claimId, verifier)
    if (typeof problem !== 'string') return { claim: problem, record }
    peers?.penalise(from, problem)
  }
  return undefined
}

async function claimOfRecord(record: Uint8Array, claimId: Uint8Array, verifier: Verifier): Promise<Claim | string> {
  try {
    const verdict = await verifier.validate(decodeReveal(record), { urgency: 'expected' })
    if (!verdict.ok) return `${verdict.rule}: ${verdict.detail}`
    return equalBytes(verdict.claim.id, claimId) ? verdict.claim : 'the record is of another claim than said'
  } catch (error) {
    if (error instanceof EncodingError) return error.message
    throw error
  }
}
