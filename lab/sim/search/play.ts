/** Plays a plan and tells what became of the victim's name. */
import { Adversary, type Spending } from '../people/adversary.ts'
import { CodeInvariants } from './invariants/codes.ts'
import { HolderInvariants } from './invariants/holders.ts'
import { OwnerInvariants } from './invariants/owners.ts'
import type { InvariantId, Violation } from './invariants/violation.ts'
import type { Harm } from '../moves/move.ts'
import { drawBirths, startChurn } from '../people/crowd.ts'
import { Owner } from '../people/owner.ts'
import { Resolver } from '../people/resolver.ts'
import { EXCUSED, type Sights, count, harmOf, lookByCode, none, wrongAt } from '../figures/harm.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, World } from '../world/world.ts'
import { BEFORE_MS, Stage } from './actions.ts'
import { allowed, isHalf, isWorse } from './limits.ts'
import type { Phase, Plan } from './plan.ts'
import type { HeldName, SimNode, Watcher } from '../world/sim-node.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'

const LOOK_MS = 6 * HOUR_MS
/** Days after its record is done, in which it settles, and in which resolvers have firm pins. */
const SETTLED_DAYS = 1.5
const PINNED_DAYS = 3.5

const ALWAYS = 24

/** The others hold while less than half lie, and only so far as nodes hear each other. */
const ALWAYS_HELD: readonly InvariantId[] = ['P3', 'P4', 'P13', 'P19', 'P20']

export interface Played {
  readonly plan: Plan
  readonly harm: Harm
  readonly allowed: Harm
  readonly isFinding: boolean
  /** 0 to 4: the harm, and how much of it. */
  readonly score: number
  readonly unpinned: Sights
  readonly pinned: Sights
  readonly holders: { readonly wrong: number; readonly of: number }
  readonly wrongNodeHours: number
  readonly spending: Spending
  readonly diverseIds: number
  readonly violations: readonly Violation[]
  /** Kinds of decisions that were reached. */
  readonly coverage: readonly string[]
}

export async function play(plan: Plan): Promise<Played> {
  const { population, days } = plan
  const world = new World(`plan ${plan.seed}`)
  const lifeDays = population.lifeDays > 0 ? population.lifeDays : Infinity
  const birth = drawBirths(world, lifeDays)
  for (let index = 0; index < population.nodes; index++) world.addNode({ bornRound: birth() })
  startChurn(world, lifeDays)
  if (population.loss > 0) world.faults.rates = { ...world.faults.rates, loss: population.loss }
  const [holderRules, ownerRules] = [new HolderInvariants(world), new OwnerInvariants(world)]
  const codeRules = new CodeInvariants(world)
  const adversary = new Adversary(world)
  const awayFromMs = BEFORE_MS + 3 * HOUR_MS
  const victim = new Owner(world, 'the-name-that-they-want.chronym', {
    squaringsPerSecond: population.squaringsPerSecond,
    hoursAwake: population.hoursAwake,
    fromHour: 0,
    absences:
      population.awayDays > 0 ? [{ fromMs: awayFromMs, untilMs: awayFromMs + population.awayDays * DAY_MS }] : []
  })
  const stage = new Stage(world, adversary, victim, plan)
  const coverage = new Coverage(world, (pubkey) =>
    pubkey === victim.pubkey ? 'owner' : stage.thieves.has(pubkey) ? 'thief' : 'other'
  )
  const begin = (phase: Phase): void => {
    coverage.phase = phase
    for (const [index, step] of plan.steps.entries())
      if (step.at === phase) world.timeline.after(step.plusMinutes * MINUTE_MS, () => void stage.do(step, index))
  }
  const startMs = world.timeline.nowMs
  const live = async (): Promise<void> => {
    begin('before')
    await world.sleep(BEFORE_MS)
    const round = await victim.committed()
    begin('committed')
    void near()
    await victim.work(round)
    begin('contest')
    world.timeline.after(10 * MINUTE_MS, () => begin('settling'))
    world.timeline.after(SETTLED_DAYS * DAY_MS, () => begin('settled'))
    world.timeline.after(PINNED_DAYS * DAY_MS, () => begin('pinned'))
    await victim.keep()
  }
  const near = async (): Promise<void> => {
    const workMs = (600e6 / population.squaringsPerSecond) * 1000
    await world.sleep(Math.max(0, workMs - MINUTE_MS))
    begin('near')
  }
  void live()

  const [unpinned, pinned] = [none(), none()]
  let wrongNodeHours = 0
  const watcher = new Resolver(world)
  const look = async (): Promise<void> => {
    const [firm, firmPin] = [watcher.pinned(victim.name), watcher.firmPin(victim.name)]
    const [seen, seenToo, seenPinned] = await Promise.all([
      new Resolver(world).resolve(victim.name),
      new Resolver(world).resolve(victim.name),
      watcher.resolve(victim.name)
    ])
    coverage.note(`look ${seen.kind} ${seen.thin} ${seen.owner === victim.pubkey}`)
    coverage.note(`pin ${firm !== undefined} ${seenPinned.kind} ${watcher.pins.get(victim.name)?.state}`)
    ownerRules.pinned(victim.name, firmPin, seenPinned)
    ownerRules.agree(victim.name, [seen, seenToo])
    ownerRules.refused(victim)
    ownerRules.live(victim, seen)
    if (victim.revealedMs === undefined || world.timeline.nowMs < victim.revealedMs + HOUR_MS) return
    count(unpinned, seen, victim.pubkey)
    if (firm === victim.pubkey) count(pinned, seenPinned, victim.pubkey)
    await lookByCode(world, codeRules, victim)
  }
  const every = (milliseconds: number, action: () => void): void =>
    void world.timeline.after(milliseconds, () => {
      action()
      every(milliseconds, action)
    })
  every(LOOK_MS, () => void look())
  every(HOUR_MS, () => {
    holderRules.look(victim.name, victim.recordKey)
    wrongNodeHours += wrongAt(world, victim)
  })
  await world.timeline.runUntil(startMs + days * DAY_MS)

  const holders = world.holdersOf(victim.recordKey)
  const wrong = wrongAt(world, victim)
  const thief = [...stage.thieves][0]
  const isPublished = victim.revealedMs === undefined || victim.registeredMs !== undefined
  const harm = harmOf({ unpinned, pinned, wrong, of: holders.length, thief, isPublished })
  const limit = allowed(stage.used, plan)
  const isBeyond =
    isHalf(stage.used) || stage.used.faults.size > 0 || population.awayDays > 0 || population.hoursAwake < ALWAYS
  const violations = [holderRules, ownerRules, codeRules]
    .flatMap((rules) => rules.violations)
    .filter(({ rule }) => !EXCUSED[limit].includes(rule) && (!isBeyond || ALWAYS_HELD.includes(rule)))
  return {
    plan,
    harm,
    allowed: limit,
    isFinding: isWorse(harm, limit) || violations.length > 0,
    score: scoreOf(harm, unpinned, holders.length === 0 ? 0 : wrong / holders.length),
    unpinned,
    pinned,
    holders: { wrong, of: holders.length },
    wrongNodeHours,
    spending: adversary.spending,
    diverseIds: stage.used.diverseIds,
    violations,
    coverage: [...coverage.seen]
  }
}

