import type { EvaluationDirectories } from '../../evaluations/directories.ts'
import type { Log } from '../../evaluations/evaluator.ts'
import { PROOF_KEPT_MS, type TaskJournal } from './journal.ts'
import type { TaskLedger } from './ledger.ts'
import { hasEnded } from './task.ts'

const PURGE_EVERY_MS = 60 * 60 * 1000

interface RetentionParts {
  readonly journal: TaskJournal
  readonly ledger: TaskLedger
  readonly files: EvaluationDirectories
  /** A moment that has certainly passed; 0 while none is known. */
  readonly certainMs: () => number
  readonly log: Log
}

/**
 * Removes proofs and ended tasks that are older than thirty days, by time that has certainly passed: the clock may be
 * ahead.
 */
export class Retention {
  readonly #with: RetentionParts
  #purgedMs = -Infinity

  constructor(parts: RetentionParts) {
    this.#with = parts
  }

  tick(nowMs: number): void {
    if (Math.abs(nowMs - this.#purgedMs) < PURGE_EVERY_MS) return
    const { journal, ledger, files, log } = this.#with
    const certainMs = this.#with.certainMs()
    if (certainMs === 0) return
    this.#purgedMs = nowMs
    try {
      journal.purgeProofs(certainMs)
      for (const task of ledger.ordered()) {
        if (hasEnded(task.state) && task.run === undefined && task.state.updatedMs + PROOF_KEPT_MS < certainMs) {
          ledger.drop(task)
          files.discard(task.state.id)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'proofs and tasks older than thirty days could not be removed; next try in an hour')
    }
  }
}
