/** Where squarings are done: on threads of this machine, and on a farm. */
import type {
  Checkpoint,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationProgress,
  EvaluationRequest
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
}

/** A place that evaluates, as the pool does. */
export interface Place {
  /** Undefined where all has been taken since it was asked for room. */
  evaluate(
    request: EvaluationRequest,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): PlaceHandle | undefined | Promise<PlaceHandle | undefined>
}

/** What is computed, without how. */
export type Computation = Pick<EvaluationRequest, 'seed' | 'bits' | 'iterations' | 'split'>

/** Where its owner has moved an evaluation; null leaves it to the places. */
export type MovedTo = 'local' | 'farm' | null

/** A place on other machines. */
export interface FarmPlace {
  /** Whether one of its workers that may have it was heard lately, or may yet be. */
  isThere(computation?: Computation): boolean
  /** How many evaluations it takes at once: those that its workers have of this daemon, and one for each idle thread. */
  room(): number
  /** Whether it may have this one: not after wrong proofs. */
  accepts(computation: Computation): boolean
  /** Whether it has a state or a proof of this one from before. */
  holds(computation: Computation): Promise<boolean>
  /** Undefined where no worker that may have it can be reached. */
  evaluate(request: EvaluationRequest, onCheckpoint: (checkpoint: Checkpoint) => void): PlaceHandle | undefined
  /** Nobody needs this one any more: its proof is journaled, or it was cancelled. */
  forget(computation: Computation): void
  /** False while what it was told to forget may still be there. */
  hasForgotten(computation: Computation): boolean
}

/** This machine's slots first, then the farm's. */
export class Places implements Place {
  readonly #pool: Place
  readonly #farm: FarmPlace | undefined
  readonly #slots: () => number
  readonly #kept: () => number
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
  staysHere(computation: Computation | undefined, movedTo: MovedTo = null): boolean {
    if (this.#farm === undefined) return false
    return movedTo === 'local' || (computation !== undefined && !this.#farm.accepts(computation))
  }

  /** Whether its owner has sent it to the farm, where it waits for a worker. It takes no slot. */
  isSent(computation: Computation, movedTo: MovedTo): boolean {
    return movedTo === 'farm' && this.whyNotSent(computation) === undefined
  }

  /** Why the farm does not take it now; undefined where it does. */
  whyNotSent(computation: Computation | undefined): string | undefined {
    if (this.#farm === undefined) return 'vdf.farm names none.'
    if (computation !== undefined && !this.#farm.accepts(computation))
      return 'It has failed there twice, or no worker took it.'
    return this.#farm.isThere(computation) ? undefined : 'None of its workers can be reached.'
  }

  async evaluate(
    request: EvaluationRequest,
    onCheckpoint: (checkpoint: Checkpoint) => void,
    movedTo: () => MovedTo = () => null
  ): Promise<PlaceHandle | undefined> {
    const farm = this.#farm
    if (farm === undefined) return this.#begin(this.#pool, request, onCheckpoint)
    // What it has from before comes home from there, wherever the evaluation goes on.
    if (farm.accepts(request) && (await farm.holds(request))) return this.#begin(farm, request, onCheckpoint)
    if (this.isSent(request, movedTo())) return this.#begin(farm, request, onCheckpoint)
    const staysHere = this.staysHere(request, movedTo())
    if (this.#here + (staysHere ? 0 : this.#kept()) < this.#slots())
      return this.#begin(this.#pool, request, onCheckpoint)
    return !staysHere && this.#away < farm.room() ? this.#begin(farm, request, onCheckpoint) : undefined
  }

  forget(computation: Computation): void {
    this.#farm?.forget(computation)
  }

  hasForgotten(computation: Computation): boolean {
    return this.#farm?.hasForgotten(computation) ?? true
  }

  async #begin(
    place: Place,
    request: EvaluationRequest,
    onCheckpoint: (checkpoint: Checkpoint) => void
  ): Promise<PlaceHandle | undefined> {
    const count = (by: 1 | -1): void => {
      if (place === this.#farm) this.#away += by
      else this.#here += by
    }
    count(1)
    const handle = await place.evaluate(request, onCheckpoint)
    const ended = (): void => count(-1)
    if (handle === undefined) ended()
    else void handle.outcome.then(ended, ended)
    return handle
  }
}
