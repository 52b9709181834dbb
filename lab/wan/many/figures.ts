/** Five figures of a network on a wide area, each beside its target and the fewest round trips that it can take. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { eventually, type Daemon } from '../../../__test__/e2e/processes.ts'
import { encodeQuery } from '../../../scripts/dns/message.ts'
import { latencies, timed } from '../../../bench/network/waiting.ts'
import { say } from '../../../bench/network/scratch.ts'
import { DNS_PORT } from '../network.ts'
import type { Many } from './ground.ts'
import { startLoad } from './load.ts'

interface Timed {
  readonly ms: number
  /** The round trip to which this compares. */
  readonly tripMs: number
}

export interface Figure {
  readonly what: string
  readonly samples: number
  readonly failed: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p50_round_trips: number
  readonly least_round_trips: number
  readonly target: string
  /** Of the processor, meanwhile; 0..1. */
  readonly busy: number
}

/** Fewer than a server answers to one network before it limits them. */
const DNS_QUERIES = 200

export async function measureFigures(many: Many): Promise<Figure[]> {
  const { names, askers, tripMs } = many
  const busy = startLoad()
  let failed = 0
  let share = 0
  const done = (): void => {
    share = Math.round(100 * busy()) / 100
  }
  const figure = (what: string, target: string, least: number, times: readonly Timed[]): Figure => {
    const { count, p50_ms, p95_ms } = latencies(times.map(({ ms }) => ms))
    const trips = latencies(times.map((each) => each.ms / each.tripMs)).p50_ms
    const made = {
      what,
      samples: count,
      failed,
      p50_ms,
      p95_ms,
      p50_round_trips: trips,
      least_round_trips: least,
      target
    }
    failed = 0
    return { ...made, busy: share }
  }
  const resolved: Timed[][] = []
  say('resolving')
  for (const name of names) {
    const taken: Timed[] = []
    for (const [index, asker] of askers.entries()) {
      const { ms, result } = await timed(() => asker.request('GET', `/api/resolve/${name}`))
      if (result.status === 200) taken.push({ ms, tripMs: tripMs(many.placeOfAsker(index)) })
      else failed++
    }
    resolved.push(taken)
  }
  done()
  const warm = resolved.slice(names.length >> 1)
  const figures = [
    figure('resolve, not held', 'p50 300, p95 800 ms', 1, resolved.flat()),
    figure('resolve, warm neighbourhood', 'p50 1.5 round trips', 1, warm.flat())
  ]
  say('putting')
  const puts: Timed[] = []
  for (const name of names) {
    const owner = many.ownerOf(name)
    await owner.request('POST', `/api/zone/${name}`, { records: { '@': [{ type: 'A', value: '192.0.2.1', ttl: 30 }] } })
    const { ms, result } = await timed(() => owner.request('POST', `/api/zone/${name}/publish`))
    if (result.status === 200) puts.push({ ms, tripMs: tripMs(many.placeOfOwner(name)) })
    else failed++
  }
  done()
  figures.push(figure('put, to a majority read back', 'p95 3,000 ms', 3, puts))
  say('joining')
  const joins: Timed[] = []
  for (let index = 0; index < many.newcomers; index++) {
    const newcomer = await many.newcomer(index)
    const { ms } = await timed(() =>
      eventually(() => newcomer.request('GET', `/api/resolve/${names[index]!}`), isThere)
    )
    joins.push({ ms, tripMs: tripMs(many.placeOfAsker(askers.length + index)) })
  }
  done()
  figures.push(figure('join, to the first answer', '5,000 ms', 8, joins))
  say('asking by DNS')
  const cached = await askCached(askers[0]!, names[0]!)
  done()
  figures.push(
    figure(
      'DNS, cached',
      'p95 1 ms',
      0,
      cached.map((ms) => ({ ms, tripMs: tripMs(many.placeOfAsker(0)) }))
    )
  )
  return figures
}

const isThere = ({ status }: { status: number }): boolean => status === 200

/** Milliseconds of each query by UDP, after one that is not counted; by the wire between this process and the place. */
async function askCached(daemon: Daemon, name: string): Promise<number[]> {
  const socket = createSocket('udp4')
  socket.connect(DNS_PORT, new URL(daemon.summary.api_url).hostname)
  await once(socket, 'connect')
  const times: number[] = []
  try {
    for (let id = 0; id <= DNS_QUERIES; id++) {
      const answered = once(socket, 'message', { signal: AbortSignal.timeout(20_000) })
      const beginMs = performance.now()
      socket.send(encodeQuery(id, { name, type: 'A' }))
      await answered
      if (id > 0) times.push(performance.now() - beginMs)
    }
    return times
  } finally {
    socket.close()
  }
}

export function tableOf(figures: readonly Figure[]): string {
  return figures
    .map(
      (each) =>
        `${each.what.padEnd(32)} p50 ${each.p50_ms} ms, p95 ${each.p95_ms} ms; ${each.p50_round_trips} round trips, at least ` +
        `${each.least_round_trips}; target ${each.target} (of ${each.samples}, ${each.failed} failed, busy ${Math.round(100 * each.busy)}%)`
    )
    .join('\n')
}
