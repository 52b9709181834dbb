/** The same nodes, by the same keys and prefixes, in the simulator. */
import { showing } from '../../../bench/sim/adversary.ts'
import { makeReveal } from '../../../bench/sim/claims.ts'
import type { SimNode } from '../../../bench/sim/node/sim-node.ts'
import { Resolver } from '../../../bench/sim/people/resolver.ts'
import { World } from '../../../bench/sim/world.ts'
import { commit } from '../../../src/network/client/commit.ts'
import { publish } from '../../../src/network/client/publish.ts'
import { sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../../src/protocol/claim/commitment.ts'
import { recordKey } from '../../../src/protocol/claim/record-key.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { keyPairFromSeed, type KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { stampHolds } from '../../../src/protocol/crypto/stamp.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { NEAR_BITS } from '../../attacks/network/adversary.ts'
import { seedsNear } from '../../network/bare-node.ts'
import { saltOf } from '../../network/lab.ts'
import { NAME, placeOf, placeOfLiar, prefixOf, rentedFrom } from './places.ts'
import { counted, type Look, type Put, type Side, type Size, type Who } from './side.ts'

const PEOPLE: readonly Who[] = ['owner', 'squatter', 'thief']

/** Longer than all questions of a step, of which each waits ten seconds at most. */
const STEP_MS = 60_000

export function simulatedSide(profile: NetworkProfile, { nodes }: Size): Side {
  const world = new World('compared', profile)
  const honest = Array.from({ length: nodes }, (_, index) =>
    world.addNode({ key: keyPairFromSeed(sha256(utf8('node'), u64be(index))), prefix: prefixOf(placeOf(index)) })
  )
  let clients = 0
  const client = (): SimNode => world.addClient({ prefix: prefixOf(rentedFrom(clients++)) })
  const owner = client()
  let liars = 0
  const keyOf = (who: Who): KeyPair => keyPairFromSeed(sha256(utf8(who)))
  const whose = (pubkey: string): Who => PEOPLE.find((who) => toHex(keyOf(who).publicKey) === pubkey)!
  const records = new Map<Who, Reveal>()
  const recordOf = (who: Who): Reveal => {
    const record =
      records.get(who) ??
      makeReveal({ name: NAME, owner: keyOf(who), salt: saltOf(who), round: world.round() }, profile)
    records.set(who, record)
    return record
  }
  const passes = async (milliseconds: number): Promise<void> => {
    await world.timeline.runUntil(world.timeline.nowMs + milliseconds)
  }
  const roundMs = profile.beacon.period * 1000

  /** Lets virtual time pass until that is done. */
  async function done<T>(work: () => Promise<T>): Promise<T> {
    let result: { value: T } | undefined
    const startMs = world.timeline.nowMs
    world.timeline.after(0, () => void work().then((value) => (result = { value })))
    while (result === undefined) {
      if (world.timeline.nowMs - startMs > STEP_MS) throw new Error('the step does not end')
      await passes(10)
    }
    return result.value
  }

  return {
    async commit() {
      const commitment = commitmentHash(NAME, keyOf('owner').publicKey, saltOf('owner'), world.hash)
      let nonce = 0
      while (!stampHolds(commitment, u64be(nonce), profile.stamp_bits, world.hash)) nonce++
      const { receipts, of } = await done(() => commit(owner.client, NAME, commitment, u64be(nonce)))
      return { receipts: receipts.length, of }
    },
    advance: (rounds) => passes(rounds * roundMs),
    async put(who): Promise<Put> {
      const { client: parts, store, clock } = who === 'owner' ? owner : client()
      const record = { kind: 'reveal', id: NAME, bytes: encodeReveal(recordOf(who)) } as const
      const { storedBy, of, refusals } = await done(() => publish(parts, { store, clock }, record))
      return { storedBy, of, refusals: [...new Set(refusals.map(({ code }) => code))].sort() }
    },
    async look(): Promise<Look> {
      const resolver = new Resolver(world, client())
      const { kind, owner: seen, answers, asked } = await done(() => resolver.resolve(NAME))
      const shown = kind === 'owner' ? whose(seen!) : kind
      return { shown, asked, answered: answers.length, networkSize: resolver.node.view.networkSize() }
    },
    holders() {
      return counted(honest.flatMap(({ held }) => held.get(NAME) ?? []).map(({ owner: who }) => whose(who)))
    },
    async lie(count) {
      const seeds = await seedsNear(recordKey('reveal', NAME, world.hash), NEAR_BITS, liars + count)
      const lie = showing(recordOf('thief'), world.hash)
      for (const seed of seeds.slice(liars))
        world.addNode({ key: keyPairFromSeed(seed), prefix: prefixOf(placeOfLiar(liars++)), lie })
    },
    async settle() {
      await passes((profile.settle + 2) * roundMs)
      while (honest.some(({ held }) => !['settled', undefined].includes(held.get(NAME)?.state))) await passes(roundMs)
    },
    close: () => Promise.resolve()
  }
}
