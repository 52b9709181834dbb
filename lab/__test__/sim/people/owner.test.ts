/** A simulated owner dates its commitment as the daemon does. */
import { describe, expect, it } from 'vitest'
import { Owner } from '../../../sim/people/owner.ts'
import { MINUTE_MS, World } from '../../../sim/world/world.ts'

describe('a simulated owner', () => {
  it('whose clock is half a minute ahead gets its pulse by one commitment: it goes by the verified round', async () => {
    const world = new World('a clock ahead')
    for (let index = 0; index < 12; index++) world.addNode()
    const node = world.addClient({ clockOffMs: MINUTE_MS / 2 })
    const owner = new Owner(world, 'somebody-s-name.chronym', undefined, node)
    let round: number | undefined
    void world.timeline.after(0, () => {
      void owner.committed().then((chosen) => (round = chosen))
    })
    await world.timeline.runUntil(world.timeline.nowMs + 5 * MINUTE_MS)
    expect(round).toBeDefined()
    expect(owner.attempts).toBe(1)
  })
})
