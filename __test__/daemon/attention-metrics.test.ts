import { tmpdir } from 'node:os'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { ReadinessCheck } from '../../src/views/readiness.ts'
import { observeAttention, type AttentionSources } from '../../src/daemon/attention-metrics.ts'
import type { OwnedNameView } from '../../src/views/own.ts'

const NOW = Date.UTC(2026, 0, 1)

function owned(name: string, seconds: number, state: OwnedNameView['state'] = 'live'): OwnedNameView {
  return {
    name,
    state,
    check_code: '7kq2mx0123456789abcdefghjk',
    coded_name: null,
    lease_end: new Date(NOW + seconds * 1000).toISOString(),
    serial: 1,
    published_serial: 1,
    records: 1,
    renewal: { state: 'scheduled', due: null, task_id: null, left: 64 },
    warnings: []
  }
}

const pulse = { round: 7, signature: new Uint8Array(48), randomness: new Uint8Array(32) }

/** A registry with these sources, and the lines that a scrape shows. */
function observed(change: Partial<AttentionSources> = {}): () => Promise<string[]> {
  const registry = new Registry()
  observeAttention(registry, {
    readiness: () => [],
    beacon: { latest: () => pulse, now: () => 30 },
    registry: { ownedNames: () => [] },
    dataDir: tmpdir(),
    now: () => NOW,
    ...change
  })
  return async () => (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

it('each lease is shown until it is lost, and below zero in its grace', async () => {
  let names = [owned('alice.chronym', 90), owned('bob.chronym', -60, 'grace'), owned('carol.chronym', -90, 'lapsed')]
  const scrape = observed({ registry: { ownedNames: () => names } })
  expect(await scrape()).toEqual(
    expect.arrayContaining([
      'chronym_lease_end_seconds{name="alice.chronym"} 90',
      'chronym_lease_end_seconds{name="bob.chronym"} -60'
    ])
  )
  expect((await scrape()).join('\n')).not.toContain('carol')
  names = [owned('alice.chronym', 90, 'lost')]
  expect((await scrape()).join('\n')).not.toContain('alice')
})

it('the beacon is as far behind as its rounds, and absent before the first', async () => {
  expect(await observed()()).toContain('chronym_beacon_rounds_behind 23')
  const none = await observed({ beacon: { latest: () => undefined, now: () => 30 } })()
  expect(none.join('\n')).not.toContain('chronym_beacon')
  // The clock of a relay may be ahead of ours.
  expect(await observed({ beacon: { latest: () => pulse, now: () => 6 } })()).toContain(
    'chronym_beacon_rounds_behind 0'
  )
})

it('each check of readiness is met or not, warned of or not', async () => {
  let checks: ReadinessCheck[] = [
    { name: 'peers', ok: false, detail: 'offline' },
    { name: 'seed', ok: true, detail: 'no other copy is known', warning: true }
  ]
  const scrape = observed({ readiness: () => checks })
  expect(await scrape()).toEqual(
    expect.arrayContaining([
      'chronym_check_ok{check="peers"} 0',
      'chronym_check_ok{check="seed"} 1',
      'chronym_check_warning{check="peers"} 0',
      'chronym_check_warning{check="seed"} 1'
    ])
  )
  checks = checks.slice(0, 1)
  expect((await scrape()).join('\n')).not.toContain('seed')
})

it('the disk of the data directory has bytes left', async () => {
  const [, bytes] = /^chronym_disk_free_bytes (\S+)$/m.exec((await observed()()).join('\n')) ?? []
  expect(Number(bytes)).toBeGreaterThan(0)
})
