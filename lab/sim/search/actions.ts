/** Does the steps of a plan, and notes what the limits go by. */
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { diverse } from '../../../src/protocol/neighbourhood/diversity.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import type { Request } from '../../../src/network/wire/messages.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import type { Adversary } from '../people/adversary.ts'
import { MOVES } from '../moves/index.ts'
import type { Harm } from '../moves/move.ts'
import type { SimNode } from '../world/sim-node.ts'
import type { Owner } from '../people/owner.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../world/world.ts'
import { AttackersClaim, Group } from './lies.ts'
import type { Action, Plan, Which } from './plan.ts'

/** The victim begins after this, so that steps before its commitment have time. */
export const BEFORE_MS = HOUR_MS

/** Between two sendings of one step. */
const AGAIN_MS = 15_000

export interface Used {
  /** Ids that count, at most at one time; and before the victim's commitment. */
  diverseIds: number
  earlyIds: number
  /** Honest holders that saw a claim's C in time for it, at most. */
  witnesses: number
  /** Whether a holder was shown a finished claim before the victim committed. */
  isShownFirst: boolean
  /** Whether nodes slept, were cut off, had wrong clocks, or the beacon stopped. */
  faults: Set<Action['do']>
  /** What moves among the steps may do. */
  moves: Harm[]
}

export class Stage {
  readonly used: Used = {
    diverseIds: 0,
    earlyIds: 0,
    witnesses: 0,
    isShownFirst: false,
    faults: new Set(),
    moves: []
  }
  readonly claims: readonly AttackersClaim[]
  readonly thieves = new Set<string>()
  readonly #world: World
  readonly #adversary: Adversary
  readonly #victim: Owner
  readonly #groups = new Map<number, Group>()
  readonly #client: SimNode
  readonly #sightings = new Map<AttackersClaim, Set<SimNode>>()

  constructor(world: World, adversary: Adversary, victim: Owner, { claims }: Plan) {
    this.#world = world
    this.#adversary = adversary
    this.#victim = victim
    const victimsRound = world.round() + Math.round(BEFORE_MS / 1000 / world.profile.beacon.period)
    this.claims = claims.map((claim) => new AttackersClaim(world, adversary, victim.name, claim, victimsRound))
    for (const { key } of this.claims) this.thieves.add(toHex(key.publicKey))
    this.#client = world.addClient({ isAttacker: true })
  }

