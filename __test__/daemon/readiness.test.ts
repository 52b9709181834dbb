import { describe, expect, it } from 'vitest'
import type { KeeperStatus } from '../../src/backup/kept/keeper.ts'
import { createMetrics, observe } from '../../src/daemon/metrics.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { networkDiversity } from '../../src/registry/status.ts'
import { checkReadiness } from '../../src/daemon/readiness.ts'
import type { MissingView } from '../../src/views/backup.ts'
import type { NetworkDiversityView } from '../../src/views/network.ts'
import type { OwnedNameView } from '../../src/views/own.ts'
import type { TaskEvent } from '../../src/registry/tasks.ts'
import type { TaskView } from '../../src/views/task.ts'

const NOW = Date.UTC(2026, 0, 1)

const name = (change: Partial<OwnedNameView> = {}): OwnedNameView => ({
  name: 'alice.chronym',
  state: 'live',
  check_code: '7kq2mx0123456789abcdefghjk',
  coded_name: null,
  lease_end: new Date(NOW + 90_000).toISOString(),
  serial: 1,
  published_serial: 1,
  records: 1,
  renewal: { state: 'scheduled', due: null, task_id: null, left: 64 },
  warnings: [],
  ...change
})
const WARNED = name({
  state: 'grace',
  lease_end: new Date(NOW - 60_000).toISOString(),
  warnings: [{ code: 'grace', message: 'renew it' }]
})

const KEPT: KeeperStatus = { writtenMs: NOW - 90_000, isPending: false, failures: 3, state: 'kept', reason: undefined }

/** The parts as far as readiness and metrics ask them. */
function parts(owned: OwnedNameView[], diversity: NetworkDiversityView | null = null) {
  const listeners: ((event: TaskEvent) => void)[] = []
  return {
    listeners,
    network: {
      canAsk: () => true,
      status: () => ({
        status: 'online' as const,
        peers: 3,
        mode: 'full' as const,
        auto: null,
        peer_id: 'me',
        connecting: null,
        records: 2
      })
    },
    beacon: {
      latest: () => ({ round: 7, signature: new Uint8Array(48), randomness: new Uint8Array(32) }),
      now: () => 8
    },
    tasks: {
      unreadable: () => 0,
      list: () => [],
      subscribe(listener: (event: TaskEvent) => void) {
        listeners.push(listener)
        return () => undefined
      }
    },
    dns: {
      view: () => ({
        enabled: true,
        zone: 'chronym.',
        listen: [
          { transport: 'udp' as const, address: '127.0.0.1', port: 7453 },
          { transport: 'tcp' as const, address: '127.0.0.1', port: 7453 }
        ],
        forwarding: false,
        https: null,
        anchor: null,
        stats: null
      })
    },
    isSeedSafe: () => true,
    isSeedLocked: () => false,
    freeBytes: () => 2 ** 30,
    holdings: { missing: (): MissingView[] => [] },
    now: () => NOW,
    registry: { ownedNames: () => owned, networkStatus: () => ({ diversity }) }
  }
}

