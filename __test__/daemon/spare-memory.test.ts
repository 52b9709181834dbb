import { expect, it } from 'vitest'
import { ownMemory, returnSpareMemory } from '../../src/daemon/spare-memory.ts'

const MIB = 2 ** 20

/** `looks`: resident MiB and the busy part at each look; a collection leaves `left` MiB. Says at which looks one ran. */
function collectionsAt(looks: readonly (readonly [resident: number, busy: number])[], left: number): number[] {
  let look: () => void = () => undefined
  let [resident, busy] = [0, 0]
  const collections: number[] = []
  let index = 0
  returnSpareMemory(
    {
      every(_milliseconds, listener) {
        look = listener
        return () => undefined
      }
    },
    {
      resident: () => resident * MIB,
      busy: () => busy,
      collect() {
        collections.push(index)
        resident = left
      }
    }
  )
  for (const [at, share] of looks) {
    ;[resident, busy] = [at, share]
    look()
    index++
  }
  return collections
}

it('collects once the event loop is quiet after a burst, and not for a little', () => {
  const looks = [
    [190, 0],
    [250, 0],
    [400, 0.9],
    [410, 0.1],
    [410, 0.02],
    [195, 0.02]
  ] as const
  expect(collectionsAt(looks, 195)).toEqual([4])
})

it('collects once for memory that is in use, and again only when it has grown as much', () => {
  const looks = [
    [190, 0],
    [450, 0],
    [450, 0],
    [500, 0],
    [520, 0],
    [190, 0],
    [260, 0]
  ] as const
  expect(collectionsAt(looks, 450)).toEqual([1, 4, 6])
})

it('looks at this process: it frees garbage without a flag of Node', () => {
  const { resident, busy, collect } = ownMemory()
  const garbage = new WeakRef(Array.from({ length: 1_000 }, (_, index) => ({ index })))
  expect(resident()).toBeGreaterThan(MIB)
  expect(busy()).toBeGreaterThanOrEqual(0)
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collect()
    expect(garbage.deref()).toBeUndefined()
    expect('gc' in globalThis).toBe(false)
  })
})
