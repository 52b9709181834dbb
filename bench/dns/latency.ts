/** How soon cached answers come while every core squares. */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { dnsperf } from '../../scripts/dns/dnsperf.ts'
import { measured, type Figure } from '../figure.ts'
import { say } from '../network/scratch.ts'
import { median, summary } from '../statistics.ts'
import type { Scene } from './scene.ts'

const TARGET_MS = 1
const QUERIES_PER_SECOND = 1_000
/** Threads start and slices find their length. */
const WARM_UP_MS = 3_000

export async function latencyWhileSquaring(
  scene: Scene,
  { rounds, seconds }: { rounds: number; seconds: number }
): Promise<Figure[]> {
  const evaluations = availableParallelism()
  const server = await scene.startSquaring(evaluations)
  const load = { questions: scene.questions, transport: 'udp', cpu: null, rate: QUERIES_PER_SECOND } as const
  const taken = []
  try {
    await delay(WARM_UP_MS)
    for (const dnssecOk of [false, true]) await dnsperf(server, { ...load, dnssecOk, seconds: 1 })
    for (let round = 0; round < rounds; round++) {
      const { latencies, lost } = await dnsperf(server, {
        ...load,
        dnssecOk: round % 2 === 1,
        seconds,
        latencies: true
      })
      const at = (share: number): number => latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)]!
      taken.push({ p50: at(0.5), p99: at(0.99), max: at(1), lost })
      say(`latency, round ${round + 1}: p50 ${at(0.5).toFixed(3)} ms, p99 ${at(0.99).toFixed(3)} ms`)
    }
  } finally {
    await server.stop()
  }
  return [
    measured(
      {
        name: `udp: p99 of ${QUERIES_PER_SECOND.toLocaleString('en')} queries a second while every core squares`,
        unit: 'ms',
        target: { at_most: TARGET_MS },
        parts: {
          'p50 ms': median(taken.map(({ p50 }) => p50)),
          'max ms': Math.max(...taken.map(({ max }) => max)),
          lost: Math.max(...taken.map(({ lost }) => lost)),
          evaluations
        }
      },
      summary(taken.map(({ p99 }) => p99))
    )
  ]
}
