/** Runs a schedule of faults on a small network and tells which invariants it broke. */
import { CodeInvariants } from '../invariants/codes.ts'
import { ContestInvariants } from '../invariants/contests.ts'
import { HeldHours, HolderInvariants, SleeperInvariants } from '../invariants/holders.ts'
import { OwnerInvariants } from '../invariants/owners.ts'
import type { Violation } from '../invariants/violation.ts'
import { NO_FAULTS } from '../../network/faults.ts'
import { ALWAYS_AWAKE, Owner } from '../../people/owner.ts'
import { Resolver } from '../../people/resolver.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { parseProfile } from '../../../../src/protocol/profile/profile.ts'
import { HOUR_MS, MINUTE_MS, SIM_PROFILE, World } from '../../world/world.ts'
import { lookByCode } from '../../figures/harm.ts'
import { commitmentHash } from '../../../../src/protocol/claim/commitment.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { makeReveal } from '../../world/claims.ts'
import type { Request } from '../../../../src/network/wire/messages.ts'
import { AskError } from '../../../../src/network/wire/exchange.ts'
import { FAULTY_MINUTES, type Fault, type Schedule } from './schedule.ts'

/**
 * Network `main` with a day made two hours: the same steps in less time. For as few nodes as a run has, it counts no
 * prefixes and has quorums of all that are known. A name takes two minutes.
 */
const SMALL = parseProfile({
  ...SIM_PROFILE,
  scope: 'test',
  id: 'faults',
  answers_per_prefix: 0,
  answers_per_wide_prefix: 0,
  k: 8,
  difficulty: { base: 2 * 60 * 333_000, by_length: [{ from: 3, factor: 1 }] },
  settle: 2_400,
  provisional_settle: 4_800,
  pin_after: 2_400
})

/** A day of the bounds of P14 to P17 (invariants/violation.ts) in this profile. */
const DAY_OF_BOUNDS_MS = 2 * HOUR_MS

/** A contest for one name, and a name that nobody else wants. */
const NAMES = ['the-contested-name.chronym', 'the-contested-name.chronym', 'a-quiet-name-beside.chronym']

const LOOK_MINUTES = 60
const COUNT_MINUTES = 10

/** An unseen claim is offered from shortly before the first reveal until its contest is over. */
const UNSEEN_MINUTES = 13
const OFFERS = 16
const OFFER_SECONDS = 10
/** Rounds from the beginning to the first rival's commitment, ten minutes later. */
const FIRST_COMMIT_ROUNDS = 200

/** Longer than `settle` and a few questions. */
const HEALING_MINUTES = 240

export interface Outcome {
  readonly violations: readonly Violation[]
  readonly events: number
  /** Owners in hex by name, as resolvers see them at the end. */
  readonly owners: readonly (string | undefined)[]
  /** Hours of nodes with a claim other than the one that most hold in the end, for all names. */
  readonly wrongNodeHours: number
  /** Hours of nodes while their name has two claims. */
  readonly contestedNodeHours: number
}

/** @param healingMinutes how long the run lasts after the time of faults */
export async function runSchedule(
  { seed, nodes: count, begins, slowness = 1, faults }: Schedule,
  healingMinutes = HEALING_MINUTES
): Promise<Outcome> {
  const world = new World(`schedule ${seed}`, SMALL)
  const nodes = Array.from({ length: count }, () => world.addNode())
  const [holderRules, ownerRules] = [
    new HolderInvariants(world, DAY_OF_BOUNDS_MS),
    new OwnerInvariants(world, DAY_OF_BOUNDS_MS)
  ]
  const [contests, sleepers] = [new ContestInvariants(world), new SleeperInvariants(world)]
  const codes = new CodeInvariants(world)
  const startMs = world.timeline.nowMs
  const at = (minutes: number, action: () => void): void =>
    void world.timeline.at(startMs + minutes * MINUTE_MS, action)
  const owners = NAMES.map((name, index) => {
    const absences = faults.flatMap((fault) =>
      fault.kind === 'away' && fault.owner === index
        ? [{ fromMs: fault.at * MINUTE_MS, untilMs: (fault.at + fault.minutes) * MINUTE_MS }]
        : []
    )
    const owner = new Owner(world, name, {
      ...ALWAYS_AWAKE,
      squaringsPerSecond: ALWAYS_AWAKE.squaringsPerSecond / (index === 0 ? slowness : 1),
      absences
    })
    at(begins[index] ?? 10, () => void owner.live())
    return owner
  })
  for (const fault of faults) begin({ world, nodes, owners, sleepers }, fault, at)
  const quiet = owners.at(-1)!
  const names = [...new Map(owners.map((owner) => [owner.name, owner])).values()]
  const endMinutes = FAULTY_MINUTES + healingMinutes
  const look = async (): Promise<void> => {
    for (const { name, recordKey } of names) {
      holderRules.look(name, recordKey)
      const seen = await Promise.all([new Resolver(world).resolve(name), new Resolver(world).resolve(name)])
      ownerRules.agree(name, seen)
      if (name === quiet.name) ownerRules.live(quiet, seen[0])
    }
    ownerRules.refused(quiet)
    for (const owner of owners) await lookByCode(world, codes, owner)
  }
  const watcher = new Resolver(world)
  const watch = async (): Promise<void> => {
    for (const { name } of names) {
      const firm = watcher.firmPin(name)
      ownerRules.pinned(name, firm, await watcher.resolve(name))
    }
  }
  for (let minutes = LOOK_MINUTES; minutes < endMinutes; minutes += LOOK_MINUTES) {
    at(minutes, () => void watch())
    // What faults still disturb is not judged.
    if (minutes > FAULTY_MINUTES) at(minutes, () => void look())
  }
  const hours = new HeldHours(names, () => [...world.topology.all()])
  for (let minutes = COUNT_MINUTES; minutes < endMinutes; minutes += COUNT_MINUTES)
    at(minutes, () => hours.count(COUNT_MINUTES / 60))
  await world.timeline.runUntil(startMs + endMinutes * MINUTE_MS)
  const shown: (string | undefined)[] = []
  const last = async (): Promise<void> => {
    for (const { name } of names) shown.push((await new Resolver(world).resolve(name)).owner)
  }
  void last()
  world.timeline.after(0, () => void contests.askAgain(world.addClient()))
  await world.timeline.runUntil(world.timeline.nowMs + HOUR_MS)
  if (shown.length < names.length) throw new Error('a resolver never got its answer')
  for (const { name, recordKey } of names) {
    contests.ended(name, mostHeld(world.holdersOf(recordKey), name))
  }
  return {
    violations: [holderRules, ownerRules, contests, sleepers, codes].flatMap((rules) => rules.violations),
    events: world.timeline.done,
    owners: shown,
    wrongNodeHours: hours.wrong(),
    contestedNodeHours: hours.contested
  }
}

