/** Which evaluation is loaded for the farm: it takes hundreds at once, each with up to `vdf.memory_mib` in memory. */
import { Turns } from '../util/concurrency.ts'

interface Begun {
  /** Resolves once its checkpoint, and what was fetched beyond it, has left memory. Never rejects. */
  readonly taken: Promise<void>
}

/** Begins one after the other: the next once the server has all of the one before. */
export class Loads {
  readonly #turns = new Turns(1)

  /** `begin` gives undefined where it is too late for it. Rejects as `begin` does, or with the signal's reason. */
  begin<T extends Begun>(begin: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>()
    const turn = async (): Promise<void> => {
      const begun = await begin()
      // At work now, and not only once it is taken.
      resolve(begun)
      await begun?.taken
    }
    this.#turns.run(turn, signal).catch(reject)
    return promise
  }
}
