/** One run: a population, one move or none, and what became of the names. */
import { Adversary, type Spending } from '../people/adversary.ts'
import { OTHER_RULES, ownerBy, shownClaims, type OtherRule } from './other-rules.ts'
import { CodeInvariants } from '../search/invariants/codes.ts'
import { HolderInvariants } from '../search/invariants/holders.ts'
import { IdentityInvariants } from '../search/invariants/identities.ts'
import { isLost, OwnerInvariants } from '../search/invariants/owners.ts'
import type { InvariantId, Violation } from '../search/invariants/violation.ts'
import type { Harm, Move } from '../moves/move.ts'
import type { Costs } from '../network/ledger.ts'
import { CodeResolver, Resolver, type Seen, type SeenByCode } from '../people/resolver.ts'
import { drawHabits, Owner } from '../people/owner.ts'
import { drawBirths, startChurn } from '../people/churn.ts'
import { SHORT_CODE } from '../../../src/protocol/claim/check-code.ts'
import { compareRecords } from '../../../src/protocol/claim/order.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
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
  /** The rules' numbers; the move's own or those of SIM_PROFILE by default. */
  readonly profile?: NetworkProfile
}

/** What resolvers saw of the victim's name after the move began, in looks (one in six hours by each). */
export interface Sights {
  right: number
  wrong: number
  contested: number
  missing: number
}

/** The same by its check code. */
export interface CodedSights extends Sights {
  /** The owner, with an older record than the newest. */
  older: number
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

export const none = (): Sights => ({ right: 0, wrong: 0, contested: 0, missing: 0 })

export async function run(options: RunOptions, onProgress?: (share: number) => void): Promise<RunResult> {
  const { nodes, names, seed, move } = options
  const days = Math.max(options.days, leastDays(move))
  const world = new World(seed, options.profile ?? move?.profile, undefined, move?.routing ?? options.routing)
  const lifeDays = options.lifeDays ?? move?.lifeDays ?? Infinity
  const birth = drawBirths(world, lifeDays)
  for (let index = 0; index < nodes; index++) world.addNode({ ...clockOf(world), bornRound: birth() })
  await world.establish()
  startChurn(world, lifeDays)
  const [holderRules, ownerRules] = [new HolderInvariants(world), new OwnerInvariants(world)]
  const [identityRules, codeRules] = [new IdentityInvariants(world), new CodeInvariants(world)]
  const adversary = new Adversary(world)
  const victim = new Owner(world, 'the-name-that-they-want.chronym', move?.habits)
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
    const firm = watcher.pinned(victim.name)
    const [fresh, other] = [new Resolver(world), new Resolver(world)]
    const [seen, seenToo, seenPinned] = await Promise.all([
      fresh.resolve(victim.name),
      other.resolve(victim.name),
      watcher.resolve(victim.name)
    ])
    ownerRules.pinned(victim.name, firm, seenPinned)
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

/** What cannot hold under a move that the rules allow as much. */
export const EXCUSED: Readonly<Record<Harm, readonly InvariantId[]>> = {
  harmless: [],
  censored: ['P15', 'P16'],
  unpinned: ['P15', 'P16', 'P17'],
  taken: ['P15', 'P16', 'P17']
}

export const ORDER: readonly Harm[] = ['harmless', 'censored', 'unpinned', 'taken']

interface Outcome {
  readonly unpinned: Sights
  readonly pinned: Sights
  /** Honest holders with another owner's claim, of all. */
  readonly wrong: number
  readonly of: number
  readonly thief: string | undefined
  readonly isPublished: boolean
}

/** Whether a record that is done counts as published: for its owner, a name that is not is no name. */
function isPublished({ revealedMs, registeredMs }: Owner): boolean {
  return revealedMs === undefined || registeredMs !== undefined
}

/**
 * `taken`: most honest holders have the thief's claim. `unpinned`: resolvers without a pin saw another owner.
 * `censored`: more than one look in ten had no owner, or the name is not published.
 */
export function harmOf({ unpinned, pinned, wrong, of, thief, isPublished }: Outcome): Harm {
  const looks = unpinned.right + unpinned.wrong + unpinned.contested + unpinned.missing
  if (pinned.wrong > 0 || (thief !== undefined && wrong * 2 > of)) return 'taken'
  if (unpinned.wrong > 0) return 'unpinned'
  return !isPublished || (unpinned.contested + unpinned.missing) * 10 > looks ? 'censored' : 'harmless'
}

export function count(
  sights: Sights,
  { kind, owner }: Pick<Seen | SeenByCode, 'kind' | 'owner'>,
  rightful: string
): void {
  if (kind === 'owner') sights[owner === rightful ? 'right' : 'wrong']++
  else sights[kind === 'contested' ? 'contested' : 'missing']++
}

/** By a newcomer; undefined before the claim is made. */
export async function lookByCode(
  world: World,
  rules: CodeInvariants,
  { name, code }: Pick<Owner, 'name' | 'code'>
): Promise<SeenByCode | undefined> {
  if (code === undefined) return undefined
  const resolver = new CodeResolver(world)
  const seen = await rules.look(resolver, name, code.slice(0, SHORT_CODE))
  world.remove(resolver.node)
  return seen
}

/** @param newest what the owner had published when the look began */
async function countByCode(sights: CodedSights, seen: SeenByCode, newest: Reveal, world: World): Promise<void> {
  const [shown, own] = [seen.reveal && (await world.verdicts.of(seen.reveal)), await world.verdicts.of(newest)]
  const isOlder = shown?.ok === true && own.ok && compareRecords(shown.claim, own.claim) < 0
  if (isOlder && seen.owner === toHex(newest.pubkey)) sights.older++
  else count(sights, seen, toHex(newest.pubkey))
}

export function wrongAt(world: World, { name, recordKey, pubkey }: Owner): number {
  return world.holdersOf(recordKey).filter(({ held }) => {
    const entry = held.get(name)
    return entry !== undefined && entry.owner !== pubkey
  }).length
}

/** One clock in twenty is off by minutes, one in two hundred by up to a year ahead. */
function clockOf(world: World): { clockOffMs?: number } {
  const draw = world.chance.next()
  if (draw < 0.005) return { clockOffMs: world.chance.next() * 365 * DAY_MS }
  return draw < 0.055 ? { clockOffMs: world.chance.between(-5, 5) * MINUTE_MS } : {}
}

function every(world: World, milliseconds: number, action: () => void | Promise<void>): void {
  void world.timeline.after(milliseconds, () => {
    void action()
    every(world, milliseconds, action)
  })
}
