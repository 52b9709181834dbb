/** Strangers that look up random keys at one node, and an honest peer whose `get` is timed meanwhile. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { ask as askPeer } from '../../src/network/wire/exchange.ts'
import { startAsker } from './asker.ts'
import { ask, startChild, type End } from './children.ts'
import type { FindingFlooderStart, FindingVictimFigures, FindingVictimStart, Tally, VictimReady } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'

const GET_EVERY_MS = 50

interface FindingOptions extends Omit<FindingFlooderStart, 'address'> {
  /** Peers in the victim's table. */
  readonly known: number
  readonly seconds: number
}

export interface FindingPhase extends FindingVictimFigures {
  readonly get_ms: readonly number[]
}

interface FindingReport {
  readonly quiet: FindingPhase
  readonly during: FindingPhase
  readonly answers: Tally[string]
}

export async function runFinding({ known, seconds, ...flood }: FindingOptions): Promise<FindingReport> {
  const ends: End[] = []
  try {
    const victim = startChild('finding-victim.ts', ends, {})
    const { address } = await ask<VictimReady>(victim, { place: '127.65.0.1', known } satisfies FindingVictimStart)
    const honest = await startAsker('127.67.0.1')
    ends.push(async () => honest.stop())
    const { remotePeer } = await honest.dial(multiaddr(address))
    const phase = async (): Promise<FindingPhase> => {
      await ask(victim, {})
      const times: number[] = []
      for (const began = performance.now(); performance.now() - began < seconds * 1_000;) {
        const asked = performance.now()
        await askPeer(
          honest,
          remotePeer,
          { type: 'get', kind: 'reveal', key: new Uint8Array(randomBytes(32)) },
          FLOOD_PROFILE
        )
        times.push(performance.now() - asked)
        await setTimeout(GET_EVERY_MS)
      }
      return { ...(await ask<FindingVictimFigures>(victim, {})), get_ms: times }
    }
    const quiet = await phase()
    const flooder = startChild('finding-flooder.ts', ends, {})
    await ask(flooder, { address, ...flood } satisfies FindingFlooderStart)
    const during = await phase()
    return { quiet, during, answers: (await ask<Tally>(flooder, {}))['find']! }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
