import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { recordKeyPreimage } from '../../protocol/neighbourhood/key-space.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { Peer } from '../peers.ts'
import { answerOrUndefined } from '../wire/ask.ts'
import type { GetAnswer } from '../wire/records.ts'
import { type ClientParts, askWithRetries, distinct, nearby, reachable } from './holders.ts'
import { type OwnRecord, ownRecord } from './own-records.ts'
import type { Store } from '../../store/types.ts'

/**
 * Resends a published record to holders that report another one or none.
 * Reports are not verified: a peer that lies about holding a record can as well discard it. Throws OfflineError, or the
 * signal's reason.
 */
export async function refresh(parts: ClientParts, { kind, id, bytes }: OwnRecord, signal?: AbortSignal): Promise<void> {
  const { peers, self } = reachable(parts)
  const preimage = recordKeyPreimage(kind, id, profileHash(parts.profile))
  const [key, digest] = [sha256(preimage), sha256(bytes)]
  const holders = distinct(
    ...(await Promise.all([peers.closest(preimage, signal), nearby(peers, key, parts.profile.k, signal)]))
  )
  const see = async (peer: Peer): Promise<boolean> => {
    const answer = await answerOrUndefined(askWithRetries(peers, peer, { type: 'get', kind, key, brief: true }, signal))
    if (answer === undefined) return false
    if (isHeld(answer, digest)) return true
    signal?.throwIfAborted()
    return (
      (await answerOrUndefined(askWithRetries(peers, peer, { type: 'put', kind, record: bytes }, signal))) !== undefined
    )
  }
  await waitForEnough(holders.map(see), (seen) => seen.filter(Boolean).length * 2 > holders.length)
  signal?.throwIfAborted()
  await self?.put(kind, bytes)
}

function isHeld(answer: GetAnswer, digest: Uint8Array): boolean {
  const held = answer.type === 'entry' || answer.type === 'digest' ? answer.digest : undefined
  return held !== undefined && equalBytes(held, digest)
}

export class Republisher {
  readonly #store: Store
  readonly #client: ClientParts
  #underWay: { readonly id: string; readonly abort: AbortController } | undefined

  constructor(store: Store, client: ClientParts) {
    this.#store = store
    this.#client = client
  }

  /** Sends the stored version of the record, if it was not withdrawn since it was listed. Rejects as `refresh`. */
  async send({ kind, id }: OwnRecord): Promise<void> {
    const bytes = ownRecord(this.#store, kind, id)
    if (bytes === undefined) return
    const abort = new AbortController()
    this.#underWay = { id, abort }
    try {
      await refresh(this.#client, { kind, id, bytes }, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      this.#underWay = undefined
    }
  }

  withdraw(name: string): void {
    if (this.#underWay?.id === name || this.#underWay?.id.startsWith(`${name} `) === true) this.#underWay.abort.abort()
  }
}
