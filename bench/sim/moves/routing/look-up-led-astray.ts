/**
 * Twenty diverse ids hold all places around a key in its owner's table. They name only one another, and show the record
 * to the owner alone. Most of those that should hold it are honest, and unknown to that table.
 */
import { empty, showing } from '../../people/adversary.ts'
import { refresh } from '../../../../src/network/client/refresh.ts'
import type { OwnRecord } from '../../../../src/network/client/own-records.ts'
import { decodeReveal, encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { distance } from '../../../../src/protocol/neighbourhood/density.ts'
import type { Answer, Request } from '../../../../src/network/wire/messages.ts'
import { honestNear } from '../../network/routed/first-look-up.ts'
import { told } from '../../network/routed/told.ts'
import type { SimNode } from '../../world/sim-node.ts'
import type { Owner } from '../../people/owner.ts'
import { MINUTE_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** Of the k nearest, those that are honest: most. */
const NEARER = 13

/** In each hour four look-ups of random keys find the honest ones with a chance of about a half. */
const MINUTES = 8 * 60

export const move: Move = {
  id: 'look-up-led-astray',
  attacks: ['a look-up led astray'],
  begins: 'committed',
  ids: 20,
  allows: 'harmless',
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
      for (const { peer } of hidden) await libp2p.services.dht.routingTable.remove(peer.id)
      await world.sleep(MINUTE_MS)
      if (victim.registeredMs === undefined) continue
      if (minutesLeft === MINUTES)
        remark(`a minute after its record counted as published, honest nodes that hold it: ${holding()}`)
      // Owners publish again each hour. One that has seen its record held everywhere leaves that out in a simulation.
      if (minutesLeft-- % 60 === 0) await refresh(owner.client, recordOf(victim))
    }
    if (holding() === 0) breach(`${MINUTES / 60} hours after a record was published no honest node holds it`)
  }
}

function recordOf({ name, reveal }: Owner): OwnRecord {
  return { kind: 'reveal', id: name, bytes: encodeReveal(reveal!) }
}
