/** Somebody sets the clocks of a third of the nodes a year ahead, and the beacon is down for two days. */
import { DAY_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'

export const move: Move = {
  id: 'clocks-a-year-ahead',
  attacks: ['clock a year ahead; beacon down'],
  begins: 'settled',
  ids: 0,
  allows: 'harmless',
  async run({ world }) {
    for (const node of world.topology.all()) if (world.chance.next() < 1 / 3) node.setClock(365 * DAY_MS)
    world.beacon.stop()
    await world.sleep(2 * DAY_MS)
    world.beacon.resume()
  }
}
