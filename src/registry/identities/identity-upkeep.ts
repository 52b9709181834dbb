import { parseDid } from '../../protocol/identity/did.ts'
import { lastPart, prefixes } from '../../store/keys.ts'
import type { RegistryContext } from '../context.ts'
import { renewStamp } from './stamped.ts'

/** Stamps last weeks, and a quarter of an hour in tests. */
const LOOK_EVERY_MS = 60_000

/**
 * Renews the stamps of this daemon's identities in time. Without one, peers drop a document that no name carries after
 * `document_refresh` rounds (docs/protocol/rules.md, 12).
 */
export class IdentityUpkeep {
  readonly #context: RegistryContext
  #stop: (() => void) | undefined
  #looking: Promise<void> | undefined
  #isStopped = false

  constructor(context: RegistryContext) {
    this.#context = context
  }

  start(): void {
    this.#stop = this.#context.clock.every(LOOK_EVERY_MS, () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stop?.()
    await this.#looking
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    for (const did of this.#dids()) {
      if (this.#isStopped) return
      try {
        await renewStamp(this.#context, parseDid(did, this.#context.profile))
      } catch (error) {
        this.#context.log.info(
          { did, reason: (error as Error).message },
          'an identity with a new stamp has not reached enough peers; it is sent again by itself'
        )
      }
    }
  }

  #dids(): readonly string[] {
    try {
      return [...this.#context.store.keys(prefixes.ownIdentities)].map(lastPart)
    } catch (error) {
      this.#context.log.warn(
        { err: error },
        'the identities of this daemon could not be read; the next look tries again'
      )
      return []
    }
  }
}
