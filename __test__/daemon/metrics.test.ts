import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { observeDns, observeFarm } from '../../src/daemon/metrics.ts'
import { NO_FARM } from '../../src/views/farm.ts'
import type { DnsView } from '../../src/views/dns.ts'

it('shows what the DNS server counts, by the labels that an alert needs, and nothing while it is off', async () => {
  const registry = new Registry()
  let stats: DnsView['stats'] = {
    names: 3,
    cache_bytes: 4_000,
    queries: { udp: 7, https: 1 },
    answers: { noerror: 5, nxdomain: 3 },
    cache: { hit: 6, miss: 2 },
    waiting: 1,
    connections: 2
  }
  observeDns([registry], () => ({ stats }))
  const values = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const shown = [
    'chronym_dns_queries_total{transport="udp"} 7',
    'chronym_dns_queries_total{transport="https"} 1',
    'chronym_dns_answers_total{outcome="noerror"} 5',
    'chronym_dns_answers_total{outcome="nxdomain"} 3',
    'chronym_dns_cache_total{result="hit"} 6',
    'chronym_dns_cache_total{result="miss"} 2',
    'chronym_dns_names 3',
    'chronym_dns_cache_bytes 4000',
    'chronym_dns_waiting_queries 1',
    'chronym_dns_connections 2'
  ]
  expect(await values()).toEqual(shown)
  expect(await values()).toEqual(shown)
  stats = null
  expect(await values()).toEqual([])
})

it('shows the farm, whose wrong proofs an alert needs', async () => {
  const registry = new Registry()
  const worker = { worker: 'w1', threads: 8, busy: 2, iterations_per_second: 1 }
  observeFarm([registry], () => ({ ...NO_FARM, connected: true, workers: [worker], tasks: 2, wrong_proofs: 1 }))
  const shown = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(shown).toEqual([
    'chronym_farm_connected 1',
    'chronym_farm_workers 1',
    'chronym_farm_threads 8',
    'chronym_farm_tasks 2',
    'chronym_farm_wrong_proofs_total 1'
  ])
})
