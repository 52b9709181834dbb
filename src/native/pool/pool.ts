/** The pool of threads for all heavy work. Evaluations have threads of their own, so that no check waits for one. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Transferable } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { sha256, toHex, u64be } from '../../protocol/encoding/bytes.ts'
import { proofCacheKey } from '../../protocol/claim/proof.ts'
import { missingAddon } from '../addon.ts'
import { failure, unwrap, type Answer, type Call, type WorkerCalls } from '../worker/requests.ts'
import {
  NativeError,
  type NativePool,
  type NativePoolOptions,
  type ProofQuestion,
  type PulseQuestion,
  type VerdictOptions,
  type StampQuestion
} from '../types.ts'
import { startEvaluation, type RunningEvaluation, shareThreads } from './evaluation.ts'
import { createScheduler } from './scheduler.ts'
import { Verdicts } from './verdicts.ts'

const WORKER_FILE = workerFile('worker')
const DOCUMENT_WORKER_FILE = workerFile('document-worker')
const FILES: Partial<Record<keyof WorkerCalls, string>> = {
  judgeIdentity: DOCUMENT_WORKER_FILE,
  judgeManifest: DOCUMENT_WORKER_FILE,
  judgeSpeaker: DOCUMENT_WORKER_FILE
}

const IDLE_TIMEOUT_MS = 30_000
/**
 * An evaluation's thread ends with it: V8 does not count the forms that it stored, so nothing else would free their
 * memory.
 */
const EVALUATION_IDLE_TIMEOUT_MS = 0
/**
 * Evaluations yield to everything else, our own event loop first. Linux gives each thread its nice value. With every
 * core squaring, 5 left the event loop waiting for 29 ms at p99, 10 and more for 6 ms (`npm run bench:tasks`). At 19,
 * another busy program would starve a task that has a deadline.
 * Windows: one below normal (SetThreadPriority). Elsewhere, macOS included, nice values are of whole processes.
 */
const EVALUATION_NICE: Partial<Record<NodeJS.Platform, number>> = { linux: 10, win32: -1 }

/** The verdicts of a network of ten thousand names a node, and room for those that strangers cause. */
const PROOF_VERDICTS = { valid: 16_384, invalid: 4_096 }
/** A claim has one pulse of its own; old true ones are public, and quickly verified again. */
const PULSE_VERDICTS = { valid: 4_096, invalid: 1_024 }

/**
 * Throws NativeError ADDON_UNAVAILABLE at once, not in every call: the threads load the addon that this one can load.
 * Without any addon, `missingAddon` says why.
 */
export function createNativePool(options: NativePoolOptions): NativePool {
  const missing = missingAddon()?.message
  const evaluations = createThreads(
    Math.max(1, options.evaluationThreads),
    { niceIncrement: EVALUATION_NICE[process.platform] ?? 0, idleTimeout: EVALUATION_IDLE_TIMEOUT_MS },
    options
  )
  const auxiliaryThreads = Math.max(1, options.auxiliaryThreads ?? Math.min(2, availableParallelism()))
  const auxiliary = createThreads(auxiliaryThreads, { niceIncrement: 0, idleTimeout: IDLE_TIMEOUT_MS }, options)
  const running = new Set<RunningEvaluation>()
  const provingThreads = options.provingThreads ?? availableParallelism()
  const closing = new AbortController()

  const callOn =
    (threads: Piscina): Call =>
    async (kind, request, transfer = []) => {
      closing.signal.throwIfAborted()
      try {
        return unwrap(await run(threads, kind, request, transfer))
      } catch (error) {
        throw closing.signal.aborted ? poolClosed() : asNativeError(error)
      }
    }
  const scheduler = createScheduler(callOn(auxiliary), auxiliaryThreads)
  const call: Call = async (kind, request) => scheduler.submit(kind, request, 'own').result
  const proofs = new Verdicts(PROOF_VERDICTS)
  const pulses = new Verdicts(PULSE_VERDICTS)
  const verifyProof = async (question: ProofQuestion, verdictOptions: VerdictOptions = {}): Promise<boolean> =>
    proofs.ask(proofKey(question), verdictOptions, (urgency) => scheduler.submitProof(own(question), urgency))
  const allotThreads = (): void => {
    const shares = shareThreads(provingThreads, Math.min(running.size, options.evaluationThreads))
    let index = 0
    for (const evaluation of running) evaluation.allot(shares[index++] ?? 1)
  }

  return {
    missingAddon: missing,
    evaluate(evaluation, terms, onCheckpoint) {
      const handle = startEvaluation({ evaluation, terms }, onCheckpoint, callOn(evaluations))
      running.add(handle)
      allotThreads()
      void handle.outcome.then(() => {
        running.delete(handle)
        allotThreads()
      })
      return handle
    },
    verifyProof,
    async verifyProofs(questions, verdictOptions = {}) {
      scheduler.requireRoom(questions.length, verdictOptions.urgency ?? 'own')
      return Promise.all(questions.map((question) => verifyProof(question, verdictOptions)))
    },
    verifyPulse: async (question, verdictOptions = {}) =>
      pulses.ask(pulseKey(question), verdictOptions, (urgency) => scheduler.submit('verifyPulse', question, urgency)),
    judgeIdentity: async (record, profile, urgency) =>
      scheduler.submit('judgeIdentity', { record: Uint8Array.from(record), profile }, urgency).result,
    judgeManifest: async (record, profile, urgency) =>
      scheduler.submit('judgeManifest', { record: Uint8Array.from(record), profile }, urgency).result,
    judgeSpeaker: async (manifest, identity, profile, urgency) =>
      scheduler.submit(
        'judgeSpeaker',
        { record: Uint8Array.from(manifest), identity: Uint8Array.from(identity), profile },
        urgency
      ).result,
    searchStamp: (question) => findStamp(question, call),
    plannedWork(evaluation) {
      const [threads = 1] = shareThreads(provingThreads, Math.min(running.size + 1, options.evaluationThreads))
      return call('plannedWork', { ...evaluation, threads })
    },
    measureRate: (bits, milliseconds) => call('measureRate', { bits, milliseconds }),
    measureProof: (bits) => call('measureProof', { bits }),
    async close() {
      for (const handle of running) handle.stop()
      await Promise.all(Array.from(running, (handle) => handle.outcome))
      closing.abort(poolClosed())
      scheduler.close(poolClosed())
      await Promise.all([evaluations.destroy(), auxiliary.destroy()])
    }
  }
}

