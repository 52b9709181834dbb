/** Where squarings are done: on threads of this machine, and on a farm. */
import { Turns } from '../util/concurrency.ts'
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationProgress,
  EvaluationTerms
} from '../native/types.ts'

/** `left`: the place gives it up, and another goes on from the newest checkpoint. */
export type PlaceOutcome =
  EvaluationOutcome | { readonly kind: 'left'; readonly reason: string; readonly isWrong: boolean }

export interface PlaceProgress extends EvaluationProgress {
  /** On a farm: who has it, null while it waits for a worker. Undefined on this machine. */
  readonly worker?: string | null
}

export interface PlaceHandle extends Omit<EvaluationHandle, 'outcome' | 'progress' | 'stop'> {
  progress(): PlaceProgress
  /** With `discard`, what it has reached since the last checkpoint is of no use. */
  stop(discard?: boolean): void
  /** Never rejects. */
  outcome: Promise<PlaceOutcome>
  /** Until then it has in memory what it resumes from, and what is fetched of what lies beyond. Never rejects. */
  readonly taken?: Promise<void>
}

/** A place that evaluates, as the pool does. */
export interface Place {
  evaluate(evaluation: Evaluation, terms: EvaluationTerms, onCheckpoint: (checkpoint: Checkpoint) => void): PlaceHandle
}

/** What an evaluation resumes from, up to `vdf.memory_mib`, and where it is saved. */
export interface Loaded {
  readonly terms: EvaluationTerms
  readonly onCheckpoint: (checkpoint: Checkpoint) => void
}

/** Where its owner has moved an evaluation; null leaves it to the places. */
export type MovedTo = 'local' | 'farm' | null

/** A place on other machines. */
export interface FarmPlace extends Place {
  /** Whether one of its workers was heard lately, or may yet be. */
  isThere(): boolean
  /** How many evaluations it takes at once: those that its workers have of this daemon, and one for each idle thread. */
  room(): number
  /** Whether a worker says that it has this one; it may be from before this daemon began. */
  isAtWork(evaluation: Evaluation): boolean
  /** Whether it may have this one: not after wrong proofs. */
  accepts(evaluation: Evaluation): boolean
  /** Whether it has a state or a proof of this one from before. */
  holds(evaluation: Evaluation): Promise<boolean>
  /** Nobody needs this one any more: its proof is journaled, or it was cancelled. */
  forget(evaluation: Evaluation): void
  /** False while what it was told to forget may still be there. */
  hasForgotten(evaluation: Evaluation): boolean
}

/** This machine's slots first, then the farm's. */
export class Places {
  readonly #pool: Place
  readonly #farm: FarmPlace | undefined
  readonly #slots: () => number
  readonly #kept: () => number
  readonly #loads = new Turns(1)
  #here = 0
  #away = 0

  /** `kept`: how many of the slots wait for evaluations that {@link staysHere}. */
  constructor(pool: Place, farm: FarmPlace | undefined, slots: () => number, kept: () => number = () => 0) {
    this.#pool = pool
    this.#farm = farm
    this.#slots = slots
    this.#kept = kept
  }

  /** How many evaluations may run at once, where `sent` of them {@link isSent}, beside those. */
  room(sent = 0): number {
    return this.#slots() + Math.max(0, (this.#farm?.room() ?? 0) - sent)
  }

  /** Whether it needs a slot of this machine: the farm may not have it, or its owner wants it here. */
  staysHere(evaluation: Evaluation | undefined, movedTo: MovedTo = null): boolean {
    if (this.#farm === undefined) return false
    return movedTo === 'local' || (evaluation !== undefined && !this.#farm.accepts(evaluation))
  }

  /** Whether its owner has sent it to the farm, where it waits for a worker. It takes no slot. */
  isSent(evaluation: Evaluation, movedTo: MovedTo): boolean {
    return movedTo === 'farm' && this.whyNotSent(evaluation) === undefined
  }

  /** Whether the farm has gone on with it without this daemon. */
  isAtWork(evaluation: Evaluation, movedTo: MovedTo): boolean {
    return !this.staysHere(evaluation, movedTo) && this.#farm?.isAtWork(evaluation) === true
  }

  /** Why the farm does not take it now; undefined where it does. */
  whyNotSent(evaluation: Evaluation | undefined): string | undefined {
    if (this.#farm === undefined) return 'vdf.farm names none.'
    if (evaluation !== undefined && !this.#farm.accepts(evaluation))
      return 'It has failed there twice, or no worker took it.'
    return this.#farm.isThere() ? undefined : 'None of its workers can be reached.'
  }

  /**
   * Undefined where no place has room now. `load` is called once there is; for a farm, which takes hundreds at once, one
   * after the other.
   */
  async evaluate(
    evaluation: Evaluation,
    load: () => Promise<Loaded>,
    { movedTo = () => null, signal }: { movedTo?: () => MovedTo; signal?: AbortSignal } = {}
  ): Promise<PlaceHandle | undefined> {
    const place = await this.#choose(evaluation, movedTo)
    if (place !== this.#farm) return this.#begin(place, evaluation, load)
    this.#count(place, -1)
    const { promise, resolve, reject } = Promise.withResolvers<PlaceHandle | undefined>()
    const begin = async (): Promise<void> => {
      const handle = await this.#begin(await this.#choose(evaluation, movedTo), evaluation, load)
      resolve(handle)
      await handle?.taken
    }
    this.#loads.run(begin, signal).catch(reject)
    return promise
  }

  forget(evaluation: Evaluation): void {
    this.#farm?.forget(evaluation)
  }

  hasForgotten(evaluation: Evaluation): boolean {
    return this.#farm?.hasForgotten(evaluation) ?? true
  }

  /** Takes room there. */
  async #choose(evaluation: Evaluation, movedTo: () => MovedTo): Promise<Place | undefined> {
    // What a farm has from before comes home from there, wherever the evaluation goes on.
    const isHeld = this.#farm?.accepts(evaluation) === true && (await this.#farm.holds(evaluation))
    const place = isHeld ? this.#farm : this.#withRoom(evaluation, movedTo())
    this.#count(place, 1)
    return place
  }

  #withRoom(evaluation: Evaluation, movedTo: MovedTo): Place | undefined {
    if (this.#farm === undefined) return this.#pool
    if (this.isSent(evaluation, movedTo)) return this.#farm
    const staysHere = this.staysHere(evaluation, movedTo)
    if (this.#here + (staysHere ? 0 : this.#kept()) < this.#slots()) return this.#pool
    return !staysHere && this.#away < this.#farm.room() ? this.#farm : undefined
  }

  #count(place: Place | undefined, by: 1 | -1): void {
    if (place === this.#pool) this.#here += by
    else if (place !== undefined) this.#away += by
  }

  async #begin(
    place: Place | undefined,
    evaluation: Evaluation,
    load: () => Promise<Loaded>
  ): Promise<PlaceHandle | undefined> {
    const ended = (): void => this.#count(place, -1)
    let handle: PlaceHandle | undefined
    try {
      if (place !== undefined) {
        const { terms, onCheckpoint } = await load()
        handle = place.evaluate(evaluation, terms, onCheckpoint)
      }
    } finally {
      if (handle === undefined) ended()
    }
    void handle?.outcome.then(ended, ended)
    return handle
  }
}
