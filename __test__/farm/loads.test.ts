/** The memory that evaluations take which begin at a farm. */
import { beforeEach, expect, it } from 'vitest'
import { Loads } from '../../src/farm/loads.ts'

/** Evaluations that were loaded, and are in memory still. */
let loaded: number[]
/** The server has what is in memory. */
let take: () => void
let loads: Loads

const begin = (number: number, signal = new AbortController().signal, isTooLate = (): boolean => false) =>
  loads.begin(() => {
    if (isTooLate()) return Promise.resolve(undefined)
    loaded.push(number)
    const { promise: taken, resolve } = Promise.withResolvers<undefined>()
    take = () => {
      loaded.shift()
      resolve(undefined)
    }
    return Promise.resolve({ number, taken })
  }, signal)

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  loaded = []
  loads = new Loads()
})

it('is one at a time, at work once it is there', async () => {
  const begun = [1, 2, 3].map((number) => begin(number))
  expect(await begun[0]).toMatchObject({ number: 1 })
  await turn()
  expect(loaded).toEqual([1])
  for (const number of [2, 3]) {
    take()
    expect(await begun[number - 1]).toMatchObject({ number })
    expect(loaded).toEqual([number])
  }
})

it('leaves the turn to the next one when it is stopped, and is not loaded', async () => {
  const abort = new AbortController()
  const first = begin(1)
  const [second, third] = [begin(2, abort.signal), begin(3)]
  await first
  abort.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  take()
  await third
  expect(loaded).toEqual([3])
})

it('is not loaded where it is too late when its turn comes, and the next one is', async () => {
  let isGone = false
  const first = begin(1)
  const [second, third] = [begin(2, undefined, () => isGone), begin(3)]
  await first
  isGone = true
  take()
  expect(await second).toBeUndefined()
  await third
  expect(loaded).toEqual([3])
})
