import { Counter, Gauge, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { prefixesOf } from '../../../../src/web/assets/network/peers.ts'
import {
  latest,
  lineOf,
  parseMetrics,
  rate,
  SERIES,
  total,
  withReading,
  type Reading
} from '../../../../src/web/assets/network/traffic.ts'

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

const metrics = (requests: number) =>
  parseMetrics(
    [
      'chronym_peers 4',
      `chronym_http_request_duration_seconds_count{route="/api/resolve/:name"} ${requests}`,
      'chronym_http_request_duration_seconds_count{route="/metrics"} 1000',
      'process_cpu_seconds_total 1.5',
      'process_resident_memory_bytes 209715200'
    ].join('\n')
  )

it('reads what each graph shows, without the readings themselves', () => {
  const [{ values }] = withReading([], metrics(10), 0) as [Reading]
  expect(values).toMatchObject({ peers: 4, http: 10, dns: 0, cpu: 150, memory: 200, records: undefined })
})

it('shows counters as growth a second, and others as they are', () => {
  const history = withReading(withReading([], metrics(10), 5_000), metrics(20), 10_000)
  const of = (id: string) =>
    lineOf(
      history,
      SERIES.find((series) => series.id === id)!
    )
  expect(of('http')).toEqual({ times: [5, 10], values: [null, 2] })
  expect(of('peers').values).toEqual([4, 4])
  expect(of('records').values).toEqual([null, null])
  expect(latest(of('http').values)).toBe(2)
  expect(latest([null])).toBeUndefined()
})

it('breaks the line while nobody looked', () => {
  const history = withReading(withReading([], metrics(10), 0), metrics(10), 60_000)
  expect(lineOf(history, { id: 'peers' }).values).toEqual([4, null, 4])
})

it('keeps half an hour', () => {
  let history: Reading[] = []
  for (let index = 0; index < 400; index++) history = withReading(history, metrics(index), index * 5_000)
  expect(history).toHaveLength(360)
  expect(history[0]!.atMs).toBe(40 * 5_000)
})

it('counts the peers of each prefix, most first', () => {
  const prefixes = ['b', 'a', 'b', null, 'c'].map((prefix) => ({ prefix }))
  expect(prefixesOf(prefixes)).toEqual([
    { prefix: 'b', count: 2 },
    { prefix: 'a', count: 1 },
    { prefix: 'c', count: 1 }
  ])
})
