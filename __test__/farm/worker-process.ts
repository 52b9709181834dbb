/** A worker in a process of its own, which a test kills or halts. Prints what it logs, a line of JSON each. */
import { runWorker } from '../../src/farm/worker.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { WorkerArguments } from './processes.ts'

const { url, network, name, times } = JSON.parse(process.argv[2]!) as WorkerArguments
const pool = createNativePool({ evaluationThreads: 1, provingThreads: 1, auxiliaryThreads: 1 })
const print = (fields: object, message: string): void => console.log(JSON.stringify({ ...fields, message }))
await runWorker(
  {
    address: { url, credentials: '', ca: '', network },
    pool,
    threads: 1,
    name,
    log: { info: print, warn: print },
    times
  },
  new AbortController().signal
)
