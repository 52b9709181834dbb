import { profileHash } from '../../protocol/profile/profile.ts'
import { recordKey } from '../../protocol/neighbourhood/key-space.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer } from '../peers.ts'
import { answerOrUndefined } from '../wire/ask.ts'
import type { FoundDocuments } from '../types.ts'
import { type ClientParts, reachable, shouldHold } from './holders.ts'

/**
 * The records that the peers closest to a DID hold, a second after more than half of the diverse peers have answered.
 * Ids of one address count as one or two. Throws OfflineError, or the signal's reason.
 */
export async function getDocuments(
  parts: ClientParts,
  kind: 'kid' | 'manifest',
  did: string,
  signal?: AbortSignal
): Promise<FoundDocuments> {
  const { peers, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const key = recordKey(kind, did, hash)
  const closest = await shouldHold(peers, kind, did, parts.profile, signal)
  const askOne = async (peer: Peer): Promise<Uint8Array | 'none' | undefined> => {
    const answer = await answerOrUndefined(peers.ask(peer, { type: 'get', kind, key }, signal))
    return answer?.type === 'document' ? answer.record : answer?.type === 'none' ? 'none' : undefined
  }
  /** A peer's prefix is certain only once it has answered. */
  const diverseOf = (answers: readonly (Uint8Array | 'none' | undefined)[]): readonly Peer[] =>
    peers.diverse(closest.filter((_, index) => answers[index] !== undefined))
  const isMajority = (answers: readonly (Uint8Array | 'none' | undefined)[]): boolean =>
    diverseOf(answers).length * 2 > peers.diverse(closest).length
  const answers = await waitForEnough<Uint8Array | 'none' | undefined>(closest.map(askOne), isMajority)

  const counted = new Set(diverseOf(answers))
  const shown = new Map<string, { record: Uint8Array; by: number }>()
  const show = (record: Uint8Array, votes: number): void => {
    const id = toHex(record)
    shown.set(id, { record, by: (shown.get(id)?.by ?? 0) + votes })
  }
  const own = self?.documents.get(kind, key)
  if (own !== undefined) show(own, 1)
  for (const [index, answer] of answers.entries())
    if (answer instanceof Uint8Array) show(answer, counted.has(closest[index]!) ? 1 : 0)
  const found = [...shown.values()]
  return {
    records: found.map(({ record }) => record),
    shownBy: found.map(({ by }) => by),
    isAnswered: isMajority(answers)
  }
}
