/**
 * A worker in a process of its own, which a test kills or halts. Prints what it logs, a line of JSON each, and what
 * processes.ts asks of it besides. SIGUSR2 lets it go on where it is held.
 */
import { StateWriter } from '../../src/farm/saved-state.ts'
import { WorkerTask } from '../../src/farm/worker-task.ts'
import { runWorker } from '../../src/farm/worker.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { monotonicMs, type WorkerArguments } from './processes.ts'
import { SteppedPool } from './stepped-pool.ts'

/** Between two lines about how far it is. */
const TELL_MS = 20

const { url, network, name, times, heldAt } = JSON.parse(process.argv[2]!) as WorkerArguments
const stepped = heldAt === undefined ? undefined : new SteppedPool(heldAt ?? Infinity)
process.on('SIGUSR2', () => stepped?.release())
const pool = stepped ?? createNativePool({ evaluationThreads: 1, provingThreads: 1, auxiliaryThreads: 1 })
const evaluate: SteppedPool['evaluate'] = (evaluation, terms, onCheckpoint) => {
  const handle = pool.evaluate(evaluation, terms, (checkpoint) => {
    print({ squarings: checkpoint.squarings }, 'at')
    onCheckpoint(checkpoint)
  })
  const telling = setInterval(() => print({ ...handle.progress() }, 'at'), TELL_MS)
  void handle.outcome.then(() => clearInterval(telling))
  return handle
}
const print = (fields: object, message: string): void =>
  console.log(JSON.stringify({ ...fields, message, ms: monotonicMs() }))
const run = Reflect.get(WorkerTask.prototype, 'run')
WorkerTask.prototype.run = function () {
  print({}, 'takes')
  return run.call(this)
}
const save = Reflect.get(StateWriter.prototype, 'save')
StateWriter.prototype.save = async function (checkpoints) {
  print({}, 'saves')
  await save.call(this, checkpoints)
  print({ squarings: checkpoints.at(-1)!.squarings }, 'saved')
}
await runWorker(
  {
    address: { url, credentials: '', ca: '', network },
    pool: { evaluate },
    threads: 1,
    name,
    log: { info: print, warn: print },
    times
  },
  new AbortController().signal
)
