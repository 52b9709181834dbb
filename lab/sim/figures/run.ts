/** One run: a population, one move or none, and what became of the names. */
import { Adversary, type Spending } from '../people/adversary.ts'
import {
  count,
  countByCode,
  EXCUSED,
  harmOf,
  isPublished,
  lookByCode,
  none,
  ORDER,
  wrongAt,
  type CodedSights,
  type Sights
} from './harm.ts'
import { OTHER_RULES, ownerBy, shownClaims, type OtherRule } from './other-rules.ts'
import { CodeInvariants } from '../search/invariants/codes.ts'
import { HolderInvariants } from '../search/invariants/holders.ts'
import { IdentityInvariants } from '../search/invariants/identities.ts'
import { isLost, OwnerInvariants } from '../search/invariants/owners.ts'
import type { Violation } from '../search/invariants/violation.ts'
import type { Harm, Move } from '../moves/move.ts'
import { WIDE_AREA } from '../network/faults.ts'
import type { Costs } from '../network/ledger.ts'
import { Resolver } from '../people/resolver.ts'
import { drawHabits, Owner } from '../people/owner.ts'
import { clockOf, drawBirths, startChurn } from '../people/crowd.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, World } from '../world/world.ts'
import type { Routing } from '../ports.ts'

export interface RunOptions {
  readonly nodes: number
  /** A move that begins later has two days more. */
  readonly days: number
  /** Honest owners beside the victim. */
  readonly names: number
  readonly seed: string
  readonly move?: Move
  /** Ids of the attacker; the move's own number by default. */
  readonly ids?: number
  /** Mean days that a node stays; Infinity: none goes. */
  readonly lifeDays?: number
  /** Of moves that need none of their own; modelled by default. */
  readonly routing?: Routing
  /** Between the regions of lab/wan, as published; otherwise drawn. */
  readonly delays?: 'published'
}

export interface RunResult {
  readonly move: string
  readonly nodes: number
  readonly days: number
  readonly seed: string
  readonly attacker: Costs & Spending
  readonly honest: Costs & { readonly bytesOfANodeADay: number }
  readonly hopsOfALookUp: number
  readonly names: { readonly registered: number; readonly of: number; readonly lost: number }
  readonly unpinned: Sights
  readonly pinned: Sights
  /** By the first six characters of its check code, without a pin. */
  readonly coded: CodedSights
  /** What resolvers would see by rules used elsewhere. */
  readonly otherRules: Readonly<Record<OtherRule, Sights>>
  /** Of the honest holders of the victim's name at the end, those that hold another owner's claim. */
  readonly holders: { readonly wrong: number; readonly of: number }
  /** Hours of honest holders with another owner's claim of the victim's name. */
  readonly wrongNodeHours: number
  readonly harm: Harm
  readonly isAllowed: boolean
  /** Promises that the move saw broken. */
  readonly breaches: readonly string[]
  /** What it saw beside names. */
  readonly remark?: string
  readonly violations: readonly Violation[]
  readonly events: number
}

const LOOK_MS = 6 * HOUR_MS

/** The victim commits at the beginning of the first day; a move on a settled name begins with the fifth. */
const SETTLED_MS = 4 * DAY_MS

/** Other names that are looked at. */
const SAMPLED = 5

