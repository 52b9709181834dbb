import { describe, expect, it } from 'vitest'

const asset = (file: string) => import(new URL(`../../src/web/assets/${file}`, import.meta.url).href)
interface Question {
  title: string
  lines: string[]
  changes?: { added: string[]; removed: string[] }
}
type Send = (path: string, body?: object) => Promise<object>
type Ask = (question: Question) => Promise<boolean>
const { startTask, removeTask } = (await asset('task-acts.js')) as {
  startTask: (
    services: { post: Send; ask: Ask },
    kind: string,
    name: string,
    owned?: object
  ) => Promise<string | undefined>
  removeTask: (services: { post: Send; remove: Send; ask: Ask }, taskNow: () => object | undefined) => Promise<void>
}
type ZoneAct = (
  services: object,
  of: { name: string; etag: string | null },
  rows: object[],
  say: (text: string) => void
) => Promise<void>
const { saveZone, publishZone, discardDraft } = (await asset('zone/acts.js')) as {
  saveZone: ZoneAct
  publishZone: ZoneAct
  discardDraft: (services: object, of: { name: string }) => Promise<string | undefined>
}

/** A person who gives these answers in turn, and what was asked; a question too many is an error. */
function person(...answers: boolean[]) {
  const asked: Question[] = []
  const ask: Ask = async (question) => {
    asked.push(question)
    if (asked.length > answers.length) throw new Error(`nobody expected: ${question.title}`)
    return answers[asked.length - 1]!
  }
  return { asked, ask }
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

describe('saving and publishing on the dashboard', () => {
  const row = (value: string) => ({ label: 'www', type: 'A', value, ttl: '' })
  const zone = (value: string, etag = '"2"') => ({ source: 'local', etag, records: { www: [{ type: 'A', value }] } })
  const loaded = { name: 'dave.chronym', etag: '"2"' }

  function daemon(now: object, published: object, ask: Ask) {
    const done: string[] = []
    const said: string[] = []
    return {
      done,
      said,
      say: (text: string) => void said.push(text),
      services: {
        ask,
        fetchZone: async () => now,
        fetchPublished: async () => published,
        save: async (replaced: object) => {
          expect(replaced).toBe(now)
          done.push('save')
          return 3
        },
        publish: async () => {
          done.push('publish')
          return { serial: 3, stored_by: 4, of: 5 }
        }
      }
    }
  }

  it.each([
    [true, ['save']],
    [false, []]
  ])('a record is replaced after a yes alone, with the difference: %s', async (answer, acts) => {
    const { asked, ask } = person(answer)
    const { done, services, say } = daemon(zone('192.0.2.1'), {}, ask)
    await saveZone(services, loaded, [row('192.0.2.2')], say)
    expect(asked[0]?.changes).toEqual({ added: ['www 300 A 192.0.2.2'], removed: ['www 300 A 192.0.2.1'] })
    expect(done).toEqual(acts)
  })

  it('a draft over what is only published replaces nothing yet', async () => {
    const { done, services, say } = daemon(
      { ...zone('192.0.2.1', ''), source: 'network', etag: null },
      {},
      person().ask
    )
    await saveZone(services, { ...loaded, etag: null }, [row('192.0.2.2')], say)
    expect(done).toEqual(['save'])
  })

  it.each([
    [true, ['save', 'publish']],
    [false, []]
  ])('what is published is replaced after a yes alone: %s', async (answer, acts) => {
    const { asked, ask } = person(answer)
    const { done, services, say } = daemon(zone('192.0.2.1'), zone('192.0.2.9'), ask)
    await publishZone(services, loaded, [row('192.0.2.2')], say)
    expect(asked[0]?.changes).toEqual({ added: ['www 300 A 192.0.2.2'], removed: ['www 300 A 192.0.2.9'] })
    expect(done).toEqual(acts)
  })

  it('what somebody else saved meanwhile is shown first', async () => {
    const { asked, ask } = person(true, false)
    const { done, services, say } = daemon(zone('192.0.2.7', '"3"'), zone('192.0.2.9'), ask)
    await publishZone(services, loaded, [row('192.0.2.2')], say)
    expect(asked.map(({ changes }) => changes?.removed)).toEqual([['www 300 A 192.0.2.7'], ['www 300 A 192.0.2.9']])
    expect(done).toEqual([])
  })

  it('a draft that is saved as it is shown is not saved again, and a first publication asks nothing', async () => {
    const { done, said, services, say } = daemon(zone('192.0.2.1'), { records: {} }, person().ask)
    await publishZone(services, loaded, [row('192.0.2.1')], say)
    expect(done).toEqual(['publish'])
    expect(said.at(-1)).toBe('Serial 3 is live at 4 of 5 peers.')
  })

  it('nothing is published unseen where what is published cannot be read', async () => {
    const { done, services, say } = daemon(zone('192.0.2.1'), { trouble: 'The network is offline.' }, person(false).ask)
    await publishZone(services, loaded, [row('192.0.2.1')], say)
    expect(done).toEqual([])
  })
})

describe('discarding a draft on the dashboard', () => {
  const draft = { source: 'local', state: 'draft', etag: '"5"', records: { www: [{ type: 'A', value: '192.0.2.1' }] } }
  const discard = async (now: object, published: object, ask: Ask) => {
    const dropped: object[] = []
    const services = {
      ask,
      fetchZone: async () => now,
      fetchPublished: async () => published,
      discard: async (zone: object) => void dropped.push(zone)
    }
    return { said: await discardDraft(services, { name: 'dave.chronym' }), dropped }
  }

  it.each([
    [true, [draft]],
    [false, []]
  ])('happens after a yes alone, with the difference, to the draft that was shown: %s', async (answer, dropped) => {
    const { asked, ask } = person(answer)
    const done = await discard(draft, { records: { www: [{ type: 'A', value: '192.0.2.9' }] } }, ask)
    expect(asked[0]?.changes).toEqual({ added: ['www 300 A 192.0.2.9'], removed: ['www 300 A 192.0.2.1'] })
    expect(done).toEqual({ dropped, said: answer ? 'Draft discarded. What is published stays.' : undefined })
  })

  it('is asked about also where what is published cannot be read', async () => {
    const { asked, ask } = person(false)
    expect((await discard(draft, { trouble: 'The network is offline.' }, ask)).dropped).toEqual([])
    expect(asked[0]?.lines[0]).toContain('The network is offline.')
  })

  it('asks nothing where the draft is gone', async () => {
    expect(await discard({ ...draft, state: 'published' }, {}, person().ask)).toEqual({
      dropped: [],
      said: 'There is no draft any more.'
    })
  })
})
