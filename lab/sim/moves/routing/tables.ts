/** Moves on what nodes remember of peers: their tables, addresses and acquaintances. */
import { empty, showing } from '../../people/adversary.ts'
import { refresh, type OwnRecord } from '../../../../src/network/client/own-records.ts'
import { decodeReveal, encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { blindedPrefixBits, distance, sharesPrefix } from '../../../../src/protocol/neighbourhood/key-space.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { honestNear } from '../../network/routed/first-look-up.ts'
import { told } from '../../network/routed/told.ts'
import type { SimNode } from '../../world/sim-node.ts'
import type { Owner } from '../../people/owner.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import { wrongAt } from '../../figures/harm.ts'

/** Of the k nearest, those that are honest: most. */
const NEARER = 13

/** In each hour four look-ups of random keys find the honest ones with a chance of about a half. */
const MINUTES = 8 * 60

/**
 * Twenty diverse ids hold all places around a key in its owner's table. They name only one another, and show the record
 * to the owner alone. Most of those that should hold it are honest, and unknown to that table.
 */
const lookUpLedAstray: Move = {
  id: 'look-up-led-astray',
  attacks: ['a look-up led astray'],
  begins: 'committed',
  ids: 20,
  // Where no honest peer is left in the table that look-ups near the key begin with (lab/reports/simulator/routing.md).
  allows: 'censored',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach, remark }) {
    const { recordKey: key, node: owner } = victim
    let record: Uint8Array | undefined
    const lie = (request: Request, from: SimNode): Answer | undefined | Promise<Answer | undefined> => {
      if (request.type === 'put') record = request.record
      if (from !== owner) return empty(request)
      if (request.type === 'find') return told(named)
      return record === undefined ? empty(request) : showing(decodeReveal(record), world.hash)(request, from)
    }
    const away = ({ position }: SimNode): number => distance(key, position)
    const honest = honestNear(world, key)
    const [least, most] = [away(honest[NEARER - 1]!), away(honest[NEARER + 2]!)]
    const liars = adversary.joinBetween(key, [least, most], ids, lie)
    const named = liars.map(({ peer, routed }) => ({ id: peer.id, address: routed!.libp2p.address }))
    const { libp2p } = owner.routed!
    await Promise.all(named.map(({ address }) => libp2p.dial(address)))
    const hidden = honest.filter((node) => away(node) <= most)
    const holding = (): number => honest.filter(({ held }) => held.get(victim.name)?.owner === victim.pubkey).length
    let minutesLeft = MINUTES
    while (minutesLeft > 0 && (victim.registeredMs === undefined || holding() === 0)) {
      for (const { peer } of hidden) libp2p.services.table.remove(peer.id)
      await world.sleep(MINUTE_MS)
      if (victim.registeredMs === undefined) continue
      if (minutesLeft === MINUTES)
        remark(`a minute after its record counted as published, honest nodes that hold it: ${holding()}`)
      // Owners publish again each hour. One that has seen its record held everywhere leaves that out in a simulation.
      if (minutesLeft-- % 60 === 0) await refresh(owner.client, recordOf(victim))
    }
    if (holding() > 0) return
    const half = blindedPrefixBits(world.topology.size) + 1
    const isSomeKnown = honest.some((node) => !hidden.includes(node) && sharesPrefix(key, node.position, half))
    if (isSomeKnown) breach(`${MINUTES / 60} hours after a record was published no honest node holds it`)
    else remark('no honest node holds the record: its owner knows none in the half of the keys that it looks up')
  }
}

function recordOf({ name, reveal }: Owner): OwnRecord {
  return { kind: 'reveal', id: name, bytes: encodeReveal(reveal!) }
}

/** More than a node remembers. */
const PASSERS_BY = 9_000

/** Nodes that they pass by at. */
const FLOODED = 3

/** Forty ids of one address sit around a settled name, and thousands of others pass by at nodes that know them. */
const forgottenAddresses: Move = {
  id: 'forgotten-addresses',
  attacks: ['ids whose address is forgotten'],
  begins: 'settled',
  ids: 40,
  allows: 'harmless',
  routing: 'real',
  async run({ world, adversary, victim, ids, breach }) {
    const { profile, topology, places } = world
    const random = world.random('passers-by')
    const crowd = adversary.joinNear(victim.recordKey, ids, empty, Infinity)
    await world.sleep(HOUR_MS)
    const flooded = topology
      .near(victim.recordKey)
      .filter(({ isAttacker }) => !isAttacker)
      .slice(0, FLOODED)
    const passersBy = Array.from({ length: PASSERS_BY }, () => ({
      id: peerIdFromPublicKey(publicKeyFromRaw(random.bytes(32))),
      address: places.free('250.0.0.0/24')
    }))
    for (;;) {
      for (const { routed } of crowd) routed!.libp2p.hangUpAll()
      for (const node of flooded) {
        for (const { id, address } of passersBy) node.routed!.libp2p.passBy(id, address)
        const known = node.view.nearest(victim.recordKey).filter(({ peer }) => world.nodeOf({ peer }).isAttacker)
        const count = node.view.diverse(known).length
        if (count > profile.answers_per_prefix) breach(`${count} ids of one address count at a node that forgot it`)
      }
      await world.sleep(DAY_MS)
    }
  }
}

const VISIT_MS = 6 * HOUR_MS

/** Ids visit from one address while nothing is at stake. Once a name is revealed, they come back from six /24. */
const stockedIds: Move = {
  id: 'stocked-ids',
  attacks: ['stocked ids'],
  begins: 'start',
  // Long enough after the visit for nobody to expect them.
  leadDays: 1,
  ids: 12,
  // A resolver without a pin asks for no acquaintance: it believes more than half of those around the name.
  allows: 'unpinned',
  days: 4,
  routing: 'real',
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const stock = adversary.joinNear(victim.recordKey, ids, empty, Infinity)
    await world.sleep(VISIT_MS)
    adversary.leave()
    while (victim.revealedMs === undefined) await world.sleep(MINUTE_MS)
    const { reveal } = adversary.steal(victim.name, thief, 5)
    adversary.comeBack(stock, showing(reveal, world.hash))
    for (;;) {
      await world.sleep(HOUR_MS)
      const wrong = wrongAt(world, victim)
      remark(`${wrong} of ${world.holdersOf(victim.recordKey).length} honest holders have the thief's claim`)
      if (wrong > 0) breach('ids that came back from other addresses talk over holders that saw the commitment')
    }
  }
}

export const tableMoves: readonly Move[] = [lookUpLedAstray, forgottenAddresses, stockedIds]