export async function run(options: RunOptions, onProgress?: (share: number) => void): Promise<RunResult> {
  const { nodes, names, seed, move } = options
  const days = Math.max(options.days, leastDays(move))
  const world = new World(
    seed,
    move?.profile,
    options.delays === 'published' ? WIDE_AREA : undefined,
    move?.routing ?? options.routing
  )
  const lifeDays = options.lifeDays ?? move?.lifeDays ?? Infinity
  const birth = drawBirths(world, lifeDays)
  for (let index = 0; index < nodes; index++) world.addNode({ ...clockOf(world), bornRound: birth() })
  await world.establish()
  startChurn(world, lifeDays)
  const [holderRules, ownerRules] = [new HolderInvariants(world), new OwnerInvariants(world)]
  const [identityRules, codeRules] = [new IdentityInvariants(world), new CodeInvariants(world)]
  const adversary = new Adversary(world)
  const changeKey = move?.hasChangeKey === true ? world.newKey() : undefined
  const victim = new Owner(world, 'the-name-that-they-want.chronym', move?.habits, undefined, undefined, changeKey)
  const owners = Array.from({ length: names }, (_, index) => {
    const owner = new Owner(
      world,
      `somebody-${index}-in-the-crowd.chronym`,
      drawHabits(world.random(`habits ${index}`), days)
    )
    world.timeline.after(world.chance.between(0.02, 2) * DAY_MS, () => void owner.live())
    return owner
  })
  let thief: string | undefined
  const breaches = new Set<string>()
  let remark: string | undefined
  let beganMs = Infinity
  const begin = async (): Promise<void> => {
    beganMs = world.timeline.nowMs
    await move?.run({
      world,
      adversary,
      victim,
      ids: options.ids ?? move.ids,
      thief: (pubkey) => {
        thief = toHex(pubkey)
      },
      breach: (detail) => breaches.add(detail),
      remark: (detail) => {
        remark = detail
      }
    })
  }
  const [unpinned, pinned] = [none(), none()]
  const coded: CodedSights = { ...none(), older: 0 }
  const otherRules = {
    'last-write': none(),
    'lowest-pulse': none(),
    'oldest-claim': none(),
    'majority-of-all': none()
  }
  let wrongNodeHours = 0
  const startMs = world.timeline.nowMs

  const live = async (): Promise<void> => {
    if (move?.begins === 'start') {
      void begin()
      await world.sleep((move.leadDays ?? 0) * DAY_MS)
    }
    const round = await victim.committed()
    if (move?.begins === 'committed') void begin()
    await victim.work(round)
    await victim.keep()
  }
  world.timeline.after(10 * MINUTE_MS, () => void live())
  if (move?.begins === 'settled') world.timeline.after(SETTLED_MS, () => void begin())

  const watcher = new Resolver(world)
  const sampled = owners.slice(0, SAMPLED)
  const look = async (): Promise<void> => {
    const [firm, firmPin] = [watcher.pinned(victim.name), watcher.firmPin(victim.name)]
    const [fresh, other] = [new Resolver(world), new Resolver(world)]
    const [seen, seenToo, seenPinned] = await Promise.all([
      fresh.resolve(victim.name),
      other.resolve(victim.name),
      watcher.resolve(victim.name)
    ])
    ownerRules.pinned(victim.name, firmPin, seenPinned)
    ownerRules.agree(victim.name, [seen, seenToo])
    ownerRules.refused(victim)
    if (victim.revealedMs !== undefined && world.timeline.nowMs >= beganMs) {
      count(unpinned, seen, victim.pubkey)
      if (firm === victim.pubkey) count(pinned, seenPinned, victim.pubkey)
      const claims = await shownClaims(world, fresh.node, victim.recordKey)
      for (const rule of OTHER_RULES) {
        const owner = ownerBy(rule, claims)
        count(otherRules[rule], owner === undefined ? { kind: 'none' } : { kind: 'owner', owner }, victim.pubkey)
      }
    }
    const isJudged = world.timeline.nowMs >= beganMs
    for (const owner of sampled) {
      ownerRules.refused(owner)
      ownerRules.live(owner, await fresh.resolve(owner.name))
    }
    for (const owner of [victim, ...sampled]) {
      const { reveal } = owner
      const seenByCode = await lookByCode(world, codeRules, owner)
      if (owner === victim && isJudged && reveal !== undefined && seenByCode !== undefined)
        await countByCode(coded, seenByCode, reveal, world)
    }
    for (const { node } of [fresh, other]) world.remove(node)
  }
  every(world, LOOK_MS, look)
  every(world, HOUR_MS, () => {
    for (const each of [victim, ...sampled]) holderRules.look(each.name, each.recordKey)
    identityRules.look()
    wrongNodeHours += wrongAt(world, victim)
  })

  const endMs = startMs + days * DAY_MS
  await world.timeline.runUntil(endMs, (nowMs) => onProgress?.((nowMs - startMs) / (endMs - startMs)))

  const holders = world.holdersOf(victim.recordKey)
  const { honest, attacker, lookUps } = world.ledger
  const wrong = wrongAt(world, victim)
  const harm = harmOf({ unpinned, pinned, wrong, of: holders.length, thief, isPublished: isPublished(victim) })
  const registered = [victim, ...owners].filter(({ registeredMs }) => registeredMs !== undefined)
  // A move that may take or hide a name may take the victim's.
  for (const owner of (move?.allows ?? 'harmless') === 'harmless' ? registered : owners) ownerRules.kept(owner)
  return {
    move: move?.id ?? 'none',
    nodes,
    days,
    seed,
    attacker: { ...attacker, ...adversary.spending },
    honest: { ...honest, bytesOfANodeADay: Math.round(honest.bytes / nodes / days) },
    hopsOfALookUp: lookUps.count === 0 ? 0 : lookUps.hops / lookUps.count,
    names: {
      registered: registered.length,
      of: names + 1,
      lost: registered.filter((owner) => isLost(world, owner)).length
    },
    unpinned,
    pinned,
    coded,
    otherRules,
    holders: { wrong, of: holders.length },
    wrongNodeHours,
    harm,
    isAllowed: breaches.size === 0 && ORDER.indexOf(harm) <= ORDER.indexOf(move?.allows ?? 'harmless'),
    breaches: [...breaches],
    ...(remark !== undefined && { remark }),
    violations: [holderRules, ownerRules, identityRules, codeRules]
      .flatMap((rules) => rules.violations)
      .filter(
        ({ rule }) => !EXCUSED[move?.allows ?? 'harmless'].includes(rule) && move?.excuses?.includes(rule) !== true
      ),
    events: world.timeline.done
  }
}

/** Virtual days until a move has begun and was looked at for two days, or what it asks for. */
function leastDays(move: Move | undefined): number {
  if (move === undefined) return 0
  return move.days ?? (move.begins === 'settled' ? SETTLED_MS / DAY_MS : (move.leadDays ?? 0)) + 2
}

function every(world: World, milliseconds: number, action: () => void | Promise<void>): void {
  void world.timeline.after(milliseconds, () => {
    void action()
    every(world, milliseconds, action)
  })
}
