/** Turns of the event loop, with a charge of the test's own. */
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Turns } from '../../../src/network/budget/turns.ts'
import { waitFor } from '../../wait-for.ts'

const from = (peer: string, prefix = peer) => ({ peer, prefix })

it('are given one in a turn of the event loop, so that what arrived is handled in between', async () => {
  const turns = new Turns({ all: 10, peer: 10 }, () => 0)
  let given = 0
  for (let index = 0; index < 5; index++) void turns.next(from('a')).then(() => given++)
  for (let turn = 0; given < 5; turn++) {
    const before = given
    await setImmediate()
    expect(given - before, `turn ${turn}`).toBeLessThanOrEqual(1)
  }
})

it('go round by prefix once time is used up, and to nobody before there is more', async () => {
  let left = 1
  const turns = new Turns({ all: 10, peer: 10 }, () => (left > 0 ? (left--, 0) : 0.001))
  const order: string[] = []
  const ask = (peer: string, prefix: string): void => {
    void turns.next(from(peer, prefix)).then((isTurn) => order.push(`${peer} ${isTurn}`))
  }
  for (let index = 0; index < 4; index++) ask('greedy', 'crowd')
  ask('neighbour', 'crowd')
  ask('honest', 'quiet')
  await waitFor(() => expect(order).toEqual(['greedy true']), 1)
  left = 3
  await waitFor(() => expect(left).toBe(0), 1)
  await waitFor(() => expect(order).toEqual(['greedy true', 'honest true', 'neighbour true', 'greedy true']), 1)
})

it('are refused to the one that asks most where too many wait', async () => {
  const turns = new Turns({ all: 3, peer: 2 }, () => 0.001)
  const refused: string[] = []
  for (const peer of ['greedy', 'greedy', 'greedy', 'one', 'other'])
    void turns.next(from(peer)).then((isTurn) => !isTurn && refused.push(peer))
  await waitFor(() => expect(refused).toEqual(['greedy', 'greedy']), 1)
})
