/** Resolvers that ask, weigh and remember as the daemon does: by the name, and by the check code. */
import { getByCode, getReveals } from '../../../src/network/client/get.ts'
import { type NetworkStatus, OfflineError, type RevealAnswer } from '../../../src/network/types.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { type Pin, type Ruled, livePin, rulePin } from '../../../src/protocol/resolution/pin.ts'
import { type ResolveAnswer, type Tally, tally, withoutDead } from '../../../src/protocol/resolution/quorum.ts'
import type { SimNode } from '../world/sim-node.ts'
import type { World } from '../world/world.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { Claim } from '../../../src/protocol/claim/claim.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { type CodeContext, resolveByCode } from '../../../src/registry/resolution/by-code.ts'
import { Memory } from '../../../src/registry/stored/memory.ts'

export interface Seen {
  readonly kind: 'owner' | 'none' | 'contested' | 'silence'
  /** The owner shown, in hex. */
  readonly owner?: string
  /** Fewer than half of those to be asked agree: shown with a warning. */
  readonly thin?: boolean
  /** More than half of the owner's votes call the changes of its keys final; true without any. */
  readonly isFinal?: boolean
  readonly newest?: Claim
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

  /** Firm, and live. */
  firmPin(name: string): Pin | undefined {
    const pin = livePin(this.pins.get(name), this.node.clock.time(), this.#world.profile)
    return pin?.state === 'firm' ? pin : undefined
  }

  isFirm(name: string): boolean {
    return this.firmPin(name) !== undefined
  }

  pinned(name: string): string | undefined {
    const pin = this.firmPin(name)
    return pin && toHex(pin.pubkey)
  }

  /** Whether its daemon would look a second time now. */
  isSecondLookDue(name: string): boolean {
    const time = this.node.clock.time()
    const pin = livePin(this.pins.get(name), time, this.#world.profile)
    return pin?.state === 'tentative' && time.lapse >= pin.lookRound
  }

  async resolve(name: string): Promise<Seen> {
    const { profile } = this.#world
    await this.node.joined
    const isSecondLook = this.isSecondLookDue(name)
    const { answers, asked } = await getReveals(this.node.client, name, undefined, 'everybody')
    if (answers.length === 0) return { kind: 'silence', answers: [], asked }
    const time = this.node.clock.time()
    const votes = withoutDead(
      answers.map((answer) => asVote(answer, answers, time.verified)),
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
      return {
        kind: 'owner',
        owner: toHex(result.owner.pubkey),
        thin: result.thin,
        isFinal: result.owner.final,
        newest: result.owner.newest
      }
    case 'none':
      return { kind: 'none' }
    case 'contested':
      return { kind: 'contested' }
    case 'undecided':
      return { kind: 'silence' }
  }
}

/** As src/registry/resolution/survey.ts: a stub votes for the claim that another answer proves. */
function asVote(
  { peer, state, claimId, claim, changes }: RevealAnswer,
  answers: readonly RevealAnswer[],
  verified: number
): ResolveAnswer {
  const proved =
    claim ??
    answers.find((other) => other.claim !== undefined && claimId !== undefined && equalBytes(other.claim.id, claimId))
      ?.claim
  if (proved === undefined || state === 'none') return { peer, prefix: peer }
  const head = proved.changes.at(-1)?.hash
  const final = head && changes !== undefined && equalBytes(changes.head, head) && changes.final < verified
  return { peer, prefix: peer, held: { claim: proved, state, ...(final && { final }) } }
}

export interface SeenByCode {
  /** `none`: nobody shows such a claim, or its lease is over. `contested`: two have the code. `refused`: all older than seen. */
  readonly kind: 'owner' | 'none' | 'contested' | 'refused' | 'silence'
  /** The owner shown, in hex, and the record. */
  readonly owner?: string
  readonly reveal?: Reveal
}

export class CodeResolver {
  readonly node: SimNode
  readonly #context: CodeContext

  constructor(world: World) {
    this.node = world.addClient()
    const { client, clock, store, peer, view } = this.node
    this.#context = {
      profile: world.profile,
      memory: new Memory(store),
      time: () => clock.time(),
      owned: { get: () => undefined },
      network: {
        getByCode: (name, code, signal) => getByCode(client, name, code, signal),
        storedRecord: () => undefined,
        status: (): NetworkStatus => ({
          status: 'online',
          peers: view.known(),
          mode: 'light',
          auto: null,
          peer_id: peer.peer,
          connecting: null,
          records: 0
        })
      }
    }
  }

  async resolve(name: string, code: string): Promise<SeenByCode> {
    await this.node.joined
    try {
      const { reveal } = await resolveByCode(this.#context, parseName(name, this.#context.profile), code)
      return { kind: 'owner', owner: toHex(reveal.pubkey), reveal }
    } catch (error) {
      if (error instanceof OfflineError) return { kind: 'silence' }
      if (!(error instanceof ServiceError)) throw error
      if (error.code !== 'SVC-RES-004') return { kind: 'none' }
      return { kind: error.extensions['candidates'] === undefined ? 'refused' : 'contested' }
    }
  }
}
