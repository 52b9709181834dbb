/**
 * A few keys of one address that hold silent connections, in their own process. Closed connections are dialled again.
 */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import type { Libp2p } from '@libp2p/interface'
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createLibp2p } from 'libp2p'
import type { IdlerFigures, IdlerStart } from './messages.ts'

/** As many as a node keeps of one peer. */
const OF_KEY = 2
const DIAL_TIMEOUT_MS = 10_000
/** Before what was refused or closed is dialled again: for 300 that is six times what one prefix may have. */
const PAUSE_MS = 10_000

let dials = 0

process.once('message', (message) => void run(message as IdlerStart))
process.on('disconnect', () => process.exit())

async function run({ address, connections, ofKey = OF_KEY, prefixes = 1, pauseMs }: IdlerStart): Promise<void> {
  const keys = Math.ceil(connections / ofKey)
  const place = (prefix: number): string => `127.${66 + (prefix >> 8)}.${prefix & 255}.1`
  const nodes = await Promise.all(Array.from({ length: keys }, (_, index) => startNode(index, place(index % prefixes))))
  const tell = (): void => {
    process.send!({ held: nodes.flatMap((node) => node.getConnections()).length, dials } satisfies IdlerFigures)
  }
  process.on('message', tell)
  const first = nodes.map((node) => fill(node, address, ofKey))
  if (pauseMs === undefined) await Promise.all(first)
  tell()
  for (const [index, node] of nodes.entries())
    void first[index]!.then(() => refill(node, address, ofKey, pauseMs ?? PAUSE_MS))
}

async function startNode(index: number, place: string): Promise<Libp2p> {
  return createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', createHash('sha256').update(`idle ${index}`).digest()),
    addresses: { listen: [] },
    transports: [tcp({ dialOpts: { localAddress: place } } as Parameters<typeof tcp>[0])],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionGater: { denyDialMultiaddr: () => false },
    services: { identify: identify() }
  })
}

/** One after the other: dials of one key at one moment would be one dial. */
async function fill(node: Libp2p, address: string, ofKey: number): Promise<void> {
  for (let missing = ofKey - node.getConnections().length; missing > 0; missing--) {
    dials++
    // Refused, or dialled again later.
    await node
      .dial(multiaddr(address), { force: true, signal: AbortSignal.timeout(DIAL_TIMEOUT_MS) })
      .catch(() => undefined)
  }
}

async function refill(node: Libp2p, address: string, ofKey: number, pauseMs: number): Promise<void> {
  for (;;) {
    await setTimeout(pauseMs)
    await fill(node, address, ofKey)
  }
}
