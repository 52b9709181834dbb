/** What is in memory of evaluations that begin at a farm, and which place has room. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type FarmPlace, type PlaceHandle, type PlaceOutcome, Places } from '../../src/evaluations/places.ts'

const evaluation = { seed: new Uint8Array(32), discriminantBits: 512, iterations: 1, split: null }
const terms = { checkpointSeconds: 1 }

/** What was loaded, and is in memory yet. */
let loaded: number[]
/** The farm has what is in memory. */
let take: () => void
let atFarm: PlaceHandle[]
let isThere: boolean

const handle = (taken?: Promise<void>): PlaceHandle => ({
  progress: () => ({ phase: 'squaring', squarings: 0, phaseProgress: 0, remaining: 0, squaringsPerSecond: 0 }),
  stop: () => undefined,
  outcome: new Promise<PlaceOutcome>(() => undefined),
  ...(taken !== undefined && { taken })
})

const farm: FarmPlace = {
  isThere: () => isThere,
  room: () => (isThere ? 100 : 0),
  isAtWork: () => false,
  accepts: () => true,
  holds: () => Promise.resolve(false),
  evaluate() {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    take = () => {
      loaded.shift()
      resolve(undefined)
    }
    const made = handle(promise)
    atFarm.push(made)
    return made
  },
  forget: () => undefined,
  hasForgotten: () => true
}

const begin = (places: Places, number: number, signal = new AbortController().signal) =>
  places.evaluate(
    evaluation,
    () => {
      loaded.push(number)
      return Promise.resolve({ terms, onCheckpoint: () => undefined })
    },
    { signal }
  )

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  loaded = []
  atFarm = []
  isThere = true
})

describe('evaluations for a farm', () => {
  it('are in memory one after the other, and those of this machine do not wait for them', async () => {
    let slots = 0
    const places = new Places({ evaluate: () => handle() }, farm, () => slots)
    const begun = [1, 2, 3].map((number) => begin(places, number))
    // At work once it is there, and not only once it is taken.
    expect(await begun[0]).toBe(atFarm[0])
    await turn()
    expect(loaded).toEqual([1])
    slots = 1
    expect(await begin(places, 4)).toBeDefined()
    expect(loaded.splice(1)).toEqual([4])
    slots = 0
    for (const number of [2, 3]) {
      take()
      expect(await begun[number - 1]).toBe(atFarm[number - 1])
      expect(loaded).toEqual([number])
    }
  })

  it('leave their turn to the next one when they are stopped, and are not loaded', async () => {
    const places = new Places({ evaluate: () => handle() }, farm, () => 0)
    const abort = new AbortController()
    const first = begin(places, 1)
    const [second, third] = [begin(places, 2, abort.signal), begin(places, 3)]
    await first
    abort.abort(new Error('stopped'))
    await expect(second).rejects.toThrow('stopped')
    take()
    await third
    expect(loaded).toEqual([3])
  })

  it('are not loaded where the farm is gone when their turn comes', async () => {
    const places = new Places({ evaluate: () => handle() }, farm, () => 0)
    const first = begin(places, 1)
    const second = begin(places, 2)
    await first
    isThere = false
    take()
    expect(await second).toBeUndefined()
    expect(loaded).toEqual([])
  })
})
