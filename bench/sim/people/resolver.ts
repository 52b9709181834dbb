/** A resolver that asks, counts and remembers as the daemon does. */
import { getReveals } from '../../../src/network/client/get.ts'
import type { LookupBreadth, RevealAnswer } from '../../../src/network/types.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { livePin, rulePin, type Pin, type Ruled } from '../../../src/protocol/resolution/pin.ts'
import { tally, withoutDead, type ResolveAnswer, type Tally } from '../../../src/protocol/resolution/quorum.ts'
import type { SimNode } from '../world/sim-node.ts'
import type { World } from '../world/world.ts'

export interface Seen {
  readonly kind: 'owner' | 'none' | 'contested' | 'silence'
  /** The owner shown, in hex. */
  readonly owner?: string
  /** Fewer than half of those to be asked agree: shown with a warning. */
  readonly thin?: boolean
  readonly answers: readonly ResolveAnswer[]
  /** Peers that should answer. */
  readonly asked: number
}

export class Resolver {
  readonly node: SimNode
  readonly pins = new Map<string, Pin>()
  readonly #world: World

  constructor(world: World, node = world.addClient()) {
    this.#world = world
    this.node = node
  }

  isFirm(name: string): boolean {
    return livePin(this.pins.get(name), this.node.clock.time(), this.#world.profile)?.state === 'firm'
  }

  pinned(name: string): string | undefined {
    const pin = livePin(this.pins.get(name), this.node.clock.time(), this.#world.profile)
    return pin?.state === 'firm' ? toHex(pin.pubkey) : undefined
  }

  /** Whether its daemon would look a second time now. */
  isSecondLookDue(name: string): boolean {
    const time = this.node.clock.time()
    const pin = livePin(this.pins.get(name), time, this.#world.profile)
    return pin?.state === 'tentative' && time.lapse >= pin.lookRound
  }

  async resolve(name: string, breadth: LookupBreadth = 'everybody'): Promise<Seen> {
    const { profile } = this.#world
    await this.node.joined
    const isSecondLook = this.isSecondLookDue(name) && breadth === 'everybody'
    const { answers, asked } = await getReveals(this.node.client, name, undefined, breadth)
    if (answers.length === 0) return { kind: 'silence', answers: [], asked }
    const time = this.node.clock.time()
    const votes = withoutDead(
      answers.map((answer) => asVote(answer, answers)),
      time.lapse,
      profile
    )
    const voted = tally(votes, { asked: Math.max(votes.length, asked), done: true }, profile)
    const sighting = { time, isSecondLook, spread: this.#world.chance.next() }
    const { result, pin } = rulePin(voted, this.pins.get(name), sighting, profile)
    if (pin === undefined) this.pins.delete(name)
    else this.pins.set(name, pin)
    return { ...shown(result), answers: votes, asked }
  }
}

export function shown(result: Ruled | Tally): Omit<Seen, 'answers' | 'asked'> {
  switch (result.kind) {
    case 'owner':
      return { kind: 'owner', owner: toHex(result.owner.pubkey), thin: result.thin }
    case 'none':
      return { kind: 'none' }
    case 'contested':
      return { kind: 'contested' }
    case 'undecided':
      return { kind: 'silence' }
  }
}

/** As src/registry/resolution/survey.ts: a stub votes for the claim that another answer proves. */
function asVote({ peer, state, claimId, claim }: RevealAnswer, answers: readonly RevealAnswer[]): ResolveAnswer {
  const proved =
    claim ??
    answers.find((other) => other.claim !== undefined && claimId !== undefined && equalBytes(other.claim.id, claimId))
      ?.claim
  return proved === undefined || state === 'none'
    ? { peer, prefix: peer }
    : { peer, prefix: peer, held: { claim: proved, state } }
}
