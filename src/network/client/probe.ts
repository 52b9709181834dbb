import { equalBytes } from '../../protocol/bytes.ts'
import { profileHash } from '../../protocol/profile.ts'
import { blindedKey, recordKey } from '../../protocol/record-key.ts'
import { randomBytes } from 'node:crypto'
import type { Peer, Peers } from '../peers.ts'
import { AskError } from '../protocol/ask.ts'
import type { ListedEntry } from '../protocol/list.ts'
import type { RevealAnswer, RevealLookup } from '../types.ts'
import { askPatiently } from './patience.ts'
import { reachable, type ClientParts } from './parts.ts'

/** Pages taken of one peer: 100,000 entries under one prefix; who sends more makes them up. */
const MAX_PAGES = 400

/**
 * Whether a name is taken, without telling which: lists what the neighbourhood holds under the blinded prefix of K(name) and compares here.
 *
 * Answers carry state and claim id, not the record. Throws OfflineError, or the signal's reason.
 */
export async function probe(parts: ClientParts, name: string, signal?: AbortSignal): Promise<RevealLookup> {
  const { peers, self } = reachable(parts)
  const key = recordKey('reveal', name, profileHash(parts.profile))
  const { peers: neighbours, bits } = await peers.neighbourhood(key, signal)
  const asked = peers.diverse(neighbours)
  // The prefix of another key that shares no more than these bits: K itself is never sent.
  const shown = blindedKey(key, bits, randomBytes(32))
  const answers = await Promise.all(asked.map((peer) => listed(peers, peer, key, shown, bits, signal)))
  const all = answers.filter((answer) => answer !== undefined)
  if (self !== undefined) {
    const own = self.entries.load(key)?.entry
    const from = { peer: parts.ownPeerId, self: true }
    all.push(own === undefined ? { ...from, state: 'none' } : { ...from, state: own.state, claimId: own.claim.id })
  }
  const silent = asked.filter((_, index) => answers[index] === undefined).map(({ peer }) => ({ peer, reason: 'no-answer' as const }))
  return { answers: all, asked: asked.length + (self === undefined ? 0 : 1), silent, networkSize: peers.networkSize() }
}

async function listed(peers: Peers, peer: Peer, key: Uint8Array, shown: Uint8Array, bits: number, signal?: AbortSignal): Promise<RevealAnswer | undefined> {
  const from = { peer: peer.peer, self: false }
  let found: ListedEntry | undefined
  let after: Uint8Array | undefined
  try {
    // All pages are taken, though the key may be on the first: where the asking stops would tell where it lies.
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await askPatiently(peers, peer, { type: 'list', key: shown, bits, ...(after !== undefined && { after }) }, signal)
      if (answer.type !== 'listed') return undefined
      found ??= answer.entries.find((entry) => equalBytes(entry.key, key))
      if (!answer.more) break
      after = answer.entries.at(-1)!.key
    }
  } catch (error) {
    if (error instanceof AskError) return undefined
    throw error
  }
  return found === undefined ? { ...from, state: 'none' } : { ...from, state: found.state, claimId: found.claim }
}
