/**
 * What daemons and workers of a farm tell each other, as CBOR. All of it comes from other machines, so each message is
 * checked when it is read.
 * Subjects of a network `n` (the first hex digits of its profile's hash):
 * - `chronym.n.work.JOB`: the evaluation, in a work queue until a worker has it proved, or nobody wants it any more.
 * - `chronym.n.at.JOB`: reports of its worker, each a request that the daemon answers with `go` or `stop`.
 * - `chronym.n.stop.JOB`: all workers stop; with `hand-in` they save what they have reached.
 * - `chronym.n.alive`: each worker, every few seconds.
 * Checkpoints and proofs: saved-state.ts.
 */
import { decode, encode } from 'cborg'
import * as v from 'valibot'
import { digestOf } from '../evaluations/state-file.ts'
import type { Evaluation, EvaluationTerms } from '../native/types.ts'

/**
 * Of these messages and of what is saved: a worker leaves the jobs of another version alone. Those of 1 went on from what
 * no daemon had accepted.
 */
export const FARM_VERSION = 2

/** Of messages, before they are decoded. {@link MAX_THREADS} jobs have 35 kB. */
const MAX_ALIVE_BYTES = 40_000
const MAX_REPORT_BYTES = 1000
const MAX_JOB_BYTES = 500
/** Evaluations of a worker at once. */
export const MAX_THREADS = 1024
/** The least of `vdf.checkpoint_seconds` is 0.1, and a kernel is asked for half of it. */
const LEAST_CHECKPOINT_SECONDS = 0.05
/** The most of `vdf.checkpoint_seconds` and `vdf.memory_mib`. */
const MAX_CHECKPOINT_SECONDS = 3600
const MAX_MEMORY_BYTES = 2 ** 36

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const amount = v.pipe(v.number(), v.finite(), v.minValue(0))
export const bytes: v.GenericSchema<unknown, Uint8Array> = v.instance(Uint8Array)
export const WORKER_NAME = /^[\w.:-]{1,80}$/u
export const worker = v.pipe(v.string(), v.regex(WORKER_NAME))

const JobSchema = v.object({
  version: v.literal(FARM_VERSION),
  seed: v.pipe(bytes, v.minLength(2), v.maxLength(64)),
  bits: v.pipe(count, v.minValue(8), v.maxValue(1024)),
  iterations: v.pipe(count, v.minValue(1)),
  split: v.nullable(count),
  checkpointSeconds: v.pipe(
    amount,
    v.maxValue(MAX_CHECKPOINT_SECONDS),
    v.transform((seconds) => Math.max(LEAST_CHECKPOINT_SECONDS, seconds))
  ),
  memoryBytes: v.optional(v.pipe(count, v.maxValue(MAX_MEMORY_BYTES)))
})
/** Its checkpoint is in the bucket. */
export type JobTerms = Omit<EvaluationTerms, 'resume'>

const ReportSchema = v.object({
  worker,
  phase: v.picklist(['squaring', 'proving', 'done']),
  squarings: count,
  phaseProgress: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  remaining: amount,
  squaringsPerSecond: amount,
  /** Squarings of the newest state that it saved. */
  saved: count,
  /** `proved`: the proof is saved. `left`: it goes no further. `fault`: its kernel refused. */
  event: v.optional(v.picklist(['proved', 'left', 'fault'])),
  message: v.optional(v.pipe(v.string(), v.maxLength(200)))
})
export type Report = v.InferOutput<typeof ReportSchema>

const AliveSchema = v.object({
  /** The first workers did not say it. */
  version: v.optional(count, 1),
  worker,
  threads: v.pipe(count, v.maxValue(MAX_THREADS)),
  busy: count,
  squaringsPerSecond: amount,
  /** What it evaluates; one that was away learns it from here. */
  jobs: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(32))), v.maxLength(MAX_THREADS)), []),
  /** It ends, and takes no more work. */
  leaving: v.boolean()
})
export type Alive = v.InferOutput<typeof AliveSchema>

/** Workers of this version that are older ask for `isVerified`, and without it leave the job to others. */
export function encodeJob(
  { seed, discriminantBits: bits, iterations, split }: Evaluation,
  terms: JobTerms
): Uint8Array {
  return encode({ version: FARM_VERSION, seed, bits, iterations, split, ...terms, isVerified: false })
}
export const encodeReport = (report: Report): Uint8Array => encode(report)
export const encodeAlive = (alive: Omit<v.InferInput<typeof AliveSchema>, 'version'>): Uint8Array =>
  encode({ version: FARM_VERSION, ...alive })

/** Undefined where it is not of this version, or not the one with that name. */
export function decodeJob(name: string, data: Uint8Array): { evaluation: Evaluation; terms: JobTerms } | undefined {
  const job = checked(JobSchema, data, MAX_JOB_BYTES)
  if (job === undefined) return undefined
  const { seed, bits: discriminantBits, iterations, split, checkpointSeconds, memoryBytes } = job
  const evaluation = { seed, discriminantBits, iterations, split }
  if (jobOf(evaluation) !== name || (split !== null && split >= iterations)) return undefined
  return { evaluation, terms: { checkpointSeconds, ...(memoryBytes !== undefined && { memoryBytes }) } }
}
export const decodeReport = (data: Uint8Array): Report | undefined => checked(ReportSchema, data, MAX_REPORT_BYTES)
export const decodeAlive = (data: Uint8Array): Alive | undefined => checked(AliveSchema, data, MAX_ALIVE_BYTES)

/** What the bytes hold; undefined where they hold something else, or are more than `most`. */
export function checked<T>(schema: v.GenericSchema<unknown, T>, data: Uint8Array, most: number): T | undefined {
  if (data.length > most) return undefined
  try {
    const result = v.safeParse(schema, decode(data))
    return result.success ? result.output : undefined
  } catch {
    return undefined
  }
}

/** The same for each life of a daemon: it follows from what is computed. */
export function jobOf(evaluation: Evaluation): string {
  return digestOf(evaluation).toString('hex').slice(0, 32)
}

/** What a farm calls the network of a profile. */
export function farmNetwork(profileHash: Uint8Array): string {
  return Buffer.from(profileHash).toString('hex').slice(0, 16)
}

export interface Names {
  readonly queue: string
  readonly bucket: string
  readonly alive: string
  work(job: string): string
  at(job: string): string
  stop(job: string): string
}

export function namesOf(network: string): Names {
  const prefix = `chronym.${network}`
  return {
    queue: `chronym-${network}-work`,
    bucket: `chronym-${network}`,
    alive: `${prefix}.alive`,
    work: (job) => `${prefix}.work.${job}`,
    at: (job) => `${prefix}.at.${job}`,
    stop: (job) => `${prefix}.stop.${job}`
  }
}
