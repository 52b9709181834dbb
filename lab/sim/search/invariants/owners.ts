/** Watches what owners and resolvers see: P12, P13, P15, P16 and P17. */
import type { Owner } from '../../people/owner.ts'
import { equalBytes } from '../../../../src/protocol/encoding/bytes.ts'
import type { SeenClaim } from '../../../../src/protocol/resolution/pin.ts'
import type { Seen } from '../../people/resolver.ts'
import { DAY_MS, type World } from '../../world/world.ts'
import { BOUNDS, Invariants, type InvariantId } from './violation.ts'

/** An owner's name may be unseen for this long after it is published: a look between two publications. */
const UNSEEN_DAYS = 0.5

export class OwnerInvariants extends Invariants {
  readonly #dayMs: number
  readonly #since = new Map<string, number>()

  constructor(world: World, dayMs = DAY_MS) {
    super(world)
    this.#dayMs = dayMs
  }

  /** P12, at the end of a run: a name that was registered is its owner's, however often the lease ended meanwhile. */
  kept(owner: Owner): void {
    if (owner.registeredMs !== undefined && isLost(this.world, owner))
      this.#once('P12', owner.name, `${owner.name} was registered, and most of its holders have no claim of its owner`)
  }

  /** P13 and P24. `pin` was firm before the look. */
  pinned(name: string, pin: SeenClaim | undefined, { kind, newest }: Seen): void {
    if (pin === undefined || kind !== 'owner' || newest === undefined) return
    if (!equalBytes(pin.claim, newest.id))
      this.found('P13', `a resolver with a firm pin was shown another owner of ${name}`)
    else if (pin.changes?.some((hash, at) => newest.changes[at] && !equalBytes(hash, newest.changes[at].hash)) === true)
      this.found('P24', `a resolver with a firm pin was shown ${name} with changes that part from its own`)
  }

  /** P15: an owner that registered is the one that resolvers without a pin see. */
  live(owner: Owner, seen: Seen): void {
    const isLive = seen.kind === 'owner' && seen.owner === owner.pubkey
    this.#lasting(
      'P15',
      owner.name,
      owner.state === 'registered' && !isLive,
      UNSEEN_DAYS,
      `${owner.name}: ${seen.kind}`
    )
  }

  /** P16: a claim that nobody else has an earlier one for is taken within the bound after it was first sent. */
  refused(owner: Owner): void {
    const { sentMs, refusedMs, registeredMs } = owner
    if (sentMs === undefined || refusedMs === undefined || registeredMs !== undefined) return
    const days = (refusedMs - sentMs) / this.#dayMs
    if (days > BOUNDS.refusedPut)
      this.#once(
        'P16',
        owner.name,
        `${owner.name} is refused: ${owner.refusals.map(({ code }) => code).join() || 'silence'}`
      )
  }

  /** P17: two resolvers without pins, at one time. */
  agree(name: string, seen: readonly Seen[]): void {
    const owners = new Set(seen.flatMap(({ kind, owner }) => (kind === 'owner' ? [owner] : [])))
    this.#lasting('P17', name, owners.size > 1, BOUNDS.disagreement, `${name}: ${owners.size} owners are shown`)
  }

  #lasting(rule: InvariantId, name: string, isBroken: boolean, days: number, detail: string): void {
    const id = `${rule} ${name}`
    const now = this.world.timeline.nowMs
    if (!isBroken) this.#since.delete(id)
    else {
      const since = this.#since.get(id) ?? now
      this.#since.set(id, since)
      if (now - since > days * this.#dayMs) this.#once(rule, name, detail)
    }
  }

  #once(rule: InvariantId, name: string, detail: string): void {
    if (!this.violations.some((each) => each.rule === rule && each.detail.startsWith(name))) this.found(rule, detail)
  }
}

/** Whether half of the honest nodes that should hold the name, or more, have no live claim of its owner. */
export function isLost(world: World, { name, recordKey, pubkey }: Owner): boolean {
  const holders = world.holdersOf(recordKey)
  const now = world.round()
  const owned = holders.filter(({ held }) => {
    const entry = held.get(name)
    return entry?.owner === pubkey && now <= entry.endRound
  })
  return holders.length > 0 && owned.length * 2 <= holders.length
}
