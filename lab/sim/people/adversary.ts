/** What attackers have: ids ground near a key, rented prefixes, chips, and answers that suit them. What they use is counted. */
import { marksOf } from '../../../src/protocol/claim/changes.ts'
import { claimIdOf, decodeVdfProof, encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { recordKey, sharesPrefix, distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import { sha256 } from '../../../src/protocol/encoding/bytes.ts'
import { isIPv6Prefix, widePrefix } from '../../../src/protocol/neighbourhood/diversity.ts'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { publish } from '../../../src/network/client/publish.ts'
import { positionOf } from '../../../src/network/table.ts'
import type { Answer, Request } from '../../../src/network/wire/messages.ts'
import { iterationsFor, parseName, renewalIterations } from '../../../src/protocol/name/names.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { makeReveal } from '../world/claims.ts'
import type { Random } from '../world/random.ts'
import { Addresses } from '../network/addresses.ts'
import { COST_MS } from '../network/ledger.ts'
import type { Answerer, SimNode } from '../world/sim-node.ts'
import { ALWAYS_AWAKE, Owner, type Habits } from './owner.ts'
import type { World } from '../world/world.ts'

/** The fastest chip known does 715,000 (docs/protocol/wire.md, 2). */
export const FAST_CHIP = 715_000

/** Euros a day for a rented address in a /24 of its own (docs/threat-model.md). */
const EUROS_OF_A_PREFIX = 0.15

export interface Spending {
  readonly ids: number
  readonly triedKeys: number
  /** For ids near the check code, which are as many again at the same addresses. */
  readonly triedKeysAtCode: number
  readonly prefixes: number
  readonly widePrefixes: number
  readonly eurosADay: number
  readonly squarings: number
}

export class Adversary {
  readonly nodes: SimNode[] = []
  readonly #world: World
  readonly #random: Random
  readonly #prefixes = new Set<string>()
  #atCode: Adversary | undefined
  #tried = 0
  #squarings = 0

  constructor(world: World, label = 'adversary') {
    this.#world = world
    this.#random = world.random(label)
  }

  get spending(): Spending {
    const prefixes = this.#prefixes.size
    return {
      ids: this.nodes.length,
      triedKeys: this.#tried,
      triedKeysAtCode: this.#atCode?.spending.triedKeys ?? 0,
      prefixes,
      widePrefixes: new Set([...this.#prefixes].map(widePrefix)).size,
      eurosADay: Math.round(prefixes * EUROS_OF_A_PREFIX * 100) / 100,
      squarings: this.#squarings
    }
  }

  /**
   * Joins with ids that are nearer to a key than all but `k - count` honest ones.
   *
   * @param idsOfPrefix how many ids share a /24: two count
   */
  joinNear(key: Uint8Array, count: number, lie: Answerer, idsOfPrefix = 2): SimNode[] {
    const reach = this.#reachOf(key, count)
    return Array.from({ length: count }, () => this.#join(this.#grind(key, reach), lie, idsOfPrefix))
  }

  /**
   * Joins near a name and, with other ids at the same addresses, as near to its check code: each place counts prefixes
   * by itself. All answer for both places.
   */
  joinNearBoth({ recordKey: key, codedKey }: Owner, count: number, lie: Answerer, lieByCode: Answerer): void {
    const lieOfBoth: Answerer = (request, from) => (isByCode(request) ? lieByCode : lie)(request, from)
    this.joinNear(key, count, lieOfBoth)
    this.#atCode ??= new Adversary(this.#world, 'adversary at the code')
    this.#atCode.joinNear(codedKey, count, lieOfBoth)
  }

  /** As `joinNear`, with two ids by IPv4 and two by IPv6 on each machine: the second address costs nothing. */
  joinNearInFamilies(key: Uint8Array, count: number, lie: Answerer): SimNode[] {
    const reach = this.#reachOf(key, count)
    return Array.from({ length: count }, (_, index) => {
      const machine = Math.floor(index / 4)
      const pair = { publicKey: this.#grind(key, reach), secretKey: new Uint8Array(64) }
      return this.#joinAt(pair, lie, index % 4 < 2 ? Addresses.rented(2 * machine) : Addresses.rentedIPv6(machine))
    })
  }

  /** Joins with ids at distances from a key that are between two. */
  joinBetween(key: Uint8Array, [least, most]: readonly [number, number], count: number, lie: Answerer): SimNode[] {
    return Array.from({ length: count }, () => this.#join(this.#grind(key, most, least), lie, 2))
  }

  /** Joins with ids of no particular place. */
  joinAnywhere(count: number, lie: Answerer, idsOfPrefix = 2): SimNode[] {
    return Array.from({ length: count }, () => this.#join(this.#random.bytes(32), lie, idsOfPrefix))
  }

  /**
   * Joins with ids that sign with keys of their own.
   *
   * @param bits first bits that they share with `key`; 0: of no particular place
   */
  joinSigning(
    count: number,
    lieOf: (key: KeyPair) => Answerer,
    { key, bits, idsOfPrefix = 2 }: { readonly key: Uint8Array; readonly bits: number; readonly idsOfPrefix?: number }
  ): SimNode[] {
    return Array.from({ length: count }, () => {
      const pair = this.#signingUnder(key, bits)
      return this.#joinAs(pair, lieOf(pair), idsOfPrefix)
    })
  }

  /** Ids that share a few first bits with a key, in the prefixes of others: a machine has as many ids as it likes. */
  idsBeside(key: Uint8Array, bits: number, others: readonly SimNode[], lie: Answerer): SimNode[] {
    const near = 2 ** -bits
    return others.map(({ peer: { prefix } }) =>
      this.#world.addNode({
        key: { publicKey: this.#grind(key, near), secretKey: new Uint8Array(64) },
        prefix,
        lie,
        isPassive: true
      })
    )
  }

  /** The same ids again, two in each of other prefixes. */
  comeBack(nodes: readonly SimNode[], lie: Answerer): SimNode[] {
    return nodes.map(({ peer }) => this.#join(peer.id.publicKey!.raw, lie, 2))
  }

  /** Ids that nobody has, nearer to a key than all honest ones. */
  madeUpNear(key: Uint8Array, count: number): PeerId[] {
    const nearest = this.#world.topology.near(key).find(({ isAttacker }) => !isAttacker)
    const reach = nearest === undefined ? 1 : distance(key, nearest.position)
    return Array.from({ length: count }, () => peerIdFromPublicKey(publicKeyFromRaw(this.#grind(key, reach))))
  }

  /** A daemon of the attacker's: it asks and sends, and nobody knows it. */
  client(): SimNode {
    this.#prefixes.add(Addresses.rented(this.nodes.length))
    return this.#world.addClient({ prefix: Addresses.rented(this.nodes.length), isAttacker: true })
  }

  /** A claim that is worked for, with a pulse of any past round. */
  claim(name: string, round: number, owner: KeyPair, salt = this.#random.bytes(32)): Reveal {
    const { profile } = this.#world
    this.#squarings += iterationsFor(parseName(name, profile), profile)
    return makeReveal({ name, owner, salt, round }, profile)
  }

  /** A claim from most of a lease ago, renewed now: a thief may take any old pulse, since all are public. */
  backdated(name: string, owner: KeyPair): Reveal {
    const { profile } = this.#world
    const now = this.#world.round() - 100
    const former = this.claim(name, now - Math.floor(0.9 * profile.lease), owner)
    this.#squarings += renewalIterations(parseName(name, profile), profile)
    return makeReveal({ name, owner, salt: this.#random.bytes(32), round: now, former }, profile)
  }

  /** A claim of a thief's, with a pulse of that many rounds ago; `renewed`: from most of a lease ago, renewed now. */
  steal(
    name: string,
    thief: (pubkey: Uint8Array) => void,
    rounds: number | 'renewed'
  ): { readonly key: KeyPair; readonly reveal: Reveal } {
    const key = this.#world.newKey()
    const reveal =
      rounds === 'renewed' ? this.backdated(name, key) : this.claim(name, this.#world.round() - rounds, key)
    thief(key.publicKey)
    return { key, reveal }
  }

  /** Somebody who wants a name and works for it once, as owners do. */
  owner(name: string, habits: Habits = ALWAYS_AWAKE, key?: KeyPair): Owner {
    const { profile } = this.#world
    this.#squarings += iterationsFor(parseName(name, profile), profile)
    return new Owner(this.#world, name, habits, this.client(), key)
  }

  /** Sends a record to all that should hold it. */
  async publish(reveal: Reveal, { client, store, clock } = this.client()): Promise<void> {
    await publish(client, { store, clock }, { kind: 'reveal', id: reveal.name, bytes: encodeReveal(reveal) })
  }

  leave(): void {
    for (const node of this.nodes) this.#world.remove(node)
  }

  #join(publicKey: Uint8Array, lie: Answerer, idsOfPrefix: number): SimNode {
    return this.#joinAs({ publicKey, secretKey: new Uint8Array(64) }, lie, idsOfPrefix)
  }

  #joinAs(key: KeyPair, lie: Answerer, idsOfPrefix: number): SimNode {
    return this.#joinAt(key, lie, Addresses.rented(this.nodes.length, idsOfPrefix))
  }

  #joinAt(key: KeyPair, lie: Answerer, prefix: string): SimNode {
    if (!isIPv6Prefix(prefix)) this.#prefixes.add(prefix)
    const node = this.#world.addNode({ key, prefix, lie })
    this.nodes.push(node)
    return node
  }

  /** How near an id must be to be one of k with `count` such ids. */
  #reachOf(key: Uint8Array, count: number): number {
    const { topology, profile } = this.#world
    const near = topology.near(key)
    const last = near[Math.max(0, Math.min(near.length - 1, profile.k - count))]
    return last === undefined ? 1 : distance(key, last.position)
  }

  #signingUnder(key: Uint8Array, bits: number): KeyPair {
    for (;;) {
      const pair = this.#world.newKey()
      if (sharesPrefix(key, positionOf(peerIdFromPublicKey(publicKeyFromRaw(pair.publicKey))), bits)) return pair
      this.#tried++
      this.#world.ledger.work(true, COST_MS.triedKey)
    }
  }

  /** Tries keys until one is within reach, and no nearer than `least`. Its secret is never used, so that any 32 bytes do. */
  #grind(key: Uint8Array, reach: number, least = 0): Uint8Array {
    for (;;) {
      this.#tried++
      this.#world.ledger.work(true, COST_MS.triedKey)
      const publicKey = this.#random.bytes(32)
      const away = distance(key, positionOf(peerIdFromPublicKey(publicKeyFromRaw(publicKey))))
      if (away >= least && away < reach) return publicKey
    }
  }
}

function isByCode(request: Request): boolean {
  return (request.type === 'get' && request.kind === 'coded') || (request.type === 'list' && request.coded === true)
}

/**
 * Answers of a node that says it holds that record, settled, and nothing else: under its name by default.
 *
 * @param final since when changes of its keys are final, as it says
 */
export function showing(
  reveal: Reveal,
  hash: Uint8Array,
  key = recordKey('reveal', reveal.name, hash),
  final = 0
): Answerer {
  const record = encodeReveal(reveal)
  const proof = decodeVdfProof(reveal.vdf_proof)
  const claim = claimIdOf(reveal, proof, hash).id
  const head = marksOf(reveal.name, claim, proof.changes ?? [], hash).at(-1)?.hash
  const entry = { type: 'entry', state: 'settled', claim, ...(head && { changes: { head, final } }) } as const
  return (request: Request): Answer => {
    if (request.type === 'get' && Buffer.compare(request.key, key) === 0)
      return request.brief === true ? { ...entry, digest: sha256(record) } : { ...entry, record }
    if (request.type === 'list')
      return { type: 'listed', entries: [{ key, state: 'settled', claim, record: sha256(record) }], more: false }
    return empty(request)
  }
}

/** Says that it stores everything and holds nothing. */
export function empty(request: Request): Answer {
  switch (request.type) {
    case 'put':
      return { type: 'stored' }
    case 'list':
      return { type: 'listed', entries: [], more: false }
    case 'commitments':
      return { type: 'commitments', commitments: [], more: false }
    case 'get':
    case 'find':
      return { type: 'none' }
    case 'commit':
    case 'reach':
    case 'time':
      return { type: 'busy' }
  }
}

/** Takes requests and answers none. */
export function silent(): undefined {
  return undefined
}
