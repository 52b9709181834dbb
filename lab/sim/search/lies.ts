/** What a plan's attacker shows: its claims, which take work, and its liars, by who asks and what the lie is now. */
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { type Reveal, claimId, encodeReveal, firstLink } from '../../../src/protocol/claim/reveal.ts'
import { iterationsFor, parseName } from '../../../src/protocol/name/names.ts'
import { roundTimeMs } from '../../../src/protocol/time.ts'
import { type Adversary, FAST_CHIP, empty } from '../people/adversary.ts'
import type { World } from '../world/world.ts'
import type { Face, Lie, PlannedClaim } from './plan.ts'
import { equalBytes, sha256 } from '../../../src/protocol/encoding/bytes.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import type { Answerer, SimNode } from '../world/sim-node.ts'
import type { Owner } from '../people/owner.ts'

export class AttackersClaim {
  readonly key: KeyPair
  readonly commitment: Uint8Array
  readonly #world: World
  readonly #adversary: Adversary
  readonly #name: string
  readonly #planned: PlannedClaim
  readonly #salt: Uint8Array
  readonly #victimsRound: number
  #reveal: Reveal | undefined
  #round: number | undefined

  /** @param victimsRound when the victim commits */
  constructor(world: World, adversary: Adversary, name: string, planned: PlannedClaim, victimsRound: number) {
    this.#victimsRound = victimsRound
    this.#world = world
    this.#adversary = adversary
    this.#name = name
    this.#planned = planned
    this.key = world.newKey()
    this.#salt = world.random(`salt of ${name} ${this.key.publicKey.join()}`).bytes(32)
    this.commitment = commitmentHash(name, this.key.publicKey, this.#salt, world.hash)
  }

  /** p; that of a worked claim is chosen at the first call. */
  get round(): number {
    this.#round ??=
      this.#planned.kind === 'worked'
        ? this.#world.round() + this.#world.profile.min_commit + 1
        : this.#victimsRound - this.#planned.rounds
    return this.#round
  }

  get readyMs(): number {
    const { profile } = this.#world
    const speed = this.#planned.kind === 'worked' ? this.#planned.speed : FAST_CHIP
    const seconds = iterationsFor(parseName(this.#name, profile), profile) / speed
    return roundTimeMs(this.round, profile.beacon) + seconds * 1000
  }

  /** Undefined while the work for it goes on. */
  get reveal(): Reveal | undefined {
    if (this.#world.timeline.nowMs < this.readyMs) return undefined
    return (this.#reveal ??=
      this.#planned.kind === 'old' && this.#planned.isRenewed
        ? this.#adversary.backdated(this.#name, this.key)
        : this.#adversary.claim(this.#name, this.round, this.key, this.#salt))
  }

  /** Waits until the work is done. */
  async done(): Promise<Reveal> {
    await this.#world.sleep(Math.max(0, this.readyMs - this.#world.timeline.nowMs) + 1)
    return this.reveal!
  }
}

/** Ids of one step, which answer alike. */
export class Group {
  readonly #world: World
  readonly #victim: Owner
  readonly #claims: readonly AttackersClaim[]
  readonly nodes: SimNode[] = []
  lie: Lie

  constructor(world: World, victim: Owner, claims: readonly AttackersClaim[], lie: Lie) {
    this.#world = world
    this.#victim = victim
    this.#claims = claims
    this.lie = lie
  }

  /** Hourly rounds are left out where nothing changed (world.ts): what liars say is a change. */
  changed(): void {
    for (const node of this.nodes) node.contentVersion++
  }

  readonly answer: Answerer = (request, from) => {
    const { to, face, other, vouches, claim, state } = this.lie
    if (request.type === 'commitments' && vouches) return this.#vouched(request.after)
    const shown = isAmong(to, from) ? face : other
    return this.#shown(shown, request, claim, state)
  }

  #shown(face: Face, request: Request, claim: number, state: Lie['state']): Answer | undefined {
    if (face === 'silent') return undefined
    const reveal = face === 'claim' ? this.#claims[claim]?.reveal : face === 'owner' ? this.#victim.reveal : undefined
    return reveal === undefined ? empty(request) : this.#showing(reveal, request, face === 'owner' ? 'settled' : state)
  }

  #showing(reveal: Reveal, request: Request, state: Lie['state']): Answer {
    const { hash } = this.#world
    const key = this.#victim.recordKey
    const record = encodeReveal(reveal)
    const { p, salt } = firstLink(reveal)
    const claim = claimId(reveal.name, commitmentHash(reveal.name, reveal.pubkey, salt, hash), p, hash)
    if (request.type === 'get' && equalBytes(request.key, key)) {
      const entry = { type: 'entry', state, claim } as const
      return request.brief === true ? { ...entry, digest: sha256(record) } : { ...entry, record }
    }
    if (request.type === 'list')
      return { type: 'listed', entries: [{ key, state, claim, record: sha256(record) }], more: false }
    return empty(request)
  }

  /** Each commitment as seen just in time. */
  #vouched(after: Uint8Array | undefined): Answer {
    if (after !== undefined) return { type: 'commitments', commitments: [], more: false }
    const { min_commit } = this.#world.profile
    const commitments = this.#claims
      .map(({ commitment, round }) => ({ commitment, seen: Math.max(1, round - min_commit - 1) }))
      .sort((left, right) => Buffer.compare(left.commitment, right.commitment))
    return { type: 'commitments', commitments, more: false }
  }
}

function isAmong(audience: Lie['to'], from: SimNode): boolean {
  switch (audience) {
    case 'all':
      return true
    case 'half':
      return (from.position[0]! & 1) === 0
    case 'holders':
      return from.isListed
    case 'clients':
      return !from.isListed
  }
}
