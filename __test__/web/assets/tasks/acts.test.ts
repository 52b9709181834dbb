import { describe, expect, it } from 'vitest'
import type { Estimate, Post, TaskView } from '../../../../src/web/assets/lib/api.ts'
import type { Ask } from '../../../../src/web/assets/parts/dialog.ts'
import { estimateView as estimated } from '../../../views/task.ts'
import { owned, person, task as shownTask } from '../fixtures.ts'
import {
  cancelQuestion,
  otherPlace,
  registerQuestion,
  removeTask,
  renewQuestion,
  startTask
} from '../../../../src/web/assets/tasks/acts.ts'

const now = Date.now()
const at = (days: number) => new Date(now + days * 86_400_000).toISOString()
const estimate = (change: Partial<Estimate> = {}) => estimated({ lease_start: at(0), lease_end: at(365), ...change })
const long = estimated({ seconds: 2000 })

describe('the question before a registration', () => {
  it('says what more than five minutes of work cost', () => {
    const question = registerQuestion('dave.chronym', estimate())
    expect(question?.title).toBe('Register dave.chronym?')
    expect(question?.lines?.[0]).toBe('About 30 min on this machine (600,000,000 squarings).')
  })

  it.each<[string, Partial<Estimate>]>([
    ['five minutes', { seconds: 300 }],
    ['a kept proof', { seconds: 0, proof_kept: true }],
    ['little work that waits long', { seconds: 2000, queued_seconds: 1900 }],
    ['a name that the daemon owns, and refuses', { kind: 'renew' }]
  ])('is not asked: %s', (_case, change) => {
    expect(registerQuestion('dave.chronym', estimate(change))).toBeNull()
  })

  it('is asked for one second more than five minutes', () => {
    expect(registerQuestion('dave.chronym', estimate({ seconds: 301 }))).not.toBeNull()
  })

  it('says how much of that is waiting', () => {
    expect(registerQuestion('dave.chronym', estimate({ seconds: 3600, queued_seconds: 600 }))?.lines?.[0]).toContain(
      'of which 10 min waiting'
    )
  })
})

describe('the question before a renewal', () => {
  const leased = (days: number) => owned({ lease_end: at(days) }, { due: at(days - 36.5) })
  const short = { kind: 'renew', seconds: 30 } as const

  it('says that one right after a registration gains nothing and spends one that is left', () => {
    const question = renewQuestion(leased(365), estimate(short))
    expect(question?.lines).toEqual([
      'About 30 s on this machine (600,000,000 squarings).',
      'It gains only 0 s of a lease of 365 d.',
      'It spends one of the 63 renewals that are left.',
      expect.stringMatching(/^The daemon renews it automatically in 328 d/)
    ])
  })

  it('is not asked once half of the lease has passed', () => {
    expect(renewQuestion(leased(182), estimate(short))).toBeNull()
    expect(renewQuestion(leased(183), estimate(short))).not.toBeNull()
  })

  it('is asked for long work, however much it gains', () => {
    const question = renewQuestion(leased(10), estimate({ kind: 'renew' }))
    expect(question?.lines?.[0]).toContain('About 30 min')
    expect(question?.lines?.join()).not.toContain('gains')
  })

  it('says that the estimate of a lost name is a bound', () => {
    expect(renewQuestion(leased(10), estimate())?.lines?.[0]).toBe(
      'At most as much as registering it: About 30 min on this machine (600,000,000 squarings).'
    )
  })
})

describe('the question before a task is cancelled', () => {
  const task = shownTask({ name: 'dave.chronym', progress: 120_000_000 })

  it('says how much work would be lost', () => {
    expect(cancelQuestion(task, 200_000)?.lines).toEqual([
      'About 10 min of work (20% of its squarings) would be lost. The task would have to start from the beginning.'
    ])
  })

  it.each([
    ['up to a minute of work', { progress: 12_000_000 }, 200_000],
    ['no work', { progress: 0 }, null]
  ])('is not asked: %s', (_case, change, rate) => {
    expect(cancelQuestion({ ...task, ...change }, rate)).toBeNull()
  })

  it('counts squarings where no rate is known', () => {
    expect(cancelQuestion(task, null)?.lines?.[0]).toMatch(/^120,000,000 squarings \(20%\) would be lost/)
  })

  it('says that a finished proof is kept', () => {
    expect(cancelQuestion({ ...task, phase: 'reveal', progress: 600_000_000 }, 200_000)?.lines).toEqual([
      'Its finished proof is kept for 30 days. If you register the name again, the daemon reuses it.'
    ])
  })
})

