/** One network from its start until its names settle, and the share of attempts that worked. */
import { setTimeout as delay } from 'node:timers/promises'
import { roundsIn } from '../../src/protocol/time.ts'
import { sha256, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { say } from '../../bench/network/scratch.ts'
import type { Calls, Resolved } from './calls.ts'
import { startFleet, type Fleet } from './fleet.ts'
import type { Setting } from './settings.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Bootstrap nodes of all others. */
const BOOTSTRAP_NODES = 3

/** Looks, a round and a second apart, after which a node without peers counts as not joined. */
const JOIN_LOOKS = 20
const LOOK_MS = 1_000

/** Rounds per step of time: what is due every minute is due at each step. */
const STEP_ROUNDS = 20

/** As a VDF of the shortest kind takes. */
const VDF_SECONDS = 30 * MINUTE

/** Attempts for a commitment or a put, as a daemon makes them; the figures count the first. */
const ATTEMPTS = 4

/** Full nodes that join when all names have settled, and light ones that resolve. */
const NEWCOMERS = 2
/** A node asks its neighbours for what it lacks within two minutes of its start. */
const NEWCOMERS_SECONDS = 15 * MINUTE

/** Of one name, each by another node that does not own it; and once by a newcomer that is light. */
const RESOLVES = 4

/** Of all tried, those that worked. */
export interface Share {
  readonly worked: number
  readonly of: number
}

export interface Row {
  readonly nodes: number
  readonly setting: string
  readonly where: string
  readonly names: number
  /** Nodes with at least one peer half an hour after the last start. */
  readonly joined: Share
  /** Peers that a node knows, the median; and the fewest. */
  readonly known: { readonly median: number; readonly fewest: number }
  readonly connections: { readonly median: number; readonly most: number }
  /** The size of the network as nodes estimate it, the median. */
  readonly estimate: number
  /** At the first attempt, and at all. */
  readonly commit: { readonly first: Share; readonly last: Share }
  readonly put: { readonly first: Share; readonly last: Share }
  /** Diverse peers whose receipts and whose reading back were asked for, the median. */
  readonly asked: { readonly receipts: number; readonly readBack: number }
  /** Within minutes of the put, the owner was found. */
  readonly resolveSoon: Share
  /** After settling: found, not thin, settled, and such that a daemon pins the owner. */
  readonly resolve: Share
  readonly firm: Share
  readonly settled: Share
  readonly pins: Share
  /** Names that more than half of those who hold them hold as settled. */
  readonly namesSettled: Share
  /** Entries of full nodes that joined later which are more than provisional. */
  readonly adopted: Share
  /** The messages of all failures, without duplicates. */
  readonly faults: readonly string[]
}

interface Tally {
  worked: number
  of: number
}

/** Measures one network, in its own processes. */
export async function measureRow(
  nodes: number,
  setting: Setting,
  names: number,
  profile: NetworkProfile,
  seed: string
): Promise<Row> {
  say(`${nodes} nodes, ${setting.where}`)
  const fleet = await startFleet(profile, seed, nodes)
  try {
    return await new Run(fleet, nodes, setting, profile, seed).measure(names)
  } finally {
    await fleet.stop()
  }
}

class Run {
  readonly #fleet: Fleet
  readonly #nodes: number
  readonly #setting: Setting
  readonly #profile: NetworkProfile
  readonly #seed: string
  readonly #bootstrap: string[] = []
  readonly #faults = new Set<string>()
  readonly #sizes: number[] = []

  constructor(fleet: Fleet, nodes: number, setting: Setting, profile: NetworkProfile, seed: string) {
    this.#fleet = fleet
    this.#nodes = nodes
    this.#setting = setting
    this.#profile = profile
    this.#seed = seed
  }

  async measure(count: number): Promise<Row> {
    const joined = none()
    for (let node = 0; node < this.#nodes; node++) await this.#join(node, 'full')
    await this.#pass(HOUR / 2)
    const known = (await this.#fleet.askAll('known', null)).flat()
    for (const each of known) note(joined, each.known > 0)
    for (let late = this.#nodes - known.length; late > 0; late--) note(joined, false)

    const names = Array.from({ length: count }, (_, index) => `available-name-${index}.${this.#profile.tld}`)
    say(`committing to ${count} names`)
    const commit = { first: none(), last: none() }
    const receipts: number[] = []
    const pulses = new Map<string, number>()
    for (const name of names) {
      const p = await this.#commit(name, commit, receipts)
      if (p !== undefined) pulses.set(name, p)
    }
    await this.#pass(VDF_SECONDS)
    say(`putting ${pulses.size} names`)
    const put = { first: none(), last: none() }
    const readBack: number[] = []
    for (const [name, p] of pulses) await this.#put(name, p, put, readBack)
    await this.#fleet.pass(2 * this.#profile.contest, 4)
    const resolveSoon = none()
    await this.#resolveAll([...pulses.keys()], this.#nodes, (resolved) =>
      note(resolveSoon, resolved?.outcome === 'owner')
    )
    say('letting them settle')
    // A quarter of that lies between two questions, and the first may come late.
    await this.#fleet.pass(Math.ceil(1.6 * this.#profile.settle), STEP_ROUNDS)

    const [resolve, firm, settled, pins] = [none(), none(), none(), none()]
    const light = this.#nodes
    await this.#join(light, 'light')
    await this.#resolveAll([...pulses.keys()], light, (resolved) => {
      note(resolve, resolved?.outcome === 'owner')
      note(firm, resolved?.outcome === 'owner' && !resolved.isThin)
      note(settled, resolved?.outcome === 'owner' && resolved.isSettled)
      note(pins, resolved?.outcome === 'owner' && resolved.pins)
    })
    const namesSettled = none()
    for (const name of pulses.keys()) {
      const held = (await this.#fleet.askAll('held', { name })).flat().filter(({ isOwners }) => isOwners)
      note(namesSettled, held.filter(({ state }) => state === 'settled').length * 2 > held.length)
    }
    const adopted = await this.#newcomers([...pulses.keys()])
    return {
      nodes: this.#nodes,
      setting: this.#setting.id,
      where: this.#setting.where,
      names: count,
      joined,
      known: { median: median(known.map((each) => each.known)), fewest: Math.min(...known.map((each) => each.known)) },
      connections: {
        median: median(known.map((each) => each.connections)),
        most: Math.max(...known.map((each) => each.connections))
      },
      estimate: median(this.#sizes),
      commit,
      put,
      asked: { receipts: median(receipts), readBack: median(readBack) },
      resolveSoon,
      resolve,
      firm,
      settled,
      pins,
      namesSettled,
      adopted,
      faults: [...this.#faults]
    }
  }

  /** Starts a node and waits until it has a peer; a minute passes. */
  async #join(node: number, mode: 'full' | 'light'): Promise<void> {
    const place = this.#setting.place(node)
    const started = await this.#tried(() =>
      this.#fleet.ask(node, 'start', { node, place, bootstrap: this.#bootstrap, mode })
    )
    if (started === undefined) return
    if (this.#bootstrap.length < BOOTSTRAP_NODES) this.#bootstrap.push(started.address)
    if ((node + 1) % 20 === 0) say(`${node + 1} nodes have started`)
    await this.#fleet.pass(STEP_ROUNDS, STEP_ROUNDS)
    for (let look = 0; node > 0 && look < JOIN_LOOKS; look++) {
      const known = (await this.#fleet.ask(node, 'known', null)).find((each) => each.node === node)
      if (known !== undefined && known.known > 0) return
      await this.#fleet.pass(1, 1)
      await delay(LOOK_MS)
    }
  }

  async #commit(name: string, shares: Row['commit'], asked: number[]): Promise<number | undefined> {
    const node = this.#ownerOf(name)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const sentRound = this.#fleet.round
      const outcome = await this.#tried(() => this.#fleet.ask(node, 'commit', { node, name, sentRound }))
      if (attempt === 1) note(shares.first, outcome?.p !== undefined)
      if (outcome?.p !== undefined) {
        asked.push(outcome.of)
        note(shares.last, true)
        return outcome.p
      }
      if (outcome !== undefined) this.#faults.add(`commit: ${outcome.receipts} of ${outcome.of} receipts`)
      await this.#fleet.pass(4, 4)
    }
    note(shares.last, false)
    return undefined
  }

  async #put(name: string, p: number, shares: Row['put'], asked: number[]): Promise<void> {
    const node = this.#ownerOf(name)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const outcome = await this.#tried(() => this.#fleet.ask(node, 'put', { node, name, p }))
      const isStored = outcome !== undefined && outcome.storedBy * 2 > outcome.of
      if (attempt === 1) note(shares.first, isStored)
      if (isStored) {
        asked.push(outcome.of)
        note(shares.last, true)
        return
      }
      if (outcome !== undefined)
        this.#faults.add(
          `put: ${outcome.storedBy} of ${outcome.of}; ${[...new Set(outcome.refusals)].slice(0, 3).join('; ')}`
        )
      await this.#fleet.pass(4, 4)
    }
    note(shares.last, false)
  }

  /**
   * `light`: the index from which on nodes are no full ones of the beginning; it asks too where it has been started.
   */
  async #resolveAll(
    names: readonly string[],
    light: number,
    take: (resolved: Resolved | undefined) => void
  ): Promise<void> {
    say(`resolving ${names.length} names`)
    const isThere = (await this.#fleet.askAll('known', null)).flat().some(({ node }) => node === light)
    for (const name of names) {
      const askers = [...this.#askersOf(name), ...(isThere ? [light] : [])]
      for (const node of askers) {
        const resolved: Calls['resolve']['result'] | undefined = await this.#tried(() =>
          this.#fleet.ask(node, 'resolve', { node, name })
        )
        if (resolved !== undefined) this.#sizes.push(resolved.networkSize)
        if (resolved !== undefined && resolved.outcome !== 'owner') this.#faults.add(`resolve: ${resolved.outcome}`)
        take(resolved)
      }
    }
  }

  /** Full nodes that join now: whether they adopt what they hold. */
  async #newcomers(names: readonly string[]): Promise<Share> {
    say('full nodes join')
    const newcomers = Array.from({ length: NEWCOMERS }, (_, index) => this.#nodes + 1 + index)
    for (const node of newcomers) await this.#join(node, 'full')
    await this.#pass(NEWCOMERS_SECONDS)
    const adopted = none()
    for (const name of names) {
      for (const { node, state } of (await this.#fleet.askAll('held', { name })).flat()) {
        if (newcomers.includes(node)) note(adopted, state !== 'provisional')
      }
    }
    return adopted
  }

  async #tried<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action()
    } catch (error) {
      this.#faults.add((error as Error).message)
      return undefined
    }
  }

  #pass(seconds: number): Promise<void> {
    return this.#fleet.pass(roundsIn(seconds, this.#profile.beacon), STEP_ROUNDS)
  }

  #ownerOf(name: string): number {
    return this.#chosen(`owner ${name}`)
  }

  #askersOf(name: string): number[] {
    const askers = new Set<number>()
    for (let draw = 0; askers.size < Math.min(RESOLVES, this.#nodes - 1); draw++) {
      const node = this.#chosen(`asker ${draw} ${name}`)
      if (node !== this.#ownerOf(name)) askers.add(node)
    }
    return [...askers]
  }

  /** A node, by chance that comes from the seed. */
  #chosen(what: string): number {
    return Buffer.from(sha256(utf8(`${this.#seed} ${what}`))).readUInt32BE(0) % this.#nodes
  }
}

function none(): Tally {
  return { worked: 0, of: 0 }
}

function note(share: Share, worked: boolean): void {
  const tally = share as Tally
  tally.of++
  if (worked) tally.worked++
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? NaN
}
