/**
 * A node whose table is full of made-up peers, in its own process. It answers `find` as daemons do, and `get` with
 * nothing.
 */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { createBudget } from '../../src/network/budget/budget.ts'
import { startNode } from '../../src/network/node.ts'
import { answerFinds, createFinder } from '../../src/network/routing/look-ups.ts'
import { contactOf, createPrefixes } from '../../src/network/routing/prefixes.ts'
import { BUSY } from '../../src/network/wire/answers.ts'
import { serve } from '../../src/network/wire/exchange.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { FindingVictimFigures, FindingVictimStart } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'

const NANOSECONDS = 1e6

process.once('message', (message) => void run(message as FindingVictimStart))
process.on('disconnect', () => process.exit())

async function run({ place, known }: FindingVictimStart): Promise<void> {
  const node = await startNode({
    profile: FLOOD_PROFILE,
    nodeSeed: sha256(utf8('finding victim')),
    listen: [`/ip4/${place}/tcp/0`],
    bootstrap: () => [],
    isBanned: () => false,
    mayConnect: () => true,
    agent: 'victim'
  })
  const prefixes = createPrefixes(node, FLOOD_PROFILE)
  for (let index = 0; node.services.table.size < known; index++) {
    const { publicKey } = keyPairFromSeed(sha256(utf8('known'), u64be(index)))
    const id = peerIdFromPublicKey(publicKeyFromRaw(publicKey))
    node.services.table.offer(contactOf(id, prefixes), performance.now())
    if (!node.services.table.has(id)) continue
    const address = `/ip4/45.${index >> 8}.${index & 255}.1/tcp/7469`
    await node.peerStore.patch(id, { multiaddrs: [multiaddr(address)] })
  }
  const budget = createBudget(true)
  const finder = createFinder(
    node,
    FLOOD_PROFILE,
    prefixes,
    () => Promise.resolve(),
    () => false
  )
  const busy = (): typeof BUSY => BUSY
  await serve({
    node,
    profile: FLOOD_PROFILE,
    handlers: {
      commit: busy,
      put: busy,
      get: () => ({ type: 'none' }),
      list: busy,
      commitments: busy,
      find: answerFinds(finder, budget),
      reach: busy,
      time: busy
    },
    budget,
    penalise: () => undefined,
    onFault: (_request, error) => {
      process.stderr.write(`victim: ${(error as Error).message}\n`)
    }
  })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let took = process.threadCpuUsage()
  let since = performance.now()
  process.on('message', () => {
    const { user, system } = process.threadCpuUsage(took)
    const figures: FindingVictimFigures = {
      loop_cpu_share: (user + system) / 1000 / (performance.now() - since),
      loop_delay_ms: { p99: delay.percentile(99) / NANOSECONDS, max: delay.max / NANOSECONDS }
    }
    delay.reset()
    took = process.threadCpuUsage()
    since = performance.now()
    process.send!(figures)
  })
  process.send!({ address: node.getMultiaddrs()[0]!.toString() })
}
