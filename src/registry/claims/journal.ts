/**
 * The durable side of tasks: one record a task, and finished proofs, which outlive their task. Progress is in
 * progress-log.ts. One write for each transition. An unreadable record is set aside, byte for byte, and blocks nothing.
 */
import type { Store, StoreOperation } from '../../store/types.ts'
import { asideOf, keys, lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import {
  decodeEntry,
  decodeProof,
  encodeEntry,
  encodeProof,
  type JournalEntry,
  type KeptProof
} from './journal-codec.ts'
import type { TaskKind } from '../../views/task.ts'

/** How long a finished proof stays, whatever happens to its task (docs/api.md, "VDF tasks"). */
export const PROOF_KEPT_MS = 30 * 24 * 60 * 60 * 1000

export class TaskJournal {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Throws StoreError with nothing changed. */
  save(entry: JournalEntry, also: readonly StoreOperation[] = []): void {
    this.#store.batch([{ put: keys.task(entry.state.id), value: encodeEntry(entry) }, ...also])
  }

  /** Saves the finished proof under a key of its own, in one write. */
  saveWithProof(entry: JournalEntry, nowMs: number): void {
    const { id, kind, name, draft, plan, proof, status, error } = entry.state
    if (draft === null || plan === null || proof === null) throw new Error(`task ${id} has no finished proof`)
    const former = this.keptProof(kind, name)
    const finishedMs = former !== undefined && Buffer.compare(former.proof, proof) === 0 ? former.finishedMs : nowMs
    const spent = status === 'completed' || error?.code === 'SVC-PUB-001'
    this.#store.batch([
      { put: keys.task(id), value: encodeEntry(entry) },
      { put: keys.proof(kind, name), value: encodeProof({ draft, plan, proof, taskId: id, finishedMs, spent }) }
    ])
  }

  load(): JournalEntry[] {
    const entries: JournalEntry[] = []
    for (const [key, value] of this.#store.list(prefixes.tasks)) {
      const entry = readOrSetAside(this.#store, key, value, (bytes) => decodeEntry(bytes, lastPart(key)))
      if (entry !== undefined) entries.push(entry)
    }
    return entries.sort((left, right) => left.state.order - right.state.order)
  }

  remove(taskId: string): void {
    this.#store.delete(keys.task(taskId))
  }

  keptProof(kind: TaskKind, name: string): KeptProof | undefined {
    const key = keys.proof(kind, name)
    return readOrSetAside(this.#store, key, this.#store.get(key), decodeProof)
  }

  purgeProofs(nowMs: number): void {
    const stale: { delete: string }[] = []
    for (const [key, value] of this.#store.list(prefixes.proofs)) {
      const kept = readOrSetAside(this.#store, key, value, decodeProof)
      if (kept !== undefined && kept.finishedMs + PROOF_KEPT_MS < nowMs) stale.push({ delete: key })
    }
    if (stale.length > 0) this.#store.batch(stale)
  }

  /** Records of the store that were set aside and are still there. */
  countAside(): number {
    return this.#store.count(prefixes.aside)
  }

  /** Whether this task's record was set aside: then its files stay for a repair by hand. */
  isAside(taskId: string): boolean {
    return this.#store.get(asideOf(keys.task(taskId))) !== undefined
  }
}