describe('readiness', () => {
  it('counts the names that need attention, and names none', () => {
    const checks = checkReadiness({ ...parts([name(), WARNED]) })
    expect(checks).toContainEqual({ name: 'names', ok: true, detail: '1 of 2 need attention', warning: true })
    expect(JSON.stringify(checks)).not.toContain('alice')
    expect(checkReadiness({ ...parts([name()]) })).toContainEqual({
      name: 'names',
      ok: true,
      detail: '1 owned, no warnings'
    })
  })

  it('counts the rounds since the newest pulse', () => {
    const aged = (age: number) =>
      checkReadiness({ ...parts([]), beacon: { ...parts([]).beacon, now: () => 7 + age } })
        .filter(({ name }) => name === 'beacon')
        .map(({ detail }) => detail)
    expect([0, 1, 2].flatMap(aged)).toEqual(['round 7, 0 rounds old', 'round 7, 1 round old', 'round 7, 2 rounds old'])
  })

  it('counts what the database lost, and names nothing', () => {
    const lost = (missing: MissingView[]) =>
      checkReadiness({ ...parts([]), holdings: { missing: () => missing } }).find(({ name }) => name === 'holdings')
    const of = (what: MissingView['what']) => ({ what, id: 'alice.chronym', detail: 'not in the database' })
    expect(lost([of('name'), of('identity'), of('identity'), of('task')])).toEqual({
      name: 'holdings',
      ok: true,
      detail: 'the database lost 1 name, 2 identities, 1 task',
      warning: true
    })
    expect(lost([])).toEqual({ name: 'holdings', ok: true, detail: 'complete' })
  })

  it('warns where there is no addon, and shows no path', () => {
    const addon = (missingAddon: string | undefined) =>
      checkReadiness({ ...parts([]), missingAddon }).find((check) => check.name === 'addon')
    expect(addon('/opt/native/chronym.node could not be loaded')).toEqual({
      name: 'addon',
      ok: true,
      detail: 'none: records are verified slowly, and nothing is registered or renewed (SVC-VDF-001)',
      warning: true
    })
    expect(addon(undefined)).toBeUndefined()
  })

  it('warns while the seed is nowhere else, and calls nothing unready', () => {
    const seed = (isSeedSafe: boolean) =>
      checkReadiness({ ...parts([]), isSeedSafe: () => isSeedSafe }).find((check) => check.name === 'seed')
    expect(seed(false)).toEqual({ name: 'seed', ok: true, detail: 'no other copy is known', warning: true })
    expect(seed(true)).toEqual({ name: 'seed', ok: true, detail: 'kept elsewhere too' })
  })

  it('says where DNS answers, and nothing where it is off', () => {
    const sources = parts([])
    const check = (change: object) =>
      checkReadiness({ ...sources, dns: { view: () => ({ ...sources.dns.view(), ...change }) } }).filter(
        (each) => each.name === 'dns'
      )
    expect(check({})).toEqual([{ name: 'dns', ok: true, detail: 'chronym. on 127.0.0.1:7453 (udp, tcp)' }])
    expect(check({ enabled: false, listen: [] })).toEqual([])
    expect(check({ listen: [] })).toMatchObject([{ ok: true, warning: true }])
  })

  it('says that the seed is locked and how many tasks wait for it, and calls nothing unready', () => {
    const waiting = {
      status: 'running',
      paused: false,
      stalled: { code: 'SVC-KEY-006', message: 'locked' }
    } as unknown as TaskView
    const sources = { ...parts([]), isSeedLocked: () => true }
    const seed = (list: TaskView[]) =>
      checkReadiness({ ...sources, tasks: { ...sources.tasks, list: () => list } }).find(
        (check) => check.name === 'seed'
      )
    expect(seed([])).toEqual({
      name: 'seed',
      ok: true,
      detail: 'locked, no task waits for it; kept elsewhere too',
      warning: true,
      code: 'seed-locked'
    })
    expect(seed([waiting])).toEqual({
      name: 'seed',
      ok: true,
      detail: 'locked, 1 task(s) wait for a signature; kept elsewhere too',
      warning: true,
      code: 'seed-locked'
    })
  })

  it('tells the age of the kept backup and warns where it cannot be written or is gone, without its path', () => {
    const status = (change: Partial<KeeperStatus>) => ({
      ...parts([]),
      backup: { status: () => ({ ...KEPT, ...change }) }
    })
    const backup = (change: Partial<KeeperStatus>) =>
      checkReadiness(status(change)).find((check) => check.name === 'backup')
    expect(backup({})).toEqual({ name: 'backup', ok: true, detail: 'written 90 s ago' })
    expect(backup({ isPending: true })).toEqual({ name: 'backup', ok: true, detail: 'written 90 s ago, changes wait' })
    expect(backup({ state: 'failing', reason: 'ENOSPC' })).toEqual({
      name: 'backup',
      ok: true,
      warning: true,
      detail: 'written 90 s ago, and it cannot be written now: ENOSPC'
    })
    expect(backup({ state: 'failing', writtenMs: undefined })).toMatchObject({
      warning: true,
      detail: 'not written yet, and it cannot be written now: see the log'
    })
    expect(backup({ state: 'missing' })).toMatchObject({
      warning: true,
      detail: 'written 90 s ago, but missing now'
    })
    expect(checkReadiness(parts([])).some((check) => check.name === 'backup')).toBe(false)
  })

  it('says that tasks cannot continue, and why, as when the disk is full', () => {
    const { tasks, ...rest } = parts([])
    const task = (paused: boolean, code?: string) => ({
      status: 'running',
      paused,
      stalled: code === undefined ? null : { code, message: 'alice.chronym' }
    })
    const list = () =>
      [
        task(false, 'SVC-STO-001'),
        task(false, 'SVC-STO-001'),
        task(false),
        task(true, 'SVC-BCN-001')
      ] as unknown as TaskView[]
    expect(checkReadiness({ ...rest, tasks: { ...tasks, list } })).toContainEqual({
      name: 'tasks',
      ok: true,
      detail: '2 cannot continue: SVC-STO-001',
      warning: true
    })
    expect(checkReadiness({ ...rest, tasks: { ...tasks, list: () => list().slice(2) } })).toContainEqual({
      name: 'tasks',
      ok: true,
      detail: '1 under way'
    })
  })

  it('agrees with look-ups about whether anybody can be asked', () => {
    const { network, ...rest } = parts([])
    for (const canAsk of [true, false])
      expect(checkReadiness({ ...rest, network: { ...network, canAsk: () => canAsk } })).toContainEqual({
        name: 'peers',
        ok: canAsk,
        detail: 'online, 3 connected'
      })
  })

  it('is not given while the disk takes no more', () => {
    const store = (freeBytes: number) =>
      checkReadiness({ ...parts([]), freeBytes: () => freeBytes }).find((check) => check.name === 'store')
    expect(store(2 ** 20 - 1)).toMatchObject({ ok: false, detail: expect.stringContaining('disk is full') as string })
    expect(store(2 ** 20)).toMatchObject({ ok: true })
  })

  it('is not given while the store cannot be read', () => {
    const registry = {
      ownedNames: () => {
        throw new Error('the disk is gone')
      }
    }
    expect(checkReadiness({ ...parts([]), registry })).toContainEqual({
      name: 'store',
      ok: false,
      detail: 'the disk is gone'
    })
  })
})

