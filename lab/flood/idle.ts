/**
 * Newcomers at a node full of idle connections. The node and the holder of the connections are processes; the newcomers
 * run in this one.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { createBeaconClient } from '../../src/beacon/client.ts'
import type { NativePool } from '../../src/native/types.ts'
import { createNetwork } from '../../src/network/network.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { ask, startChild, type End } from './children.ts'
import type { IdlerFigures, IdlerStart, VictimFigures, VictimQuestion } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'
import { inScene } from './scene.ts'

const NEWCOMERS = 10
/** How long the idle connections may take to open, five a second. */
const FILL_MS = 70_000
const FILL_LOOK_MS = 1_000
/** Between two looks at whether a newcomer has joined, or is shown the name. */
const LOOK_MS = 20
const GIVE_UP_MS = 60_000
/** How long open connections are watched: the victim closes an idle one after half a minute at the earliest. */
const STAY_MS = 10_000

const NAME = `resolved-by-newcomers.${FLOOD_PROFILE.tld}`

interface IdleReport {
  /** Idle connections that were wanted, that are held, and dials that it took until then. */
  readonly idle: IdlerFigures & { readonly wanted: number }
  /**
   * Milliseconds from a newcomer's start until it knew the victim, and until it was shown the name; null beyond a
   * minute.
   */
  readonly newcomers: readonly {
    readonly joined: number | null
    readonly resolved: number | null
    readonly stayed: boolean
  }[]
  readonly before: VictimFigures
  readonly after: VictimFigures
}

export async function runIdle(connections: number): Promise<IdleReport> {
  return inScene(async ({ directory, beaconUrl, victim, address, owner, pool, ends }) => {
    await owner.register(NAME)
    const figures = (): Promise<VictimFigures> =>
      ask(victim, { commitments: [], honest: owner.peerId } satisfies VictimQuestion)
    const before = await figures()

    const idler = startChild('idler.ts', ends, {})
    let idle = await ask<IdlerFigures>(idler, { address, connections } satisfies IdlerStart)
    for (
      const giveUp = performance.now() + FILL_MS;
      idle.held < connections && performance.now() < giveUp;
      idle = await ask<IdlerFigures>(idler, {})
    )
      await setTimeout(FILL_LOOK_MS)
    const newcomers = await Promise.all(
      Array.from({ length: NEWCOMERS }, (_, index) =>
        arrive(`127.${100 + index}.0.1`, {
          address,
          beaconUrl,
          directory: join(directory, `newcomer-${index}`),
          pool,
          ends
        })
      )
    )
    return { idle: { wanted: connections, ...idle }, newcomers, before, after: await figures() }
  })
}

interface Surroundings {
  readonly address: string
  readonly beaconUrl: string
  readonly directory: string
  readonly pool: NativePool
  readonly ends: End[]
}

async function arrive(
  place: string,
  { address, beaconUrl, directory, pool, ends }: Surroundings
): Promise<IdleReport['newcomers'][number]> {
  const store = openStore(join(directory, 'chronym.db'))
  const beacon = createBeaconClient({ chain: FLOOD_PROFILE.beacon, urls: [beaconUrl], pool })
  const network = createNetwork({
    profile: FLOOD_PROFILE,
    store,
    nodeSeed: new Uint8Array(randomBytes(32)),
    beacon,
    clock: createRoundClock(beacon, FLOOD_PROFILE, store, Date.now),
    pool,
    listen: [`/ip4/${place}/tcp/0`],
    dialFrom: place,
    bootstrap: [address],
    mode: 'full',
    log: pino({ level: 'silent' })
  })
  ends.push(async () => {
    await network.stop()
    beacon.stop()
    store.close()
  })
  const began = performance.now()
  const since = async (check: () => Promise<boolean>): Promise<number | null> => {
    while (!(await check().catch(() => false))) {
      if (performance.now() - began > GIVE_UP_MS) return null
      await setTimeout(LOOK_MS)
    }
    return performance.now() - began
  }
  beacon.start()
  await network.start()
  const joined = await since(() => Promise.resolve(network.knownPeers() > 0))
  const resolved = await since(async () =>
    (await network.getReveals(NAME)).answers.some(({ reveal }) => reveal !== undefined)
  )
  await setTimeout(STAY_MS)
  return { joined, resolved, stayed: network.status().status === 'online' }
}
