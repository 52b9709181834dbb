import { describe, expect, it } from 'vitest'

interface Notice {
  title: string
  lines: string[]
  waiting: string[]
  isLocked: boolean
}
const { seedNotice } = (await import(new URL('../../../src/web/assets/seed/words.ts', import.meta.url).href)) as {
  seedNotice: (seed: object) => Notice | undefined
}

const seed = (change: object) => ({ state: 'unlocked', sealed: true, kept_elsewhere: true, waiting: [], ...change })

describe('what the dashboard says of the seed', () => {
  it('is nothing while it is unlocked and kept elsewhere too', () => {
    expect(seedNotice(seed({}))).toBeUndefined()
  })

  it('reminds until the words are checked or a backup exists', () => {
    const told = seedNotice(seed({ kept_elsewhere: false }))
    expect(told).toMatchObject({ isLocked: false, waiting: [] })
    expect(told!.lines.join(' ')).toMatch(/check.* or make a backup/)
  })

  it('tells that it is locked and each signature that waits', () => {
    const waiting = [
      { what: 'register', name: 'alice.chronym', task_id: 't' },
      { what: 'renew', name: 'bob.chronym', task_id: 'u' },
      { what: 'adopt', name: 'carol.chronym', task_id: null }
    ]
    expect(seedNotice(seed({ state: 'locked', waiting }))).toEqual({
      title: 'The seed is locked',
      lines: [expect.stringContaining('wait')],
      waiting: ['registration of alice.chronym', 'renewal of bob.chronym', 'look-up of your carol.chronym'],
      isLocked: true
    })
    expect(seedNotice(seed({ state: 'locked', kept_elsewhere: false }))!.lines).toHaveLength(2)
  })
})
