/**
 * The durable side of tasks: one record a task, and finished proofs, which outlive their task. Progress stands in progress-log.ts.
 * Records are CBOR; nothing is written twice for one transition.
 */
import { decode, encode } from 'cborg'
import type { Store } from '../store/types.ts'
import { keys, prefixes } from '../store/keys.ts'
import type { TaskState } from './state.ts'
import type { EvaluationPlan, TaskKind } from './types.ts'

/** How long a finished proof stays, whatever becomes of its task (api-decisions, "VDF tasks"). */
export const PROOF_KEPT_MS = 30 * 24 * 60 * 60 * 1000

export interface JournalEntry {
  readonly state: TaskState
  readonly lastEventId: number
}

/** A finished proof with all that is needed to publish it. */
export interface KeptProof {
  readonly draft: Uint8Array
  readonly plan: EvaluationPlan
  readonly proof: Uint8Array
  /** The task that made it, or took it up last. */
  readonly taskId: string
  readonly finishedMs: number
  /** No new task takes it up: its claim was published, or found invalid. */
  readonly spent: boolean
}

export class TaskJournal {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Throws StoreError; then what was stored before stands. */
  save(entry: JournalEntry): void {
    this.#store.put(keys.task(entry.state.id), encode(entry))
  }

  /** With its finished proof in a place of its own, in one write. */
  saveWithProof(entry: JournalEntry, nowMs: number): void {
    const { id, kind, name, draft, plan, proof, status, error } = entry.state
    if (draft === null || plan === null || proof === null) throw new Error(`task ${id} has no finished proof`)
    const former = this.keptProof(kind, name)
    const finishedMs = former !== undefined && Buffer.compare(former.proof, proof) === 0 ? former.finishedMs : nowMs
    const spent = status === 'completed' || error?.code === 'SVC-PUB-001'
    const kept: KeptProof = { draft, plan, proof, taskId: id, finishedMs, spent }
    this.#store.batch([
      { put: keys.task(id), value: encode(entry) },
      { put: keys.proof(kind, name), value: encode(kept) }
    ])
  }

  /** All tasks, in the order in which they were created. */
  load(): JournalEntry[] {
    const entries: JournalEntry[] = []
    for (const [, value] of this.#store.list(prefixes.tasks)) entries.push(decode(value) as JournalEntry)
    return entries.sort((left, right) => left.state.order - right.state.order)
  }

  remove(taskId: string): void {
    this.#store.delete(keys.task(taskId))
  }

  keptProof(kind: TaskKind, name: string): KeptProof | undefined {
    const value = this.#store.get(keys.proof(kind, name))
    return value === undefined ? undefined : (decode(value) as KeptProof)
  }

  /** Removes proofs older than {@link PROOF_KEPT_MS}. */
  purgeProofs(nowMs: number): void {
    const stale: { delete: string }[] = []
    for (const [key, value] of this.#store.list(prefixes.proofs)) {
      if ((decode(value) as KeptProof).finishedMs + PROOF_KEPT_MS < nowMs) stale.push({ delete: key })
    }
    if (stale.length > 0) this.#store.batch(stale)
  }
}
