/** Resends this daemon's records one at a time, unless they are withdrawn meanwhile. */
import type { Store } from '../../store/types.ts'
import { ownRecord, type OwnRecord } from './own-records.ts'
import type { ClientParts } from './reachable.ts'
import { refresh } from './refresh.ts'

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
