import { expect, it } from 'vitest'

interface Reading {
  atMs: number
  values: Record<string, number | undefined>
}
interface Series {
  id: string
  isRate?: boolean
}
const { withReading, lineOf, latest, SERIES } = (await import(
  new URL('../../../../src/web/assets/network/traffic.ts', import.meta.url).href
)) as {
  withReading: (history: readonly Reading[], metrics: Map<string, unknown>, atMs: number) => Reading[]
  lineOf: (history: readonly Reading[], series: Series) => { times: number[]; values: (number | null)[] }
  latest: (values: (number | null)[]) => number | undefined
  SERIES: Series[]
}
const { parseMetrics } = (await import(
  new URL('../../../../src/web/assets/network/traffic.ts', import.meta.url).href
)) as { parseMetrics: (text: string) => Map<string, unknown> }
const { prefixesOf } = (await import(new URL('../../../../src/web/assets/network/peers.ts', import.meta.url).href)) as {
  prefixesOf: (peers: { prefix: string | null }[]) => object[]
}

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