/** A whole VDF of an old pulse for the first rival's name. */
async function offerUnseen(
  world: World,
  nodes: readonly SimNode[],
  { name }: Owner,
  { rounds, isCommitted }: Extract<Fault, { kind: 'unseen' }>
): Promise<void> {
  const key = world.newKey()
  const salt = world.random('unseen').bytes(32)
  // All nodes see the first rival's C within seconds of the tenth minute, and its p is 20 rounds after.
  const round = world.round() + FIRST_COMMIT_ROUNDS - rounds
  await world.sleep(UNSEEN_MINUTES * MINUTE_MS)
  const record = encodeReveal(makeReveal({ name, owner: key, salt, round }, world.profile))
  const commitment = commitmentHash(name, key.publicKey, salt, world.hash)
  const client = world.addClient()
  const tell = (request: Request): Promise<unknown> =>
    Promise.all(nodes.map((node) => client.view.ask(node.peer, request).catch(ignoreSilence)))
  if (isCommitted) await tell({ type: 'commit', commitment, nonce: new Uint8Array(8) })
  for (let again = 0; again < OFFERS; again++) {
    await tell({ type: 'put', kind: 'reveal', record })
    await world.sleep(OFFER_SECONDS * 1000)
  }
}

function ignoreSilence(error: unknown): void {
  if (!(error instanceof AskError)) throw error
}

/** The claim that more than half of the holders have, by its id in hex. */
function mostHeld(holders: readonly SimNode[], name: string): string | undefined {
  const ids = holders.flatMap(({ held }) => held.get(name)?.claimId ?? [])
  return ids.find((id) => ids.filter((other) => other === id).length * 2 > holders.length)
}

async function sendAgain(world: World, node: SimNode, { commitment }: Owner): Promise<void> {
  const request = { type: 'commit', commitment, nonce: new Uint8Array(8) } as const
  await world.addClient().view.ask(node.peer, request).catch(ignoreSilence)
}

interface Scene {
  readonly world: World
  readonly nodes: readonly SimNode[]
  readonly owners: readonly Owner[]
  readonly sleepers: SleeperInvariants
}

function begin(
  { world, nodes, owners, sleepers }: Scene,
  fault: Fault,
  at: (minutes: number, action: () => void) => void
): void {
  switch (fault.kind) {
    case 'rates':
      at(fault.from, () => void (world.faults.rates = fault.rates))
      at(fault.until, () => void (world.faults.rates = NO_FAULTS))
      return
    case 'crash': {
      const node = nodes[fault.node]!
      at(fault.at, () => void (node.isAwake = false))
      at(fault.at + fault.minutes, () => node.restart())
      return
    }
    case 'cut': {
      const cut = Math.floor(fault.share * nodes.length)
      const rival = owners[0]!.node
      const few = new Set([...nodes.slice(0, cut), rival])
      at(fault.from, () => world.faults.cut((node) => (few.has(node) ? 1 : 0)))
      at(fault.until, () => {
        world.faults.cut(undefined)
        for (const node of [...nodes, rival]) node.view.refresh()
      })
      return
    }
    case 'beacon':
      at(fault.from, () => world.beacon.stop())
      at(fault.until, () => world.beacon.resume())
      return
    case 'kill': {
      const node = nodes[fault.node]!
      at(fault.at, () => node.killAtWrite(fault.writes))
      at(fault.at + fault.minutes, () => node.restart())
      return
    }
    case 'sleep': {
      const node = nodes[fault.node]!
      at(fault.at, () => {
        node.isAwake = false
        sleepers.slept(node)
      })
      at(fault.at + fault.minutes, () => void (node.isAwake = true))
      return
    }
    case 'clock':
      at(fault.at, () => nodes[fault.node]!.setClock(fault.hours * HOUR_MS))
      return
    case 'commitment':
      at(fault.at, () => void sendAgain(world, nodes[fault.node]!, owners[fault.owner]!))
      return
    case 'unseen':
      at(0, () => void offerUnseen(world, nodes, owners[0]!, fault))
      return
    case 'away':
      return
  }
}