describe('metrics', () => {
  /** The lines of our own metrics about names and diverse peers. */
  async function scraped(
    owned: OwnedNameView[],
    events: TaskEvent[] = [],
    diversity: NetworkDiversityView | null = null
  ): Promise<string[]> {
    const { listeners, ...rest } = parts(owned, diversity)
    const registry = createMetrics()
    observe(registry, { ...rest, version: '0', clock: () => NOW } as unknown as Parameters<typeof observe>[1])
    for (const event of events) for (const listener of listeners) listener(event)
    return (await registry.metrics())
      .split('\n')
      .filter((line) => /^chronym_(name|nearest|renewals|diverse|mode)/.test(line))
  }

  it('show names by state, what they are warned of, and how long the first lease runs', async () => {
    const lines = await scraped([
      name(),
      name({ state: 'lost', lease_end: new Date(NOW).toISOString() }),
      name({ state: 'contested' })
    ])
    expect(lines).toEqual(
      expect.arrayContaining([
        'chronym_names{state="live"} 1',
        'chronym_names{state="lost"} 1',
        'chronym_names{state="contested"} 1',
        'chronym_names{state="grace"} 0',
        'chronym_name_warnings{warning="renewal-failed"} 0',
        'chronym_nearest_lease_end_seconds 90'
      ])
    )
    expect(await scraped([name(), WARNED])).toEqual(
      expect.arrayContaining(['chronym_name_warnings{warning="grace"} 1', 'chronym_nearest_lease_end_seconds -60'])
    )
    expect((await scraped([])).some((line) => line.startsWith('chronym_nearest'))).toBe(false)
  })

  it('show age and failures of the kept backup, where there is one', async () => {
    const lines = async (status: KeeperStatus): Promise<string[]> => {
      const registry = createMetrics()
      observe(registry, {
        ...parts([]),
        version: '0',
        clock: () => NOW,
        backup: { status: () => status }
      } as unknown as Parameters<typeof observe>[1])
      const scrape = async () =>
        (await registry.metrics()).split('\n').filter((line) => line.startsWith('chronym_backup'))
      expect(await scrape()).toEqual(await scrape())
      return scrape()
    }
    expect(await lines(KEPT)).toEqual(['chronym_backup_age_seconds 90', 'chronym_backup_failures_total 3'])
    expect(await lines({ ...KEPT, writtenMs: undefined, failures: 0 })).toEqual(['chronym_backup_failures_total 0'])
  })

  it('show diverse peers and how many are missing, where the network asks for them', async () => {
    const peers = [1, 2, 3].map((index) => ({ peer: String(index), prefix: `10.${index}.0.0/24` }))
    expect(await scraped([], [], networkDiversity(peers, builtInProfiles.main))).toEqual(
      expect.arrayContaining(['chronym_diverse_peers 3', 'chronym_diverse_peers_missing 8'])
    )
    expect((await scraped([])).some((line) => line.startsWith('chronym_diverse'))).toBe(false)
  })

  it('show the mode in force', async () => {
    const modes = (await scraped([])).filter((line) => line.startsWith('chronym_mode'))
    expect(modes.toSorted()).toEqual([
      'chronym_mode{mode="full"} 1',
      'chronym_mode{mode="light"} 0',
      'chronym_mode{mode="offline"} 0'
    ])
  })

  it('count renewals by how they ended, from zero', async () => {
    const event = (type: 'completed' | 'failed', kind: string, code?: string) =>
      ({
        id: 1,
        type,
        task: { kind, error: code === undefined ? null : { code, message: '' } }
      }) as unknown as TaskEvent
    const lines = await scraped(
      [],
      [
        event('completed', 'renew'),
        event('failed', 'renew', 'SVC-REG-001'),
        event('failed', 'renew', 'SVC-TSK-003'),
        event('failed', 'register', 'SVC-REG-001')
      ]
    )
    expect(lines).toEqual(
      expect.arrayContaining([
        'chronym_renewals_total{result="completed"} 1',
        'chronym_renewals_total{result="failed"} 1',
        'chronym_renewals_total{result="cancelled"} 1'
      ])
    )
    expect(await scraped([])).toContain('chronym_renewals_total{result="failed"} 0')
  })
})