  /** @param index the step's place, which `turn`, `leave` and `return` name */
  async do(action: Action, index: number): Promise<void> {
    const world = this.#world
    switch (action.do) {
      case 'join': {
        const group = new Group(world, this.#victim, this.claims, action.lie)
        const { count, together, where } = action
        const nodes =
          where === 'name'
            ? this.#adversary.joinNear(this.#victim.recordKey, count, group.answer, together)
            : this.#adversary.joinAnywhere(count, group.answer, together)
        group.nodes.push(...nodes)
        group.changed()
        this.#groups.set(index, group)
        this.#countIds()
        return
      }
      case 'turn': {
        const group = this.#groups.get(action.group)
        if (group === undefined) return
        group.lie = action.lie
        group.changed()
        return
      }
      case 'leave':
        for (const node of this.#groups.get(action.group)?.nodes ?? []) world.remove(node)
        return
      case 'return':
        for (const node of this.#groups.get(action.group)?.nodes ?? []) this.#bringBack(node)
        this.#countIds()
        return
      case 'commit':
        return this.#commit(this.claims[action.claim]!, this.#holders(action.share, action.which), action.times)
      case 'put':
        return this.#put(this.claims[action.claim]!, action.share, action.which, action.times)
      case 'move':
        return this.#move(action.id, action.ids)
      case 'cut':
      case 'restart':
      case 'sleep':
      case 'beacon':
      case 'clocks':
        this.used.faults.add(action.do)
        return this.#fault(action)
    }
  }

  async #fault(action: Extract<Action, { do: 'cut' | 'restart' | 'sleep' | 'beacon' | 'clocks' }>): Promise<void> {
    const world = this.#world
    switch (action.do) {
      case 'cut': {
        const few = new Set(this.#holders(action.share, 'nearest'))
        if (action.withAttacker) for (const node of this.#adversary.nodes) few.add(node)
        world.faults.cut((node) => (few.has(node) ? 1 : 0))
        await world.sleep(action.hours * HOUR_MS)
        world.faults.cut(undefined)
        for (const node of world.topology.all()) node.view.refresh()
        return
      }
      case 'beacon':
        world.beacon.stop()
        await world.sleep(action.hours * HOUR_MS)
        world.beacon.resume()
        return
      case 'clocks':
        for (const node of this.#holders(action.share, 'any')) node.setClock(action.days * DAY_MS)
        return
      case 'restart':
      case 'sleep': {
        const nodes = this.#holders(action.share, action.which)
        for (const node of nodes) node.isAwake = false
        await world.sleep(action.hours * HOUR_MS)
        for (const node of nodes)
          if (action.do === 'restart') node.restart()
          else node.isAwake = true
      }
    }
  }

  #holders(share: number, which: Which): SimNode[] {
    const holders = this.#world.holdersOf(this.#victim.recordKey)
    const count = Math.ceil(share * holders.length)
    if (which === 'nearest') return holders.slice(0, count)
    return which === 'farthest'
      ? holders.slice(holders.length - count)
      : this.#world.random(`holders at ${this.#world.timeline.nowMs}`).shuffled(holders).slice(0, count)
  }

  async #commit(claim: AttackersClaim, to: readonly SimNode[], times: number): Promise<void> {
    const { min_commit, receipt_slack } = this.#world.profile
    const isInTime = this.#world.round() + Math.max(1, min_commit - receipt_slack) <= claim.round
    const seen = this.#sightings.get(claim) ?? new Set()
    this.#sightings.set(claim, seen)
    if (isInTime) for (const node of to) seen.add(node)
    this.used.witnesses = Math.max(this.used.witnesses, seen.size)
    const request = { type: 'commit', commitment: claim.commitment, nonce: new Uint8Array(8) } as const
    for (let time = 0; time < times; time++) {
      await Promise.all(to.map((node) => this.#ask(node, request)))
      await this.#world.sleep(AGAIN_MS)
    }
  }

  async #put(claim: AttackersClaim, share: number, which: Which, times: number): Promise<void> {
    const record = encodeReveal(await claim.done())
    this.used.isShownFirst ||= this.#isBeforeCommitment()
    for (let time = 0; time < times; time++) {
      await Promise.all(
        this.#holders(share, which).map((node) => this.#ask(node, { type: 'put', kind: 'reveal', record }))
      )
      await this.#world.sleep(AGAIN_MS)
    }
  }

  async #ask(node: SimNode, request: Request): Promise<void> {
    try {
      await this.#client.view.ask(node.peer, request)
    } catch (error) {
      if (!(error instanceof AskError)) throw error
    }
  }

  async #move(id: string, ids: number): Promise<void> {
    const move = MOVES.find((each) => each.id === id)
    if (move === undefined) throw new Error(`no move is called ${id}`)
    this.used.moves.push(move.allows)
    // Before its put counts, a newer record by its own key would have it refused as stale.
    while (move.begins === 'settled' && this.#victim.registeredMs === undefined) await this.#world.sleep(MINUTE_MS)
    const thief = (pubkey: Uint8Array): void => void this.thieves.add(toHex(pubkey))
    const [world, adversary, victim] = [this.#world, this.#adversary, this.#victim]
    const done = move.run({ world, adversary, victim, ids, thief, breach: ignore, remark: ignore })
    this.#countIds()
    await done
    this.#countIds()
  }

  #bringBack(node: SimNode): void {
    if (node.isAwake) return
    node.isAwake = true
    this.#world.topology.add(node)
  }

  #countIds(): void {
    const awake = this.#adversary.nodes.filter(({ isAwake }) => isAwake)
    const count = diverse(
      awake.map(({ peer }) => peer),
      this.#world.profile
    ).length
    this.used.diverseIds = Math.max(this.used.diverseIds, count)
    if (this.#isBeforeCommitment()) this.used.earlyIds = Math.max(this.used.earlyIds, count)
  }

  #isBeforeCommitment(): boolean {
    return this.#victim.firstRound === undefined && this.#victim.state === 'committing'
  }
}

/** Only moves on look-ups tell more than what becomes of names, and plans model look-ups. */
function ignore(): void {
  // Nobody reads it.
}
