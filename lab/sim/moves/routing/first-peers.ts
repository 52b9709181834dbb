/** Moves of a newcomer's first peers. */
import { empty, showing } from '../../people/adversary.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import type { Request, Answer } from '../../../../src/network/wire/messages.ts'
import { told } from '../../network/routed/told.ts'
import { Resolver } from '../../people/resolver.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { firstLookUp, honestNear } from '../../network/routed/first-look-up.ts'

/** The first peer of each newcomer shows another owner of a settled name, and names nobody but itself. */
const firstPeer: Move = {
  id: 'first-peer',
  attacks: ['the first peer that a newcomer meets'],
  rows: ['what a newcomer is shown by its first peer'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, thief, breach }) {
    const { key, reveal } = adversary.steal(victim.name, thief, 'renewed')
    const show = showing(reveal, world.hash)
    const liars = adversary.joinAnywhere(ids, (request: Request, from) =>
      request.type === 'find' ? told([]) : show(request, from)
    )
    const others = world.firstPeers
    const resolver = new Resolver(world)
    world.firstPeers = (joining) => (joining === resolver.node ? liars : others(joining))
    for (;;) {
      const seen = await resolver.resolve(victim.name)
      if (seen.owner === toHex(key.publicKey) && seen.thin !== true)
        breach('the first peer alone shows an owner who is not thin')
      if (resolver.pins.has(victim.name)) breach('the first peer alone makes a pin')
      await world.sleep(6 * HOUR_MS)
    }
  }
}

/** The first peer of newcomers names honest peers where nobody answers, all but one. */
const falseAddresses: Move = {
  id: 'false-addresses',
  attacks: ['false addresses of honest peers'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const named = told(
      honestNear(world, victim.recordKey).map(({ peer, routed }, index) => ({
        id: peer.id,
        address: index === 0 ? routed!.libp2p.address : world.places.free(peer.prefix)
      }))
    )
    const lie = (request: Request): Answer => (request.type === 'find' ? named : empty(request))
    const liars = adversary.joinAnywhere(ids, lie)
    world.firstPeers = (joining) => (joining.isAttacker ? [] : liars)
    for (;;) {
      const { counted, of } = await firstLookUp(world, victim.recordKey, liars)
      remark(`a first look-up finds ${counted} of ${of} holders that count`)
      if (counted * 2 <= of) breach(`of ${of} holders with a false address only ${counted} are found`)
      await world.sleep(6 * HOUR_MS)
    }
  }
}

/** Holders that one look-up may miss. */
const MISSED = 1

/** The first peer of newcomers names honest peers at its own address, which passes bytes on to them. */
const peersBehindAnAddress: Move = {
  id: 'peers-behind-an-address',
  attacks: ['honest peers behind an address of a liar'],
  begins: 'settled',
  ids: 1,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    let relayed: Answer = told([])
    const liars = adversary.joinAnywhere(ids, (request: Request) =>
      request.type === 'find' ? relayed : empty(request)
    )
    const { prefix } = liars[0]!.peer
    relayed = told(
      honestNear(world, victim.recordKey).map(({ peer, routed }) => ({
        id: peer.id,
        address: world.places.relay(prefix, routed!.libp2p)
      }))
    )
    world.firstPeers = (joining) => (joining.isAttacker ? [] : liars)
    for (;;) {
      const { counted, of } = await firstLookUp(world, victim.recordKey, liars)
      remark(`a first look-up finds ${counted} of ${of} holders that count`)
      if (counted < of - MISSED) breach(`of ${of} holders behind an address of a liar only ${counted} count`)
      await world.sleep(6 * HOUR_MS)
    }
  }
}

/** Twenty that do not answer, six at a time, half a second each; then those that do. */
const LONGEST_MS = 5_000

/** Honest ones among the first peers. */
const HONEST = 3

/** Four ids of one provider, near a settled name, name twenty ids each that nobody has: nearer, and of any provider. */
const peersThatNobodyCanReach: Move = {
  id: 'peers-that-nobody-can-reach',
  attacks: ['peers that nobody can reach'],
  begins: 'settled',
  ids: 4,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { k } = world.profile
    const madeUp = adversary.madeUpNear(victim.recordKey, ids * k).map((id, index) => ({
      id,
      address: world.places.free(`${100 + (index >> 8)}.${index & 255}.0.0/24`)
    }))
    const liars = Array.from({ length: ids }, (_, index) => {
      const own = told(madeUp.slice(index * k, (index + 1) * k))
      const lie = (request: Request): Answer => (request.type === 'find' ? own : empty(request))
      return adversary.joinNear(victim.recordKey, 1, lie)[0]!
    })
    for (;;) {
      const firstPeers = [...liars, ...honestNear(world, victim.recordKey).slice(-HONEST)]
      const { counted, of, tookMs } = await firstLookUp(world, victim.recordKey, firstPeers)
      if (counted * 2 <= of) breach(`of ${of} holders only ${counted} are found`)
      remark(`a look-up finds ${counted} of ${of} holders in ${(tookMs / 1000).toFixed(1)} s`)
      if (tookMs > LONGEST_MS) breach('a look-up takes more than five seconds')
      await world.sleep(6 * HOUR_MS)
    }
  }
}

export const firstPeerMoves: readonly Move[] = [
  firstPeer,
  falseAddresses,
  peersBehindAnAddress,
  peersThatNobodyCanReach
]
