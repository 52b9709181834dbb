import { Counter, Gauge, Registry } from 'prom-client'
import { expect, it } from 'vitest'

type Metrics = Map<string, { labels: Record<string, string>; value: number }[]>
interface Reading {
  atMs: number
  value: number | undefined
}
const { parseMetrics, total, rate } = (await import(
  new URL('../../../../src/web/assets/network/traffic.ts', import.meta.url).href
)) as {
  parseMetrics: (text: string) => Metrics
  total: (metrics: Metrics, name: string, wanted?: (labels: Record<string, string>) => boolean) => number | undefined
  rate: (before: Reading | undefined, now: Reading) => number | null
}

it('reads what the library of the daemon writes', async () => {
  const registry = new Registry()
  const queries = new Counter({ name: 'queries_total', help: 'h', labelNames: ['transport'], registers: [registry] })
  queries.inc({ transport: 'udp' }, 3)
  queries.inc({ transport: 'a"b\\c, d' }, 4)
  new Gauge({ name: 'peers', help: 'h', registers: [registry] }).set(7.5)
  const metrics = parseMetrics(await registry.metrics())
  expect(total(metrics, 'peers')).toBe(7.5)
  expect(total(metrics, 'queries_total')).toBe(7)
  expect(total(metrics, 'queries_total', ({ transport }) => transport === 'a"b\\c, d')).toBe(4)
  expect(total(metrics, 'absent')).toBeUndefined()
  expect(total(metrics, 'queries_total', () => false)).toBeUndefined()
})

it('leaves out what it cannot read', () => {
  expect([...parseMetrics('# HELP x y\n\nx{ 1\ny nonsense\nz 2 1700000000\n').keys()]).toEqual(['z'])
})

it('makes a rate of two readings, and none across a restart', () => {
  expect(rate({ atMs: 1000, value: 10 }, { atMs: 3000, value: 16 })).toBe(3)
  expect(rate({ atMs: 1000, value: 10 }, { atMs: 3000, value: 2 })).toBeNull()
  expect(rate(undefined, { atMs: 3000, value: 2 })).toBeNull()
  expect(rate({ atMs: 1000, value: 1 }, { atMs: 1000, value: 2 })).toBeNull()
  expect(rate({ atMs: 1000, value: undefined }, { atMs: 2000, value: 2 })).toBeNull()
})
