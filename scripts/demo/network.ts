/** Three daemons and a beacon on loopback, as separate processes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, type Client } from '../../src/api/client/client.ts'
import type { Processes } from './processes.ts'

export interface Node {
  readonly client: Client
  /** Addresses for peers, with the peer id. */
  readonly addresses: readonly string[]
  readonly dataDir: string
}

const POLL_INTERVAL_MS = 200
/** Finding each other takes a second or two; a busy machine more. */
const CONNECT_TIMEOUT_MS = 90_000

export async function startBeacon(processes: Processes): Promise<string> {
  const { summary } = await processes.start('beacon', ['beacon', '--port', '0'])
  return String(summary['url'])
}

export async function startNode(
  processes: Processes,
  name: string,
  directory: string,
  beaconUrl: string,
  bootstrap: readonly string[]
): Promise<Node> {
  const dataDir = join(directory, name)
  const { summary } = await processes.start(name, [
    'daemon',
    `--data-dir=${dataDir}`,
    '--network=local',
    '--mdns=false',
    '--port=0',
    '--listen=/ip4/127.0.0.1/tcp/0',
    `--beacon-url=${beaconUrl}`,
    ...bootstrap.map((address) => `--bootstrap=${address}`)
  ])
  const token = readFileSync(String(summary['token_file']), 'utf8').trim()
  return {
    client: createClient({ baseUrl: String(summary['api_url']), token }),
    addresses: summary['addresses'] as string[],
    dataDir
  }
}

/** Repeats until the answer is defined. */
export async function until<T>(what: string, timeoutMs: number, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline)
      throw new Error(`gave up after ${timeoutMs / 1000} s waiting until ${what}`, { cause: last })
    await delay(POLL_INTERVAL_MS)
  }
}

/** Waits until every node is ready and sees all the others. */
export async function untilConnected(nodes: readonly Node[]): Promise<void> {
  await until('all daemons know each other', CONNECT_TIMEOUT_MS, async () => {
    for (const { client } of nodes) {
      const [{ ready }, { status, peers }] = await Promise.all([client.readiness(), client.networkStatus()])
      if (!ready || status !== 'online' || peers < nodes.length - 1) return undefined
    }
    return true
  })
}
