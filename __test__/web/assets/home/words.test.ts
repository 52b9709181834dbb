import { describe, expect, it } from 'vitest'

interface Item {
  key: string
  tone: string
  title: string
  text: string
  href?: string
}
const { attention } = (await import(new URL('../../../../src/web/assets/home/words.ts', import.meta.url).href)) as {
  attention: (sources: object) => Item[]
}

const well = {
  readiness: { ready: true, checks: [{ name: 'peers', ok: true, detail: 'online, 8 connected' }] },
  status: { mode: 'full', diversity: { message: null } },
  names: [{ name: 'alice.chronym', state: 'live', warnings: [] }],
  seed: { state: 'unlocked', kept_elsewhere: true, waiting: [] },
  drafts: [],
  tasks: [{ task_id: 't', kind: 'register', name: 'bob.chronym', status: 'running', stalled: null }]
}
const found = (change: object) => attention({ ...well, ...change }).map(({ key, tone }) => `${tone} ${key}`)

describe('what needs attention', () => {
  it('is nothing while all is well, and while nothing is known', () => {
    expect(attention(well)).toEqual([])
    expect(attention({})).toEqual([])
  })

  it.each<[object, string[]]>([
    [
      { readiness: { checks: [{ name: 'beacon', ok: false, detail: 'round 7, 40 rounds old' }] } },
      ['bad check beacon']
    ],
    [
      { readiness: { checks: [{ name: 'backup', ok: true, warning: true, detail: 'missing now' }] } },
      ['warn check backup']
    ],
    [{ readiness: { checks: [{ name: 'seed', ok: true, warning: true, detail: '' }] } }, []],
    [{ seed: { ...well.seed, kept_elsewhere: false } }, ['warn seed']],
    [{ seed: { ...well.seed, state: 'locked' } }, ['bad seed']],
    [
      { names: [{ name: 'a.chronym', state: 'grace', warnings: [{ code: 'grace', message: 'Renew it now.' }] }] },
      ['bad name a.chronym grace']
    ],
    [{ tasks: [{ ...well.tasks[0], stalled: { code: 'SVC-BCN-001', message: 'No pulse.' } }] }, ['warn task t']],
    [{ status: { mode: 'full', diversity: { message: 'Three more peers are needed.' } } }, ['warn diversity']],
    [{ status: { mode: 'offline', diversity: null } }, ['warn mode']],
    [{ drafts: [{ name: 'a.chronym', owner: 'owned' }] }, [' draft a.chronym']],
    [{ drafts: [{ name: 'a.chronym', owner: 'registering' }] }, []]
  ])('is %j: %j', (change, items) => {
    expect(found(change)).toEqual(items)
  })

  it('has the most urgent first, each with where to go', () => {
    const items = attention({
      ...well,
      drafts: [{ name: 'a.chronym', owner: 'owned' }],
      seed: { ...well.seed, kept_elsewhere: false },
      readiness: { checks: [{ name: 'peers', ok: false, detail: 'offline, 0 connected' }] }
    })
    expect(items.map(({ tone }) => tone)).toEqual(['bad', 'warn', ''])
    for (const { title, text, href } of items)
      expect([title, text, href]).toEqual(Array(3).fill(expect.stringMatching(/./)))
  })
})