function scoreOf(harm: Harm, { right, wrong, contested, missing }: Sights, held: number): number {
  const looks = Math.max(1, right + wrong + contested + missing)
  const base = { harmless: 0, censored: 1, unpinned: 2, taken: 3 }[harm]
  return base + 0.4 * held + (0.4 * wrong + 0.15 * (contested + missing)) / looks
}

/** More of a kind are the same to the search. */
const MOST = 3

class Coverage implements Watcher {
  readonly seen = new Set<string>()
  readonly #world: World
  readonly #ownerOf: (pubkey: string) => 'owner' | 'thief' | 'other'
  phase = 'before'

  constructor(world: World, ownerOf: (pubkey: string) => 'owner' | 'thief' | 'other') {
    this.#world = world
    this.#ownerOf = ownerOf
    world.watchers.push(this)
  }

  held(node: SimNode, name: string, before: HeldName | undefined, after: HeldName | undefined): void {
    const from = before === undefined ? 'none' : `${before.state} ${this.#ownerOf(before.owner)}`
    const to = after === undefined ? 'none' : `${after.state} ${this.#ownerOf(after.owner)}`
    const change = before?.claimId === after?.claimId || before === undefined ? '' : ' other'
    this.seen.add(`entry ${from} > ${to}${change}`)
    const entry = node.holder?.entries.load(recordKey('reveal', name, this.#world.hash))?.entry
    if (entry === undefined) return
    const { repairs, contenders = [], rivals, sight, equivocation } = entry
    const notes = [repairs, Math.min(MOST, contenders.length), Math.min(MOST, rivals.length)].join('/')
    this.seen.add(`notes ${entry.state} ${notes} ${sight !== undefined} ${equivocation !== undefined}`)
  }

  note(what: string): void {
    this.seen.add(what)
  }

  answered(_node: SimNode, request: Request, answer: Answer, from: SimNode): void {
    if (request.type !== 'put' && request.type !== 'commit') return
    const who = from.isAttacker ? 'attacker' : 'honest'
    const code = answer.type === 'refused' ? ` ${answer.code}` : ''
    this.seen.add(`${request.type} ${who} ${answer.type}${code} ${this.phase}`)
  }
}
