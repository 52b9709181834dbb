/**
 * A few keys of one address that hold silent connections, in their own process. Closed connections are dialled again.
 */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import type { Libp2p } from '@libp2p/interface'
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createLibp2p } from 'libp2p'
import type { IdlerFigures, IdlerStart } from './messages.ts'

const PLACE = '127.66.0.1'
/** As many as a node keeps of one peer. */
const OF_KEY = 2
const DIAL_TIMEOUT_MS = 10_000
/** Before what was refused or closed is dialled again: for 300 that is six times what one prefix may have. */
const PAUSE_MS = 10_000

let dials = 0

process.once('message', (message) => void run(message as IdlerStart))
process.on('disconnect', () => process.exit())

async function run({ address, connections }: IdlerStart): Promise<void> {
  const keys = Math.ceil(connections / OF_KEY)
  const nodes = await Promise.all(Array.from({ length: keys }, (_, index) => startNode(index)))
  const tell = (): void => {
    process.send!({ held: nodes.flatMap((node) => node.getConnections()).length, dials } satisfies IdlerFigures)
  }
  process.on('message', tell)
  await Promise.all(nodes.map((node) => fill(node, address)))
  tell()
  for (const node of nodes) void refill(node, address)
}

async function startNode(index: number): Promise<Libp2p> {
  return createLibp2p({
    privateKey: await generateKeyPairFromSeed('Ed25519', createHash('sha256').update(`idle ${index}`).digest()),
    addresses: { listen: [] },
    transports: [tcp({ dialOpts: { localAddress: PLACE } } as Parameters<typeof tcp>[0])],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionGater: { denyDialMultiaddr: () => false }
  })
}

/** One after the other: dials of one key at one moment would be one dial. */
async function fill(node: Libp2p, address: string): Promise<void> {
  for (let missing = OF_KEY - node.getConnections().length; missing > 0; missing--) {
    dials++
    // Refused, or dialled again later.
    await node
      .dial(multiaddr(address), { force: true, signal: AbortSignal.timeout(DIAL_TIMEOUT_MS) })
      .catch(() => undefined)
  }
}

async function refill(node: Libp2p, address: string): Promise<void> {
  for (;;) {
    await setTimeout(PAUSE_MS)
    await fill(node, address)
  }
}
