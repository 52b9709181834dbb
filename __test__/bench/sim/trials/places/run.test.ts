/** A name in two places, on trial: what each rule of a resolver shows under three attacks. */
import { describe, expect, it } from 'vitest'
import { ATTACKS } from '../../../../../bench/sim/trials/places/attacks.ts'
import { runPlaces, type PlacesResult } from '../../../../../bench/sim/trials/places/run.ts'

async function under(id: string): Promise<PlacesResult> {
  const attack = ATTACKS.find((each) => each.id === id)
  if (attack === undefined) throw new Error(`no such attack: ${id}`)
  return runPlaces({ nodes: 40, days: 5, seed: '1', attack })
}

describe('a name in two places', () => {
  it('is seen by each rule in peace', async () => {
    const { seen } = await under('none')
    for (const { right, wrong, contested, missing } of Object.values(seen)) {
      expect(right).toBeGreaterThan(0)
      expect([wrong, contested, missing]).toEqual([0, 0, 0])
    }
  })

  it('is blocked by eleven ids at one place where both must agree, and not by joint votes', async () => {
    const { seen, holdersWrong } = await under('eclipse-one')
    expect(seen.one).toMatchObject({ right: 0, contested: 0 })
    expect(seen.both).toMatchObject({ right: 0, wrong: 0 })
    expect(seen.joint).toMatchObject({ wrong: 0, contested: 0 })
    expect(holdersWrong.every((wrong) => wrong.startsWith('0/'))).toBe(true)
  })

  it('shows the thief by every rule where both places are eclipsed, from the same six prefixes', async () => {
    const { seen, attacker } = await under('eclipse-both')
    for (const { right, wrong } of Object.values(seen)) {
      expect(right).toBe(0)
      expect(wrong).toBeGreaterThan(0)
    }
    expect(attacker).toMatchObject({ ids: 22, prefixes: 6 })
  })
})
