/**
 * Many workers in one process: node simulated.ts URL FIRST COUNT RECORDS. Each has its connection, and sends all that a
 * worker sends, when it sends it; it squares nothing. RECORDS: intermediate records a second of one.
 */
import { EventEmitter } from 'node:events'
import { runWorker } from '../../src/farm/worker.ts'
import type { Evaluation, EvaluationHandle, EvaluationTerms, NativePool } from '../../src/native/types.ts'
import { BENCH_NETWORK, RECORD_BYTES } from './scene.ts'

/** As a reference machine squares. */
const SQUARINGS_PER_SECOND = 333_000
/** Of the kernel's state. */
const STATE_BYTES = 1024

const [url, first, count, recordsPerSecond] = [process.argv[2]!, ...process.argv.slice(3).map(Number)] as [
  string,
  number,
  number,
  number
]

/** `phase`, 0..1: when in the time between two checkpoints it makes its own. */
function evaluate(
  { iterations }: Evaluation,
  { checkpointSeconds }: EvaluationTerms,
  onCheckpoint: Parameters<NativePool['evaluate']>[2],
  phase: number
): EvaluationHandle {
  const { promise: outcome, resolve } = Promise.withResolvers<{ kind: 'stopped' }>()
  const beganMs = performance.now()
  let appendedFrom = 0
  const squarings = (): number => Math.floor(((performance.now() - beganMs) / 1000) * SQUARINGS_PER_SECOND)
  const save = (): void => {
    const records = Math.floor(((performance.now() - beganMs) / 1000) * recordsPerSecond)
    const appended = new Uint8Array((records - appendedFrom) * RECORD_BYTES)
    onCheckpoint({ state: new Uint8Array(STATE_BYTES), appended, appendedFrom, squarings: squarings() })
    appendedFrom = records
  }
  let timer = setTimeout(
    () => {
      timer = setInterval(save, checkpointSeconds * 1000)
      save()
    },
    phase * checkpointSeconds * 1000
  )
  return {
    progress: () => ({
      phase: 'squaring',
      squarings: squarings(),
      phaseProgress: squarings() / iterations,
      remaining: iterations - squarings(),
      squaringsPerSecond: SQUARINGS_PER_SECOND
    }),
    stop() {
      clearInterval(timer)
      resolve({ kind: 'stopped' })
    },
    outcome
  }
}

EventEmitter.defaultMaxListeners = 0
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}
const signal = new AbortController().signal
await Promise.all(
  Array.from({ length: count }, (_, index) =>
    runWorker(
      {
        address: { url, credentials: '', ca: '', network: BENCH_NETWORK },
        pool: {
          evaluate: (evaluation, terms, onCheckpoint) => evaluate(evaluation, terms, onCheckpoint, index / count)
        },
        threads: 1,
        name: `w${first + index}`,
        log
      },
      signal
    )
  )
)
