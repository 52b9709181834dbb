/**
 * The durable side of tasks: one record a task, and finished proofs, which outlive their task. CBOR; progress is
 * that of the newest checkpoint. One write for each transition. An unreadable record is set aside, byte for byte, and
 * blocks nothing.
 */
import type { Store, StoreOperation } from '../../store/types.ts'
import { asideOf, keys, lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside, Bytes, Bytes32, Count, readCbor, Text, UnreadableRecord } from '../../store/stored-shapes.ts'
import type { TaskKind } from '../../views/task.ts'
import { encode } from 'cborg'
import * as v from 'valibot'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import type { PlannedClaim } from '../tasks.ts'
import type { TaskState } from './task.ts'

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

interface JournalEntry {
  readonly state: TaskState
  readonly lastEventId: number
  /** Not listed any more: kept until no farm has anything of it. */
  readonly cleared?: boolean
}

export interface KeptProof {
  readonly draft: Uint8Array
  readonly plan: PlannedClaim
  readonly proof: Uint8Array
  /** The task that made it, or took it up last. */
  readonly taskId: string
  readonly finishedMs: number
  /** No new task takes it up: its claim was published, or found invalid. */
  readonly spent: boolean
}

const Time = v.pipe(v.number(), v.finite())
const Share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const Kind = v.picklist(['register', 'renew'])
const Code = v.picklist(Object.keys(ERROR_TABLE) as ErrorCode[])

/** A record has the members of the evaluation beside the others. */
const Plan = v.pipe(
  v.object({
    seed: Bytes32,
    discriminantBits: Count,
    iterations: Count,
    split: v.nullable(Count),
    deadlineMs: v.nullable(Time),
    context: Bytes
  }),
  v.transform(({ deadlineMs, context, ...evaluation }): PlannedClaim => ({ evaluation, deadlineMs, context }))
)

const State = v.pipe(
  v.object({
    id: Text,
    name: Text,
    kind: Kind,
    order: Count,
    status: v.picklist(['running', 'completed', 'failed']),
    phase: v.picklist(['queued', 'commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done']),
    paused: v.boolean(),
    /** Records of before tasks could be moved have none. */
    movedTo: v.optional(v.nullable(v.picklist(['local', 'farm'])), null),
    iterations: Count,
    progress: Count,
    phaseProgress: Share,
    createdMs: Time,
    updatedMs: Time,
    resumed: Count,
    draft: v.nullable(Bytes),
    committed: v.boolean(),
    plan: v.nullable(Plan),
    proof: v.nullable(Bytes),
    reveal: v.nullable(Bytes),
    error: v.nullable(v.object({ code: Code, message: v.string() }))
  }),
  v.check(({ draft, committed }) => !committed || draft !== null, 'a commitment without its draft'),
  v.check(({ committed, plan }) => plan === null || committed, 'a plan without its commitment'),
  v.check(({ plan, proof }) => proof === null || plan !== null, 'a proof without its plan'),
  v.check(({ proof, reveal }) => reveal === null || proof !== null, 'a reveal without its proof')
)

const Entry = v.object({ state: State, lastEventId: Count, cleared: v.exactOptional(v.boolean()) })
const Proof = v.object({ draft: Bytes, plan: Plan, proof: Bytes, taskId: Text, finishedMs: Time, spent: v.boolean() })

export function encodeEntry({ state, ...entry }: JournalEntry): Uint8Array {
  return encode({ state: { ...state, plan: state.plan && recordOf(state.plan) }, ...entry })
}

function encodeProof(proof: KeptProof): Uint8Array {
  return encode({ ...proof, plan: recordOf(proof.plan) })
}

function recordOf({ evaluation, ...others }: PlannedClaim): object {
  return { ...evaluation, ...others }
}

/** `taskId`: from the record's key. A record of another task is as unreadable as none. */
export function decodeEntry(bytes: Uint8Array, taskId: string): JournalEntry {
  const entry = readCbor(Entry, bytes)
  if (entry.state.id !== taskId) throw new UnreadableRecord(`it is of task ${entry.state.id}`)
  return entry
}

export function decodeProof(bytes: Uint8Array): KeptProof {
  return readCbor(Proof, bytes)
}

export interface ClaimDraft {
  /** 32 bytes, drawn for this attempt. */
  readonly salt: Uint8Array
  /** The stamp's nonce; empty for renewals, which send no commitment. */
  readonly nonce: Uint8Array
  /** Our round when the commitment was first sent. */
  readonly sentRound: number
  /** p; null until there are enough receipts. */
  readonly pulseRound: number | null
  /** Hash of the first change key, which C binds; none where the daemon knew of no change words. */
  readonly next?: Uint8Array
}

/** Fixed before the first squaring. */
export interface ClaimContext {
  readonly salt: Uint8Array
  readonly pulseRound: number
  /** Signature of that pulse, 48 bytes. */
  readonly pulse: Uint8Array
  /** As in the draft. */
  readonly next?: Uint8Array
}

const Draft = v.object({
  salt: Bytes32,
  nonce: Bytes,
  sentRound: Count,
  pulseRound: v.nullable(Count),
  next: v.exactOptional(Bytes32)
})
const Context = v.object({ salt: Bytes32, pulseRound: Count, pulse: Bytes, next: v.exactOptional(Bytes32) })

export function encodeDraft(draft: ClaimDraft): Uint8Array {
  return encode(draft)
}

export function decodeDraft(bytes: Uint8Array): ClaimDraft {
  return readCbor(Draft, bytes)
}

export function encodeContext(context: ClaimContext): Uint8Array {
  return encode(context)
}

export function decodeContext(bytes: Uint8Array): ClaimContext {
  return readCbor(Context, bytes)
}
