/** The CBOR of the journal. Every reader throws UnreadableRecord. */
import { encode } from 'cborg'
import * as v from 'valibot'
import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'
import { Bytes, Bytes32, Count, readCbor, Text, UnreadableRecord } from '../../store/stored-shapes.ts'
import type { ClaimPlan } from '../tasks.ts'
import type { TaskState } from './state.ts'

export interface JournalEntry {
  readonly state: TaskState
  readonly lastEventId: number
}

export interface KeptProof {
  readonly draft: Uint8Array
  readonly plan: ClaimPlan
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

const Plan = v.object({
  seed: Bytes32,
  discriminantBits: Count,
  iterations: Count,
  split: v.nullable(Count),
  deadlineMs: v.nullable(Time),
  context: Bytes
})

const State = v.pipe(
  v.object({
    id: Text,
    name: Text,
    kind: Kind,
    order: Count,
    status: v.picklist(['running', 'completed', 'failed']),
    phase: v.picklist(['queued', 'commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done']),
    paused: v.boolean(),
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

const Entry = v.object({ state: State, lastEventId: Count })
const Proof = v.object({ draft: Bytes, plan: Plan, proof: Bytes, taskId: Text, finishedMs: Time, spent: v.boolean() })

export const encodeEntry = (entry: JournalEntry): Uint8Array => encode(entry)
export const encodeProof = (proof: KeptProof): Uint8Array => encode(proof)

/** `taskId`: from the record's key. A record of another task is as unreadable as none. */
export function decodeEntry(bytes: Uint8Array, taskId: string): JournalEntry {
  const entry = readCbor(Entry, bytes)
  if (entry.state.id !== taskId) throw new UnreadableRecord(`it is of task ${entry.state.id}`)
  return entry
}

export function decodeProof(bytes: Uint8Array): KeptProof {
  return readCbor(Proof, bytes)
}
