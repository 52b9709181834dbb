/** Small networks with trouble of their own: slow messages, wrong clocks, shared prefixes, owners who are away. */
import { DEFAULT_COMMITMENT_LIMITS } from '../../../../src/network/holder/commitments/commitments.ts'
import type { NetworkProfile } from '../../../../src/protocol/profile/profile.ts'
import { NO_FAULTS, type FaultRates } from '../../network/faults.ts'
import { ALWAYS_AWAKE, Owner, type Habits } from '../../people/owner.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, World } from '../../world.ts'
import type { TableOptions, TableRun } from '../kinds.ts'
import { leastWitnessed } from './costs.ts'
import { settledLooks } from './looks.ts'

type Figures = Pick<TableRun, 'columns' | 'row'>

const NAME = 'the-name-of-somebody.chronym'

/** Networks of each figure: seeds of their own. */
const NETWORKS = 5

/** A tenth of all messages is lost, three in ten are up to a minute late. */
const BAD_LINES: FaultRates = { loss: 0.1, duplicates: 0, late: 0.3, lateMs: 60_000 }

interface Setting {
  readonly profile: NetworkProfile
  readonly options: TableOptions
  readonly rates?: FaultRates
}

function worlds({ profile, options, rates = NO_FAULTS }: Setting, prefix?: (index: number) => string): World[] {
  return Array.from({ length: NETWORKS }, (_, number) => {
    const world = new World(`${options.seed} ${number}`, profile, rates)
    for (let index = 0; index < options.nodes; index++)
      world.addNode(prefix === undefined ? {} : { prefix: prefix(index) })
    return world
  })
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

/** Two rivals of one name. The one with the earlier pulse reveals later by that much, while messages are late. */
export const races: Figures = {
  columns: [20, 60, 240].map(
    (seconds) =>
      `holders against the earlier pulse, its reveal ${seconds} s behind the rival's, of all in five networks`
  ),
  row: async (profile, options) => {
    const cells: string[] = []
    for (const behind of [20, 60, 240])
      cells.push(await raceCell({ profile, options, rates: BAD_LINES }, behind * 1000))
    return cells
  }
}

async function raceCell(setting: Setting, behindMs: number): Promise<string> {
  let [wrong, of] = [0, 0]
  for (const world of worlds(setting)) {
    const [first, second] = [new Owner(world, NAME), new Owner(world, NAME)]
    const live = async (): Promise<void> => {
      const work = first.work(await first.committed())
      await world.sleep(2 * MINUTE_MS)
      await second.work(await second.committed())
      void Promise.all([work, world.sleep(behindMs)]).then(() => first.keep())
      await second.keep()
    }
    world.timeline.after(MINUTE_MS, () => void live())
    await world.timeline.runUntil(world.timeline.nowMs + 2 * HOUR_MS)
    const holders = world.holdersOf(first.recordKey)
    of += holders.length
    wrong += holders.filter(({ held }) => held.get(NAME)?.owner !== first.pubkey).length
  }
  return `${wrong}/${of}`
}

/** One owner on bad lines: how many holders took the claim as witnessed, and how long it took to begin. */
export const badLines: Figures = {
  columns: [
    'seconds from the beginning to p, median of five networks with bad lines',
    'holders that enter the claim as witnessed, of all',
    'attempts with another salt'
  ],
  row: async (profile, options) => {
    const waits: number[] = []
    let [witnessed, of, attempts] = [0, 0, 0]
    for (const world of worlds({ profile, options, rates: BAD_LINES })) {
      const owner = new Owner(world, NAME)
      const beganMs = world.timeline.nowMs
      const states = new Map<string, string>()
      world.watchers.push({
        held: ({ peer }, name, before, after) => {
          if (name === NAME && before === undefined && after !== undefined) states.set(peer.peer, after.state)
        }
      })
      const live = async (): Promise<void> => {
        const round = await owner.committed()
        waits.push((round - world.round()) * profile.beacon.period + (world.timeline.nowMs - beganMs) / 1000)
        await owner.work(round)
        await owner.keep()
      }
      void world.timeline.after(0, () => void live())
      await world.timeline.runUntil(beganMs + 2 * HOUR_MS)
      const holders = world.holdersOf(owner.recordKey)
      of += holders.length
      witnessed += holders.filter(({ peer }) => states.get(peer.peer) === 'fresh').length
      attempts += owner.attempts
    }
    return [waits.length === 0 ? 'never' : median(waits).toFixed(0), `${witnessed}/${of}`, `${attempts}`]
  }
}

/**
 * Holders whose clocks are behind and whom pulses reach as late, each by another time up to that. Their s may be before
 * the sending.
 */
export const behind: Figures = {
  columns: [
    ...[3, 10, 60].map((seconds) => `networks of five in which an owner gets p, holders up to ${seconds} s behind`),
    'rounds by which a later commitment may have the earlier pulse'
  ],
  row: async (profile, options) => {
    const cells: string[] = []
    for (const seconds of [3, 10, 60]) {
      let done = 0
      for (const world of worlds({ profile, options })) {
        for (const node of world.topology.all()) node.setBehind(seconds * 1000 * world.chance.next())
        const owner = new Owner(world, NAME)
        void world.timeline.after(0, () => void owner.committed().then(() => done++))
        await world.timeline.runUntil(world.timeline.nowMs + HOUR_MS / 2)
      }
      cells.push(`${done}`)
    }
    return [...cells, `${profile.min_commit - leastWitnessed(profile)}`]
  }
}

/** The beacon stops while an owner works, who is done before it returns. */
export const outages: Figures = {
  columns: [
    [8, 12],
    [33, 36]
  ].map(([done, down]) => `hours from the end of the work to the name, ${done} h into ${down} h without a beacon`),
  row: async (profile, options) => [
    await waitOf({ profile, options }, 8, 12),
    await waitOf({ profile, options }, 33, 36)
  ]
}

async function waitOf(setting: Setting, workHours: number, downHours: number): Promise<string> {
  const waits: number[] = []
  for (const world of worlds(setting)) {
    const squaringsPerSecond = setting.profile.difficulty.base / workHours / 3600
    const owner = new Owner(world, NAME, { ...ALWAYS_AWAKE, squaringsPerSecond })
    stopBeacon(world, downHours)
    void world.timeline.after(0, () => void owner.live())
    await world.timeline.runUntil(world.timeline.nowMs + (downHours + 12) * HOUR_MS)
    const { registeredMs, revealedMs } = owner
    waits.push(registeredMs === undefined ? Infinity : (registeredMs - revealedMs!) / HOUR_MS)
  }
  return median(waits).toFixed(1)
}

/** From five minutes on, once the owner has a pulse. */
function stopBeacon({ timeline, beacon }: World, hours: number): void {
  void timeline.after(5 * MINUTE_MS, () => beacon.stop())
  void timeline.after(5 * MINUTE_MS + hours * HOUR_MS, () => beacon.resume())
}

/** Honest nodes that share a /24, each /24 in a /16 of its own, so that only the first limit counts. */
export const sharedPrefixes: Figures = {
  columns: [1, 2, 4, 8].map((each) => `${each} in each /24: right looks, firm pins, holders that settle`),
  row: async (profile, options) => {
    const cells: string[] = []
    for (const each of [1, 2, 4, 8]) {
      const all = worlds({ profile, options }, (index) => `10.${Math.floor(index / each)}.0.0/24`).slice(0, 1)
      for (const world of all) cells.push(await settledLooks(world, new Owner(world, NAME)))
    }
    return cells
  }
}

/** A phone that works on a name and is off for days: its commitment must still be known when it reveals. */
export const away: Figures = {
  columns: [
    ...[1, 5, 10].map(
      (days) => `networks of five in which a phone, off for ${days} days while it works, gets the name`
    ),
    'commitments that a holder keeps of one core that makes stamps all the time'
  ],
  row: async (profile, options) => {
    const cells: string[] = []
    for (const days of [1, 5, 10]) {
      let got = 0
      for (const world of worlds({ profile, options })) {
        const absence = { fromMs: 6 * HOUR_MS, untilMs: (6 / 24 + days) * DAY_MS }
        const habits: Habits = { ...ALWAYS_AWAKE, squaringsPerSecond: 20_000, absences: [absence] }
        const owner = new Owner(world, NAME, habits)
        void world.timeline.after(MINUTE_MS, () => void owner.live())
        forgetHourly(world)
        await world.timeline.runUntil(world.timeline.nowMs + (days + 2) * DAY_MS)
        const holders = world.holdersOf(owner.recordKey)
        const settled = holders.filter(({ held }) => held.get(NAME)?.state !== 'provisional' && held.has(NAME))
        if (owner.registeredMs !== undefined && settled.length * 2 > holders.length) got++
      }
      cells.push(`${got}`)
    }
    // A second of a core for each stamp.
    const kept = Math.min(DEFAULT_COMMITMENT_LIMITS.total, Math.round(profile.commit_keep * profile.beacon.period))
    return [...cells, `${kept}`]
  }
}

/** Hourly rounds of nodes around which nothing changes are left out in a run, and these forget commitments too. */
function forgetHourly(world: World): void {
  void world.timeline.after(HOUR_MS, () => {
    for (const { holder } of world.topology.all()) holder?.commitments.forget()
    forgetHourly(world)
  })
}
