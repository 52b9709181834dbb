import { profileHash } from '../../protocol/profile.ts'
import { recordKey, recordKeyPreimage } from '../../protocol/record-key.ts'
import { toHex } from '../../protocol/bytes.ts'
import { enough } from '../enough.ts'
import type { Peer } from '../peers.ts'
import { AskError } from '../protocol/ask.ts'
import { reachable, type ClientParts } from './parts.ts'

export interface FoundDocuments {
  /** Distinct, our own store's first. They are not verified. */
  readonly records: Uint8Array[]
  /** More than half of those asked have answered. */
  readonly isAnswered: boolean
}

/** The records that the peers closest to a DID hold. Throws OfflineError, or the signal's reason. */
export async function getDocuments(parts: ClientParts, kind: 'kid' | 'manifest', did: string, signal?: AbortSignal): Promise<FoundDocuments> {
  const { peers, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const key = recordKey(kind, did, hash)
  const distinct = new Map<string, Uint8Array>()
  const own = self?.documents.get(kind, key)
  if (own !== undefined) distinct.set(toHex(own), own)
  const closest = await peers.closest(recordKeyPreimage(kind, did, hash), signal)
  const askOne = async (peer: Peer): Promise<boolean> => {
    try {
      const answer = await peers.ask(peer, { type: 'get', kind, key }, signal)
      if (answer.type === 'document') distinct.set(toHex(answer.record), answer.record)
      return answer.type === 'document' || answer.type === 'none'
    } catch (error) {
      if (!(error instanceof AskError)) throw error
      return false
    }
  }
  const isMajority = (answered: readonly (boolean | undefined)[]): boolean => answered.filter(Boolean).length * 2 > closest.length
  const isAnswered = isMajority(await enough(closest.map(askOne), isMajority))
  return { records: [...distinct.values()], isAnswered }
}
