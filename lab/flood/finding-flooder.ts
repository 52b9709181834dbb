/** A few ids that ask for random keys at a steady rate, in their own process. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { AskError, ask } from '../../src/network/wire/exchange.ts'
import type { Tally } from './messages.ts'
import { startAsker } from './asker.ts'
import type { FindingFlooderStart } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'

const STEP_MS = 20

process.once('message', (message) => void run(message as FindingFlooderStart))
process.on('disconnect', () => process.exit())

async function run({ address, identities, prefixes, rate }: FindingFlooderStart): Promise<void> {
  const nodes = await Promise.all(
    Array.from({ length: identities }, (_, index) => startAsker(`127.66.${index % prefixes}.1`))
  )
  const victims = await Promise.all(nodes.map(async (node) => (await node.dial(multiaddr(address))).remotePeer))
  let answers: Tally[string] = {}
  process.on('message', () => {
    process.send!({ find: answers } satisfies Tally)
    answers = {}
  })
  process.send!({})
  const began = performance.now()
  for (let sent = 0; ;) {
    for (; sent < (rate * (performance.now() - began)) / 1_000; sent++) {
      const of = sent % identities
      const question = { type: 'find', key: new Uint8Array(randomBytes(32)) } as const
      void ask(nodes[of]!, victims[of]!, question, FLOOD_PROFILE)
        .then(({ type }) => type)
        .catch((error: unknown) => {
          if (error instanceof AskError) return 'no answer'
          throw error
        })
        .then((answer) => (answers[answer] = (answers[answer] ?? 0) + 1))
    }
    await setTimeout(STEP_MS)
  }
}
