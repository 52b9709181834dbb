/** 200 kills of workers, server and daemon of a farm. Prints what became of the work, as JSON. FARM_SEED repeats a run. */
import { expect, it } from 'vitest'
import { runFaults } from '../farm/faults.ts'

const HOUR_MS = 3_600_000
const SEED = Number(process.env['FARM_SEED'] ?? Date.now() % 2 ** 31)

it(
  'a farm loses no work and takes no wrong proof, whatever is killed when',
  async () => {
    process.stdout.write(`FARM_SEED=${SEED}\n`)
    const outcome = await runFaults({ kills: 200, seed: SEED, checkpointSeconds: 0.1, mostMs: 3000 })
    const { wrong, lost, proved, kills, repeatedSeconds } = outcome
    const at = (share: number): number => repeatedSeconds[Math.floor(share * (repeatedSeconds.length - 1))] ?? 0
    console.log(
      JSON.stringify({
        kills,
        proved,
        wrong,
        lost,
        takenUp: repeatedSeconds.length,
        median: at(0.5),
        p95: at(0.95),
        most: at(1)
      })
    )
    expect({ wrong, lost }).toEqual({ wrong: 0, lost: 0 })
  },
  HOUR_MS
)