function workerFile(name: string): string {
  return fileURLToPath(new URL(`../worker/${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
}

function createThreads(
  count: number,
  kind: { niceIncrement: number; idleTimeout: number },
  { warn }: NativePoolOptions
): Piscina {
  const threads = new Piscina({
    filename: WORKER_FILE,
    minThreads: 0,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    ...kind,
    // Waiting by Atomics would block an idle worker's event loop, and with it the release of native objects.
    atomics: 'disabled'
  })
  // A thread that dies in a call fails that call; one that dies between calls is only replaced.
  threads.on('error', (error: Error) => warn?.(`a worker thread ended: ${error.message}`))
  return threads
}

async function run<K extends keyof WorkerCalls>(
  threads: Piscina,
  kind: K,
  request: WorkerCalls[K]['request'],
  transferList: Transferable[]
): Promise<Answer<WorkerCalls[K]['value']>> {
  return (await threads.run(request, { name: kind, transferList, filename: FILES[kind] ?? WORKER_FILE })) as Answer<
    WorkerCalls[K]['value']
  >
}

/**
 * The question in bytes of its own: it may wait, and a view would keep its whole message alive and copy it to the
 * thread.
 */
function own({ seed, bits, iterations, split, proof }: ProofQuestion): ProofQuestion {
  return { seed: Uint8Array.from(seed), bits, iterations, split, proof: Uint8Array.from(proof) }
}

/**
 * The key of docs/protocol/wire.md, 8, with the size and the split. The protocol derives those from profile and
 * iterations.
 */
function proofKey({ seed, bits, iterations, split, proof }: ProofQuestion): string {
  requireCount(iterations, 'iterations')
  return `${bits}/${String(split)}/${proofCacheKey(seed, iterations, proof)}`
}

function pulseKey({ publicKey, round, signature }: PulseQuestion): string {
  requireCount(round, 'round')
  return toHex(sha256(publicKey, u64be(round), signature))
}

function requireCount(value: number, what: string): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new NativeError('INVALID_ARGUMENT', `${what} must be a whole number from 0 to 2^53 - 1, not ${value}`)
}

function asNativeError(error: unknown): NativeError {
  if (error instanceof NativeError) return error
  return new NativeError('WORKER_FAILED', failure(error).message, { cause: error })
}

function poolClosed(): NativeError {
  return new NativeError('POOL_CLOSED', 'the pool of worker threads is closed')
}

/** About 50 ms of hashing at ten million a second. */
const ATTEMPTS_PER_SLICE = 2 ** 19
const NONCE_BYTES = 8

async function findStamp({ prefix, bits, signal }: StampQuestion, call: Call): Promise<Uint8Array> {
  signal?.throwIfAborted()
  const stop = new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT)
  const onAbort = (): void => {
    Atomics.store(new Uint32Array(stop), 0, 1)
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (let start = 0; ;) {
      const { nonce, next } = await call('searchStamp', { prefix, bits, start, attempts: ATTEMPTS_PER_SLICE, stop })
      signal?.throwIfAborted()
      if (nonce !== undefined) return encodeNonce(nonce)
      start = next
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

function encodeNonce(nonce: number): Uint8Array {
  const bytes = new Uint8Array(NONCE_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(nonce))
  return bytes
}
