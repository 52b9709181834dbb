/** What a name that the server does not know costs, beside a resolve over HTTP: both ask the network. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { encodeQuery } from '../../scripts/dns/message.ts'
import { end, firstLine, passErrorsOn, run, type DaemonSummary } from '../../scripts/program.ts'
import { measured, type Figure } from '../figure.ts'
import { endWithUs, say, scratchDirectory } from '../network/scratch.ts'
import { until } from '../network/waiting.ts'
import { alternate, median, ratios, summary } from '../statistics.ts'
import { processorMicroseconds } from './scene.ts'

/** Names of one turn, one after the other: a peer's budget for this machine is some 380 names at once. */
const TURN = 20
/** Turns of each kind at most, within that budget. */
const MAX_ROUNDS = 7
/** "What a resolve costs", within what such a ratio scatters. */
const TARGET = 1.1

interface Running {
  readonly url: string
  readonly address: string
  readonly pid: number
  readonly beacon: string
  stop(): Promise<unknown>
}

async function start(directory: string, args: readonly string[]): Promise<Running> {
  const child = run('scripts/unlimited-daemon.ts', ['--data-dir', directory, ...args])
  endWithUs(child)
  passErrorsOn(child)
  const ready = await firstLine<DaemonSummary & { beacon_urls: readonly string[] }>(child)
  return {
    url: ready.api_url,
    address: ready.addresses[0]!,
    pid: child.pid!,
    beacon: ready.beacon_urls[0]!,
    stop: () => end(child, 'SIGTERM')
  }
}

/** Of two daemons on network `local`, the one asks the other. */
export async function missBesideResolve(rounds: number): Promise<Figure[]> {
  const directory = scratchDirectory()
  const peer = await start(join(directory, 'peer'), [])
  const asked = await start(join(directory, 'asked'), ['--beacon', peer.beacon, '--bootstrap', peer.address])
  const json = async (path: string): Promise<unknown> => (await fetch(asked.url + path)).json()
  await until(
    'the daemons know each other',
    async () => ((await json('/api/network-status')) as { peers: number }).peers > 0
  )
  const { listen } = (await json('/api/dns')) as {
    listen: readonly { transport: string; address: string; port: number }[]
  }
  const server = listen.find(({ transport, address }) => transport === 'udp' && address === '127.0.0.1')!
  const socket = createSocket('udp4')
  socket.connect(server.port, server.address)
  await once(socket, 'connect')

  let name = 0
  const query = async (): Promise<void> => {
    socket.send(encodeQuery(name & 0xffff, { name: `miss-${name++}.chronym`, type: 'A' }))
    const [reply] = (await once(socket, 'message')) as [Buffer]
    if ((reply[3]! & 15) !== 3) throw new Error(`a name that nobody has was answered with ${reply[3]! & 15}`)
  }
  const resolve = async (): Promise<void> => {
    const { status } = await fetch(`${asked.url}/api/resolve/miss-${name++}.chronym`)
    if (status !== 404) throw new Error(`a name that nobody has was answered with ${status}`)
  }
  const times = { query: [] as number[], resolve: [] as number[] }
  /** CPU time of the daemon for each, microseconds. */
  const turn = async (kind: 'query' | 'resolve'): Promise<number> => {
    const [before, began] = [processorMicroseconds(asked.pid), performance.now()]
    for (let count = 0; count < TURN; count++) await (kind === 'query' ? query() : resolve())
    times[kind].push((performance.now() - began) / TURN)
    return (processorMicroseconds(asked.pid) - before) / TURN
  }
  for (const kind of ['query', 'resolve'] as const) await turn(kind)
  times.query.length = times.resolve.length = 0
  const { left, right } = await alternate(
    Math.min(rounds, MAX_ROUNDS),
    () => turn('query'),
    () => turn('resolve')
  )
  socket.close()
  await Promise.all([asked.stop(), peer.stop()])
  say(`miss: ${median(left).toFixed(0)} µs, resolve: ${median(right).toFixed(0)} µs`)
  const known = { unit: 'ratio' } as const
  return [
    measured(
      {
        ...known,
        name: "miss: CPU time of the daemon, a query's to a resolve's",
        target: { at_most: TARGET },
        parts: { 'query µs': median(left), 'resolve µs': median(right) }
      },
      summary(ratios(left, right))
    ),
    measured(
      {
        ...known,
        name: "miss: time until the answer, a query's to a resolve's",
        parts: { 'query ms': median(times.query), 'resolve ms': median(times.resolve) }
      },
      summary(ratios(times.query, times.resolve))
    )
  ]
}
