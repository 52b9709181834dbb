import { profileHash } from '../../protocol/profile.ts'
import { recordKey, recordKeyPreimage } from '../../protocol/record-key.ts'
import { toHex } from '../../protocol/bytes.ts'
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
  let answered = 0
  await Promise.all(
    closest.map(async (peer) => {
      try {
        const answer = await peers.ask(peer, { type: 'get', kind, key }, signal)
        if (answer.type === 'document') distinct.set(toHex(answer.record), answer.record)
        if (answer.type === 'document' || answer.type === 'none') answered++
      } catch (error) {
        if (!(error instanceof AskError)) throw error
      }
    })
  )
  return { records: [...distinct.values()], isAnswered: answered * 2 > closest.length }
}
