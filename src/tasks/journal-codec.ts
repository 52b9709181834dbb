/**
 * The CBOR of the journal, read with care: what a damaged disk or another version left behind is told apart from a task before
 * anything is built on it. Every reader throws UnreadableRecord.
 */
import { decode, encode } from 'cborg'
import * as v from 'valibot'
import { ERROR_TABLE, type ErrorCode } from '../errors.ts'
import type { JournalEntry, KeptProof } from './journal.ts'

/** A value of the journal that is not what this version writes. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord'
}

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Time = v.pipe(v.number(), v.finite())
const Share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const Text = v.pipe(v.string(), v.nonEmpty())
const Bytes = v.instance(Uint8Array)
const Kind = v.picklist(['register', 'renew'])
const Code = v.picklist(Object.keys(ERROR_TABLE) as ErrorCode[])
const SEED_BYTES = 32

const Plan = v.object({
  seed: v.pipe(Bytes, v.length(SEED_BYTES)),
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

/** `taskId`: of the key under which it stands; a record of another task is as unreadable as none. */
export function decodeEntry(bytes: Uint8Array, taskId: string): JournalEntry {
  const entry = read(Entry, bytes)
  if (entry.state.id !== taskId) throw new UnreadableRecord(`it is of task ${entry.state.id}`)
  return entry
}

export function decodeProof(bytes: Uint8Array): KeptProof {
  return read(Proof, bytes)
}

function read<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> {
  let value: unknown
  try {
    value = decode(bytes)
  } catch (error) {
    throw new UnreadableRecord(`it is no CBOR: ${(error as Error).message}`, { cause: error })
  }
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new UnreadableRecord(`${v.getDotPath(issue) ?? 'it'}: ${issue.message}`)
}
