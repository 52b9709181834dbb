import { expect, it } from 'vitest'
import { createWorld, MAIN_TOKEN } from '../helpers/world.ts'

it('lists the 500 nearest peers at most', async () => {
  const world = createWorld()
  const [peer] = world.node.registry.peers()
  world.answers.peers = () => Array.from({ length: 501 }, (_, index) => ({ ...peer!, peer: `12D3KooW${index}` }))
  const listed = (await (await world.request('GET', '/api/peers', { token: MAIN_TOKEN })).json()) as { peer: string }[]
  expect(listed).toHaveLength(500)
  expect(listed[0]!.peer).toBe('12D3KooW0')
})