describe('the place to which a task can be moved', () => {
  const workers = [{ worker: 'w1', threads: 1, busy: 0, iterations_per_second: 0 }]
  const farm = { enabled: true, workers }

  it.each<[string, Partial<TaskView>, 'local' | 'farm' | null]>([
    ['here', { place: 'local' }, 'farm'],
    ['here, since it came home from where it was moved', { place: 'local', moved_to: 'farm' }, 'farm'],
    ['nowhere yet', { place: null }, 'farm'],
    ['at the farm', { place: 'farm' }, 'local'],
    ['waiting for a worker', { place: null, moved_to: 'farm' }, 'local'],
    ['waiting for a slot', { place: null, moved_to: 'local' }, 'farm'],
    ['without anything left to compute', { place: null, phase: 'reveal' }, null]
  ])('is the other one of where it is: %s', (_where, change, place) => {
    expect(otherPlace(shownTask(change), farm)).toBe(place)
  })

  it('is none without a farm, and not a farm without workers', () => {
    for (const none of [undefined, { enabled: false, workers: [] }])
      expect(otherPlace(shownTask({ place: 'local' }), none)).toBeNull()
    expect(otherPlace(shownTask({ place: 'local' }), { ...farm, workers: [] })).toBeNull()
    expect(otherPlace(shownTask({ place: 'farm' }), { ...farm, workers: [] })).toBe('local')
  })
})

describe('starting a task on the dashboard', () => {
  function daemon(answer: Estimate) {
    const sent: string[] = []
    const post = (async (path: string) => {
      sent.push(path)
      return path.endsWith('estimate') ? answer : { message: 'Registering' }
    }) as Post
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
    const renewed = owned({ lease_end: long.lease_end }, { left: 64, state: 'off', due: null })
    const { asked, ask } = person(false)
    await startTask({ post, ask }, 'renew', 'dave.chronym', renewed)
    expect(asked[0]?.lines).toContain('It spends one of the 64 renewals that are left.')
    expect(sent).toEqual(['/api/vdf/estimate'])
  })

  it('nothing begins where the daemon gives no estimate', async () => {
    const sent: string[] = []
    const post: Post = async (path) => {
      sent.push(path)
      throw new Error('Not a name')
    }
    await expect(startTask({ post, ask: person().ask }, 'register', 'dave')).rejects.toThrow('Not a name')
    expect(sent).toEqual(['/api/vdf/estimate'])
  })
})

describe('cancelling a task on the dashboard', () => {
  const task = shownTask({
    task_id: 't 1',
    name: 'dave.chronym',
    progress: 60_000_000,
    iterations_per_second: 300_000
  })
  const answering = (async () => long) as unknown as Post
  const cancel = (tasks: TaskView[], ask: Ask, post = answering) => {
    const removed: string[] = []
    const remove = async (path: string) => removed.push(path)
    const left = [...tasks]
    const done = removeTask({ post, remove, ask }, () => (left.length > 1 ? left.shift() : left[0]))
    return { done, removed }
  }

  it.each([
    [true, ['/api/vdf/status/t%201?only=running']],
    [false, []]
  ])('throws minutes of work away after a yes alone: %s', async (answer, paths) => {
    const { done, removed } = cancel([task], person(answer).ask)
    await done
    expect(removed).toEqual(paths)
  })

  it.each<[string, Partial<TaskView>]>([
    ['little was done', { progress: 3_000_000 }],
    ['nothing was done, and no rate is known', { progress: 0, iterations_per_second: null }],
    ['it has ended', { status: 'failed' }]
  ])('asks nothing where %s', async (_case, change) => {
    const { done, removed } = cancel([{ ...task, ...change }], person().ask)
    await done
    expect(removed).toHaveLength(1)
  })

  it('reckons a paused one by the rate of this machine, and asks without one', async () => {
    const known = person(false)
    await cancel([{ ...task, iterations_per_second: null }], known.ask).done
    expect(known.asked[0]?.lines?.[0]).toContain('About 3 min 20 s of work')
    const unknown = person(false)
    const refuse: Post = async () => {
      throw new Error('no estimate')
    }
    await cancel([{ ...task, iterations_per_second: null }], unknown.ask, refuse).done
    expect(unknown.asked[0]?.lines?.[0]).toContain('60,000,000 squarings')
  })

  it('does not clear one that has ended during the question', async () => {
    const { done, removed } = cancel([task, { ...task, status: 'completed' }], person(true).ask)
    await expect(done).rejects.toThrow('ended before it was cancelled')
    expect(removed).toEqual([])
  })
})
