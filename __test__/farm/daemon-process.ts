/**
 * What a daemon does with a farm, in a process that a test kills: evaluations whose checkpoints and proofs are on disk.
 * Each proof is in the directory before the farm forgets it. Ends once the file `enough` is there and all are proved.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Evaluation } from '../../src/native/types.ts'
import { Farm } from '../../src/farm/farm.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { replaceFile } from '../../src/util/replace-file.ts'
import { type DaemonArguments, evaluationWith, Places, planOf } from './processes.ts'

const {
  url,
  network,
  times,
  directory,
  tasks: atOnce,
  checkpointSeconds,
  iterations
} = JSON.parse(process.argv[2]!) as DaemonArguments
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
const farm = new Farm({ address: { url, credentials: '', ca: '', network }, pool, log, times })
const plans = new Set<Evaluation>()
/** Slots for those alone that the farm may not have. */
const slots = (): number => [...plans].filter((plan) => !farm.accepts(plan)).length
const places = new Places(pool, farm, slots)
const proofs = join(directory, 'proofs')
const running = join(directory, 'running')

async function prove(seed: number): Promise<void> {
  const task = join(running, String(seed))
  mkdirSync(task, { recursive: true })
  const plan = planOf(seed, iterations)
  plans.add(plan)
  const place = places.place.bind(places)
  const proof = await evaluationWith({ directory: task, place, checkpointSeconds, log }).run(plan)
  const kept = join(proofs, String(seed))
  mkdirSync(kept, { recursive: true })
  await replaceFile(kept, 'proof', proof)
  plans.delete(plan)
  farm.forget(plan)
}

mkdirSync(proofs, { recursive: true })
mkdirSync(running, { recursive: true })
await farm.start()
const begun = readdirSync(running).map(Number)
const left = begun.filter((seed) => !existsSync(join(proofs, String(seed), 'proof')))
let next = Math.max(0, ...begun) + 1
const isEnough = (): boolean => existsSync(join(directory, 'enough'))
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    // However early it was killed, each of those at once is proved.
    const goesOn = (): boolean => !isEnough() || next <= atOnce
    for (let seed = left.shift(); seed !== undefined || goesOn(); seed = left.shift()) await prove(seed ?? next++)
  })
)
await farm.close()
await pool.close()
