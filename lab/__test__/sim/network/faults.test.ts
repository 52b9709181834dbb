import { expect, it } from 'vitest'
import { Faults, NO_FAULTS, WIDE_AREA } from '../../../sim/network/faults.ts'
import type { NodePort } from '../../../sim/ports.ts'
import { Random } from '../../../sim/world/random.ts'
import { publishedTripMs, REGIONS } from '../../../wan/regions.ts'

const inRegion = (region: number): NodePort => ({ position: new Uint8Array([region]) }) as unknown as NodePort

it('nodes of a wide area are as far from each other as the regions they are in', () => {
  const faults = new Faults<NodePort>(new Random('distance'), { ...WIDE_AREA, late: 0 })
  for (let region = 0; region < REGIONS; region++) {
    const drawn = Array.from({ length: 50 }, () => faults.delayMs(inRegion(0), inRegion(region)))
    const oneWay = publishedTripMs(0, region) / 2
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(oneWay)
    expect(Math.min(...drawn)).toBeLessThan(oneWay + 5)
  }
})

it('some messages of a wide area come 400 ms later, and without it each takes ten at least', () => {
  const wide = new Faults<NodePort>(new Random('late'), WIDE_AREA)
  const near = inRegion(0)
  const late = Array.from({ length: 5_000 }, () => wide.delayMs(near, near)).filter((delay) => delay > 100)
  expect(late.length).toBeGreaterThan(20)
  expect(late.length).toBeLessThan(200)
  expect(Math.max(...late)).toBeLessThan(500)
  const drawn = new Faults<NodePort>(new Random('drawn'), NO_FAULTS)
  expect(Math.min(...Array.from({ length: 500 }, () => drawn.delayMs(near, near)))).toBeGreaterThanOrEqual(10)
})
