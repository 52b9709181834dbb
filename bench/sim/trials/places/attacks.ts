/** Attacks on a name in two places. An attacker's ids of both places share prefixes, since each place counts its own. */
import { Adversary, empty, showing, type Spending } from '../../adversary.ts'
import type { Owner } from '../../people/owner.ts'
import type { SimNode } from '../../node/sim-node.ts'
import type { World } from '../../world.ts'

export interface PlacesAttack {
  readonly id: string
  readonly begins: 'committed' | 'settled'
  /** Ids at each place that is attacked. */
  readonly ids: number
  readonly places: 0 | 1 | 2
  readonly does: 'nothing' | 'show' | 'hide' | 'cut'
  readonly lifeDays?: number
}

export const ATTACKS: readonly PlacesAttack[] = [
  { id: 'none', begins: 'settled', ids: 0, places: 0, does: 'nothing' },
  { id: 'eclipse-one', begins: 'settled', ids: 11, places: 1, does: 'show' },
  { id: 'fill-one', begins: 'settled', ids: 20, places: 1, does: 'show' },
  { id: 'eclipse-both', begins: 'settled', ids: 11, places: 2, does: 'show' },
  { id: 'hide-one', begins: 'settled', ids: 20, places: 1, does: 'hide' },
  { id: 'hide-both', begins: 'settled', ids: 20, places: 2, does: 'hide' },
  { id: 'five-liars-one', begins: 'committed', ids: 5, places: 1, does: 'show' },
  { id: 'five-liars-both', begins: 'committed', ids: 5, places: 2, does: 'show' },
  { id: 'newcomers-one', begins: 'settled', ids: 10, places: 1, does: 'show', lifeDays: 7 },
  { id: 'newcomers-both', begins: 'settled', ids: 10, places: 2, does: 'show', lifeDays: 7 },
  { id: 'cut-second-place', begins: 'settled', ids: 0, places: 0, does: 'cut' }
]

/** @param owners of the record at the first and the second place: one key */
export function attack(world: World, owners: readonly [Owner, Owner], move: PlacesAttack): Spending {
  if (move.does === 'cut') {
    const second = new Set<SimNode>(world.topology.near(owners[1].recordKey).slice(0, 2 * world.profile.k))
    world.faults.cut((node) => (second.has(node) ? 1 : 0))
  }
  const key = world.newKey()
  const spent = owners.slice(0, move.places).map(({ name, recordKey }) => {
    const adversary = new Adversary(world)
    const lie = move.does === 'hide' ? empty : showing(adversary.backdated(name, key), world.hash)
    adversary.joinNear(recordKey, move.ids, lie)
    return adversary.spending
  })
  const most = (of: (spending: Spending) => number): number => Math.max(0, ...spent.map(of))
  return {
    ids: move.ids * move.places,
    triedKeys: spent.reduce((sum, { triedKeys }) => sum + triedKeys, 0),
    triedKeysAtCode: 0,
    prefixes: most(({ prefixes }) => prefixes),
    widePrefixes: most(({ widePrefixes }) => widePrefixes),
    eurosADay: most(({ eurosADay }) => eurosADay),
    squarings: most(({ squarings }) => squarings)
  }
}
