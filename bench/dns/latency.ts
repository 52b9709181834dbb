/** How soon cached answers come while every core squares. */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { dnsperf } from '../../scripts/dns/dnsperf.ts'
import { measured, type Figure } from '../figure.ts'
import { say } from '../network/scratch.ts'
import { median, summary } from '../statistics.ts'
import { processorMicroseconds, type Measured, type Scene } from './scene.ts'

const TARGET_MS = 1
const QUERIES_PER_SECOND = 1_000
/** Threads start and slices find their length. */
const WARM_UP_MS = 3_000

interface Round {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly lost: number
  /** Cores that the server's process kept busy: nearly all, where it squares. */
  readonly cores: number
}

/**
 * The server's process squares as the daemon does. Each round also asks without any squaring: what that shows is the
 * machine's other work, and the client's own waits.
 */
export async function latencyWhileSquaring(
  scene: Scene,
  { rounds, seconds }: { rounds: number; seconds: number }
): Promise<Figure[]> {
  const evaluations = availableParallelism()
  const quiet: Round[] = []
  const squaring: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const dnssecOk = round % 2 === 1
    quiet.push(await measure(await scene.startSquaring(0), dnssecOk, seconds, scene.questions))
    squaring.push(await measure(await scene.startSquaring(evaluations), dnssecOk, seconds, scene.questions))
    const [without, p99] = [quiet.at(-1)!.p99, squaring.at(-1)!.p99]
    say(`latency, round ${round + 1}: p99 ${p99.toFixed(3)} ms, without squaring ${without.toFixed(3)} ms`)
  }
  const of = (figure: keyof Round, taken = squaring): number[] => taken.map((each) => each[figure])
  return [
    measured(
      {
        name: `udp: p99 of ${QUERIES_PER_SECOND.toLocaleString('en')} queries a second while every core squares`,
        unit: 'ms',
        target: { at_most: TARGET_MS },
        parts: {
          'p50 ms': median(of('p50')),
          'max ms': Math.max(...of('max')),
          'p99 without squaring ms': median(of('p99', quiet)),
          lost: Math.max(...of('lost')),
          'cores kept busy': median(of('cores'))
        }
      },
      summary(of('p99'))
    )
  ]
}

async function measure(server: Measured, dnssecOk: boolean, seconds: number, questions: string): Promise<Round> {
  const load = { questions, transport: 'udp', dnssecOk, cpu: null, rate: QUERIES_PER_SECOND } as const
  try {
    await delay(WARM_UP_MS)
    await dnsperf(server, { ...load, seconds: 1 })
    const [before, began] = [processorMicroseconds(server.pid), performance.now()]
    const { latencies, lost } = await dnsperf(server, { ...load, seconds, latencies: true })
    const cores = (processorMicroseconds(server.pid) - before) / 1000 / (performance.now() - began)
    const at = (share: number): number => latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)]!
    return { p50: at(0.5), p99: at(0.99), max: at(1), lost, cores }
  } finally {
    await server.stop()
  }
}
