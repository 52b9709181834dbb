/** The pool of threads that everything heavy runs on. Evaluations have threads of their own, so that no check waits for one. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Transferable } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { addon } from './addon.ts'
import { failure, unwrap, type Answer } from './answer.ts'
import { NativeError } from './errors.ts'
import { startEvaluation } from './evaluation.ts'
import type { Call, WorkerCalls } from './requests.ts'
import { findStamp } from './stamp.ts'
import type { EvaluationHandle, NativePool, NativePoolOptions } from './types.ts'

/** The worker stands beside this file, as a source or compiled. */
const WORKER_FILE = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url))

/** A thread that has nothing to do is kept this long. */
const IDLE_TIMEOUT_MS = 30_000
/**
 * Evaluations yield to everything else, our own event loop first. Linux gives each thread its nice value: with every core squaring, 5 left the
 * event loop waiting for 29 ms at p99, 10 and more for 6 ms (`npm run bench:tasks`); at 19 another busy program would leave next to nothing to
 * a task that has a deadline. Windows: one below normal (SetThreadPriority). Elsewhere, macOS included, nice values are of whole processes.
 */
const EVALUATION_NICE: Partial<Record<NodeJS.Platform, number>> = { linux: 10, win32: -1 }

/** Throws NativeError ADDON_UNAVAILABLE, now and not in every call: the threads load the addon that this one can load. */
export function createNativePool(options: NativePoolOptions): NativePool {
  addon()
  const evaluations = createThreads(Math.max(1, options.evaluationThreads), EVALUATION_NICE[process.platform] ?? 0, options)
  const auxiliary = createThreads(Math.max(1, options.auxiliaryThreads ?? Math.min(2, availableParallelism())), 0, options)
  const running = new Set<EvaluationHandle>()
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
  const call = callOn(auxiliary)

  return {
    evaluate(request, onCheckpoint) {
      const handle = startEvaluation(request, onCheckpoint, callOn(evaluations))
      running.add(handle)
      void handle.outcome.then(() => running.delete(handle))
      return handle
    },
    verifyProof: (question) => call('verifyProof', question),
    discriminant: (seed, bits) => call('discriminant', { seed, bits }),
    verifyPulse: (question) => call('verifyPulse', question),
    searchStamp: (question) => findStamp(question, call),
    measureRate: (bits, milliseconds) => call('measureRate', { bits, milliseconds }),
    async close() {
      for (const handle of running) handle.stop()
      await Promise.all(Array.from(running, (handle) => handle.outcome))
      closing.abort(poolClosed())
      await Promise.all([evaluations.destroy(), auxiliary.destroy()])
    }
  }
}

function createThreads(count: number, niceIncrement: number, { warn }: NativePoolOptions): Piscina {
  const threads = new Piscina({
    filename: WORKER_FILE,
    minThreads: 0,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    niceIncrement,
    // Waiting by Atomics would keep an idle worker's event loop from turning, and with it the release of native objects.
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
  return (await threads.run(request, { name: kind, transferList })) as Answer<WorkerCalls[K]['value']>
}

function asNativeError(error: unknown): NativeError {
  if (error instanceof NativeError) return error
  return new NativeError('WORKER_FAILED', failure(error).message, { cause: error })
}

function poolClosed(): NativeError {
  return new NativeError('POOL_CLOSED', 'the pool of worker threads is closed')
}
