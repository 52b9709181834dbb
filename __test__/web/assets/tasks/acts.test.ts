import { describe, expect, it } from 'vitest'
import { person, type Ask, type Send } from '../person.ts'

const asset = (file: string) => import(new URL(`../../../../src/web/assets/${file}`, import.meta.url).href)
const { startTask, removeTask } = (await asset('tasks/acts.ts')) as {
  startTask: (
    services: { post: Send; ask: Ask },
    kind: string,
    name: string,
    owned?: object
  ) => Promise<string | undefined>
  removeTask: (services: { post: Send; remove: Send; ask: Ask }, taskNow: () => object | undefined) => Promise<void>
}

const year = { lease_start: '2026-01-01T00:00:00.000Z', lease_end: '2027-01-01T00:00:00.000Z' }
const long = {
  kind: 'register',
  iterations: 600_000_000,
  iterations_per_second: 300_000,
  seconds: 2000,
  queued_seconds: 0,
  proof_kept: false,
  ...year
}

describe('starting a task on the dashboard', () => {
  function daemon(estimate: object) {
    const sent: string[] = []
    const post: Send = async (path) => {
      sent.push(path)
      return path.endsWith('estimate') ? estimate : { message: 'Registering' }
    }
    return { sent, post }
  }

  it.each([
    [true, ['/api/vdf/estimate', '/api/vdf/register'], 'Registering'],
    [false, ['/api/vdf/estimate'], undefined]
  ])('long work begins after a yes alone: %s', async (answer, paths, message) => {
    const { sent, post } = daemon(long)
    const { asked, ask } = person(answer)
    expect(await startTask({ post, ask }, 'register', 'dave.chronym')).toBe(message)
    expect(asked).toHaveLength(1)
    expect(sent).toEqual(paths)
  })

  it('short work just begins', async () => {
    const { sent, post } = daemon({ ...long, seconds: 10 })
    expect(await startTask({ post, ask: person().ask }, 'register', 'dave.chronym')).toBe('Registering')
    expect(sent).toContain('/api/vdf/register')
  })

  it('a renewal that gains nothing is not begun after a no', async () => {
    const { sent, post } = daemon({ ...long, kind: 'renew', seconds: 10 })
    const owned = { name: 'dave.chronym', lease_end: year.lease_end, renewal: { left: 64, state: 'off', due: null } }
    const { asked, ask } = person(false)
    await startTask({ post, ask }, 'renew', 'dave.chronym', owned)
    expect(asked[0]?.lines).toContain('It spends one of the 64 renewals that are left.')
    expect(sent).toEqual(['/api/vdf/estimate'])
  })

  it('nothing begins where the daemon gives no estimate', async () => {
    const sent: string[] = []
    const post: Send = async (path) => {
      sent.push(path)
      throw new Error('Not a name')
    }
    await expect(startTask({ post, ask: person().ask }, 'register', 'dave')).rejects.toThrow('Not a name')
    expect(sent).toEqual(['/api/vdf/estimate'])
  })
})

describe('cancelling a task on the dashboard', () => {
  const task = {
    task_id: 't 1',
    kind: 'register',
    name: 'dave.chronym',
    status: 'running',
    phase: 'evaluate',
    progress: 60_000_000,
    iterations: 600_000_000,
    iterations_per_second: 300_000
  }
  const cancel = async (tasks: object[], ask: Ask, post: Send = async () => long) => {
    const removed: string[] = []
    const remove: Send = async (path) => {
      removed.push(path)
      return {}
    }
    const left = [...tasks]
    const done = removeTask({ post, remove, ask }, () => (left.length > 1 ? left.shift() : left[0]))
    return { done, removed }
  }

  it.each([
    [true, ['/api/vdf/status/t%201?only=running']],
    [false, []]
  ])('throws minutes of work away after a yes alone: %s', async (answer, paths) => {
    const { done, removed } = await cancel([task], person(answer).ask)
    await done
    expect(removed).toEqual(paths)
  })

  it.each([
    ['little was done', { progress: 3_000_000 }],
    ['nothing was done, and no rate is known', { progress: 0, iterations_per_second: null }],
    ['it has ended', { status: 'failed' }]
  ])('asks nothing where %s', async (_case, change) => {
    const { done, removed } = await cancel([{ ...task, ...change }], person().ask)
    await done
    expect(removed).toHaveLength(1)
  })

  it('reckons a paused one by the rate of this machine, and asks without one', async () => {
    const known = person(false)
    await (
      await cancel([{ ...task, iterations_per_second: null }], known.ask)
    ).done
    expect(known.asked[0]?.lines[0]).toContain('About 3 min 20 s of work')
    const unknown = person(false)
    const refuse: Send = async () => {
      throw new Error('no estimate')
    }
    await (
      await cancel([{ ...task, iterations_per_second: null }], unknown.ask, refuse)
    ).done
    expect(unknown.asked[0]?.lines[0]).toContain('60,000,000 squarings')
  })

  it('does not clear one that has ended during the question', async () => {
    const { done, removed } = await cancel([task, { ...task, status: 'completed' }], person(true).ask)
    await expect(done).rejects.toThrow('ended before it was cancelled')
    expect(removed).toEqual([])
  })
})
