/** Many small tasks: what one adds to its squarings, and how many are proved by one worker process and by several. */
import { availableParallelism } from 'node:os'
import { measured, type Figure } from '../figure.ts'
import { say } from '../network/scratch.ts'
import { BITS } from '../tasks/real-tasks.ts'
import { median, ratios, summary } from '../statistics.ts'
import type { Proved } from './daemon.ts'
import {
  type BenchDaemon,
  type BenchProcess,
  type BenchServer,
  processorSeconds,
  startDaemon,
  startServer,
  startWorker
} from './scene.ts'

/** About a tenth of a second. */
const TINY = 30_000
/** Hardly anything but the task itself. */
const NOTHING = 1_000
const WORKERS = [1, 2, 4, 8]
const ALONE = 25

const planOf = (iterations: number) => ({ discriminantBits: BITS, iterations, split: null, checkpointSeconds: 10 })

interface Scene {
  readonly server: BenchServer
  readonly daemon: BenchDaemon
}

/** Divides `tasks` by `rounds`: each number of workers has its part of them in each round. */
export async function measureTasks(tasks: number, rounds: number): Promise<Figure[]> {
  const server = await startServer()
  const daemon = startDaemon(server.url)
  const scene = { server, daemon }
  const figures = [await alone(scene), ...(await together(scene, Math.ceil(tasks / rounds), rounds))]
  daemon.close()
  await server.stop()
  return figures
}

async function withWorkers<T>({ server, daemon }: Scene, count: number, run: (all: BenchProcess[]) => Promise<T>) {
  const workers = Array.from({ length: count }, (_, index) => startWorker(server.url, `w${index}`))
  await daemon.ask({ do: 'room', count })
  const result = await run(workers)
  await Promise.all(workers.map((worker) => worker.kill()))
  return result
}

/** One after the other, by turns. */
async function alone(scene: Scene): Promise<Figure> {
  const taken = { farm: [] as number[], here: [] as number[] }
  await withWorkers(scene, 1, async () => {
    for (let round = 0; round < ALONE; round++)
      for (const on of ['farm', 1] as const) {
        const { taskMs } = await scene.daemon.ask<Proved>({ do: 'prove', on, count: 1, plan: planOf(NOTHING) })
        taken[on === 'farm' ? 'farm' : 'here'].push(taskMs[0]!)
      }
  })
  const added = taken.farm.map((ms, round) => ms - taken.here[round]!)
  const parts = { 'at the farm ms': median(taken.farm), 'here ms': median(taken.here) }
  return measured({ name: `what the farm adds to a task of ${NOTHING} squarings`, unit: 'ms', parts }, summary(added))
}

interface Turn {
  readonly rate: number
  /** Processor time a task, ms. */
  readonly workerMs: number
  readonly daemonMs: number
  readonly serverMs: number
  readonly bytesIn: number
  readonly bytesOut: number
}

async function together(scene: Scene, count: number, rounds: number): Promise<Figure[]> {
  const here: number[] = []
  const hereMs: number[] = []
  const turns = new Map<number, Turn[]>(WORKERS.map((workers) => [workers, []]))
  const cores = availableParallelism()
  for (let round = 0; round < rounds; round++) {
    const before = processorSeconds(scene.daemon.pid)
    const { seconds } = await scene.daemon.ask<Proved>({ do: 'prove', on: cores, count, plan: planOf(TINY) })
    here.push(count / seconds)
    hereMs.push(((processorSeconds(scene.daemon.pid) - before) * 1000) / count)
    for (const workers of round % 2 === 0 ? WORKERS : WORKERS.toReversed())
      turns.get(workers)!.push(await withWorkers(scene, workers, (all) => turn(scene, all, count)))
    const rates = WORKERS.map((workers) => `${workers}: ${turns.get(workers)!.at(-1)!.rate.toFixed(2)}`)
    say(`round ${round + 1}: ${here.at(-1)!.toFixed(2)} tasks/s on ${cores} cores; by workers ${rates.join(', ')}`)
  }
  return WORKERS.map((workers) => {
    const all = turns.get(workers)!
    const of = (figure: keyof Turn): number => median(all.map((each) => each[figure]))
    // Fewer workers than cores can have their share only.
    const share = Math.min(workers, cores) / cores
    return measured(
      {
        name: `${count * rounds} tasks of ${TINY} squarings on ${workers} worker processes by those of ${Math.min(workers, cores)} cores`,
        unit: 'ratio',
        parts: {
          'tasks/s': of('rate'),
          'here, on all cores': median(here),
          'processor ms of a task here': median(hereMs),
          'of workers': of('workerMs'),
          'of the daemon': of('daemonMs'),
          'of the server': of('serverMs'),
          'kB to the server a task': of('bytesIn') / 1000,
          'kB from it': of('bytesOut') / 1000
        }
      },
      summary(
        ratios(
          all.map(({ rate }) => rate),
          here.map((rate) => rate * share)
        )
      )
    )
  })
}

async function turn({ server, daemon }: Scene, workers: readonly BenchProcess[], count: number): Promise<Turn> {
  const used = (): number => workers.reduce((sum, { pid }) => sum + processorSeconds(pid), 0)
  const before = {
    workers: used(),
    daemon: processorSeconds(daemon.pid),
    server: processorSeconds(server.pid),
    seen: await server.seen()
  }
  const { seconds } = await daemon.ask<Proved>({ do: 'prove', on: 'farm', count, plan: planOf(TINY) })
  const seen = await server.seen()
  return {
    rate: count / seconds,
    workerMs: ((used() - before.workers) * 1000) / count,
    daemonMs: ((processorSeconds(daemon.pid) - before.daemon) * 1000) / count,
    serverMs: ((processorSeconds(server.pid) - before.server) * 1000) / count,
    bytesIn: (seen.in_bytes - before.seen.in_bytes) / count,
    bytesOut: (seen.out_bytes - before.seen.out_bytes) / count
  }
}
