import { expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'
import { ownedName } from '../helpers/records.ts'

it('lists as owned no name that is sold, lost or lapsed', async () => {
  const world = createWorld()
  const states = ['live', 'grace', 'contested', 'changed', 'sold', 'lost', 'lapsed'] as const
  world.answers.ownedNames = () => states.map((state) => ({ ...ownedName(`${state}.chronym`), state }))
  const listed = async (path: string): Promise<unknown> =>
    (await world.request('GET', path, { token: MAIN_TOKEN })).json()
  expect(await listed('/api/owned-names')).toEqual(['live.chronym', 'grace.chronym', 'contested.chronym'])
  expect(await listed('/api/names')).toHaveLength(states.length)
})
