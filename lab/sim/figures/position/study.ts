/** What positions by address would cost an attacker of one name, by the number of honest nodes. */
import { diverse } from '../../../../src/protocol/neighbourhood/diversity.ts'
import { Random } from '../../world/random.ts'
import { Addresses } from '../../network/addresses.ts'
import { SIM_PROFILE } from '../../world/world.ts'
import { EUROS, Renter, type Incumbents } from './attacker.ts'
import { PositionNetwork, nearOf, positionsOf, prefixesOf } from './network.ts'

/** More than half of those that are asked show another owner; all of them show nothing. */
export const GOALS = { eclipse: Math.floor(SIM_PROFILE.k / 2) + 1, hide: SIM_PROFILE.k } as const

/** Where an attacker gives up, for each honest node: to hide a name has no mean. */
const MOST_TRIES = 60

/** Days of the longest attack: each prefix moves once. */
export const DAYS = 30

interface Lottery {
  /** Prefixes tried until the name is eclipsed, and until it is hidden: Infinity where he gave up. */
  readonly eclipse: number
  readonly hide: number
  /** Of them, prefixes that an eclipse keeps. */
  readonly kept: number
}

export interface Attack extends PositionStudy {
  readonly lotteries: readonly Lottery[]
  /** Euros until the end of each day of an eclipse, for each attacker. */
  readonly euros: readonly (readonly number[])[]
  /** Prefixes tried among those of the providers; Infinity where all of them do not suffice. */
  readonly clouds: Readonly<Record<Incumbents, readonly number[]>>
}

interface PositionStudy {
  readonly nodes: number
  /** Of the honest nodes, the share in prefixes whose slots are taken. */
  readonly withoutPlace: number
}

export function study(nodes: number, runs: number, seed: string, onRun?: (share: number) => void): Attack {
  const random = new Random(`position ${seed} ${nodes}`)
  const network = new PositionNetwork(nodes, random)
  const lotteries: Lottery[] = []
  const euros: number[][] = []
  const clouds: Record<Incumbents, number[]> = { keep: [], yield: [] }
  for (let run = 0; run < runs; run++) {
    const key = random.bytes(32)
    lotteries.push(lottery(network, key, nodes))
    euros.push(eclipseForDays(network, key, DAYS))
    for (const incumbents of ['keep', 'yield'] as const)
      clouds[incumbents].push(inClouds(network, key, incumbents, random))
    onRun?.((run + 1) / runs)
  }
  return { nodes, withoutPlace: network.withoutPlace / nodes, lotteries, euros, clouds }
}

function lottery(network: PositionNetwork, key: Uint8Array, nodes: number): Lottery {
  const renter = new Renter(network, key, () => network.unusedPrefix())
  renter.reach(GOALS.eclipse, 0)
  const { tried: eclipse, prefixes: kept } = renter
  return { eclipse, kept, hide: renter.reach(GOALS.hide, 0, MOST_TRIES * nodes) ? renter.tried : Infinity }
}

/** He rents again whatever the day's moves took from him. */
function eclipseForDays(network: PositionNetwork, key: Uint8Array, days: number): number[] {
  const renter = new Renter(network, key, () => network.unusedPrefix())
  let rent = 0
  return Array.from({ length: days }, (_, day) => {
    renter.reach(GOALS.eclipse, day)
    rent += renter.prefixes * EUROS.day
    return renter.tried * EUROS.hour + rent
  })
}

function inClouds(network: PositionNetwork, key: Uint8Array, incumbents: Incumbents, random: Random): number {
  const prefixes = random.shuffled(Addresses.clouds())
  const renter = new Renter(network, key, () => prefixes.pop(), incumbents)
  return renter.reach(GOALS.eclipse, 0) ? renter.tried : Infinity
}

/**
 * Of names, those that a holder of a share of all positions eclipses at one time.
 *
 * @param counted names of one network, and networks
 */
export function eclipsedOf(
  share: number,
  nodes: number,
  counted: { readonly names: number; readonly networks: number },
  seed: string
): number {
  const random = new Random(`share ${seed} ${nodes} ${share}`)
  let eclipsed = 0
  for (let each = 0; each < counted.networks; each++) {
    const network = new PositionNetwork(nodes, random)
    const held = Array.from({ length: Math.round(prefixesOf(share, nodes - network.withoutPlace)) }, () => {
      const prefix = network.unusedPrefix()
      return { prefix, positions: positionsOf(prefix, 0) }
    })
    for (let name = 0; name < counted.names; name++) {
      const key = random.bytes(32)
      const own = held.flatMap(({ prefix, positions }) => nearOf(key, prefix, positions))
      const mine = new Set(own)
      const all = [...own, ...network.near(key, 0)].sort((left, right) => left.away - right.away)
      const asked = diverse(all, SIM_PROFILE).slice(0, SIM_PROFILE.k)
      if (asked.filter((near) => mine.has(near)).length >= GOALS.eclipse) eclipsed++
    }
  }
  return eclipsed
}
