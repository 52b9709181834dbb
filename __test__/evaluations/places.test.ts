import { expect, it } from 'vitest'
import { type FarmPlace, Places } from '../../src/evaluations/places.ts'

it('a farm that reaches nobody for an evaluation has its room for the next one', async () => {
  let asked = 0
  const farm: FarmPlace = {
    isThere: () => true,
    room: () => 1,
    accepts: () => true,
    holds: () => Promise.resolve(false),
    evaluate() {
      asked++
      return undefined
    },
    forget: () => undefined,
    hasForgotten: () => true
  }
  const places = new Places({ evaluate: () => undefined }, farm, () => 0)
  const request = { seed: new Uint8Array(32), bits: 512, iterations: 1, split: null, checkpointSeconds: 1 }
  for (let turn = 0; turn < 2; turn++) expect(await places.evaluate(request, () => undefined)).toBeUndefined()
  expect(asked).toBe(2)
})
