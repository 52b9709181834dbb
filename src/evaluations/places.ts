/** Where squarings are done: on threads of this machine, and on a farm. */
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationProgress,
  EvaluationTerms,
  NativePool
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

/** The checkpoint that an evaluation resumes from, up to `vdf.memory_mib`, and where it is saved. */
export interface Loaded {
  readonly terms: EvaluationTerms
  readonly onCheckpoint: (checkpoint: Checkpoint) => void
}

export interface Place {
  /**
   * Loads once there is memory for it. Undefined if the place can no longer take it by then. Rejects with the signal's
   * reason, or as `load` does.
   */
  begin(evaluation: Evaluation, load: () => Promise<Loaded>, signal: AbortSignal): Promise<PlaceHandle | undefined>
}

export function thisMachine(pool: Pick<NativePool, 'evaluate'>): Place {
  return {
    async begin(evaluation, load) {
      const { terms, onCheckpoint } = await load()
      return pool.evaluate(evaluation, terms, onCheckpoint)
    }
  }
}

/** Where its owner has moved an evaluation; null leaves it to the daemon. */
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
