import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetResources, refresh, resourceOf, type Read } from '../../../../src/web/assets/lib/resource.ts'

/** What views share of the daemon, with a stubbed fetch. */

const OPTIONS = { every: () => Infinity, on: [], accept: [] }
let answers: (() => Promise<Response>)[]
let asked: number

beforeEach(() => {
  asked = 0
  answers = []
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', () => {
    asked++
    return answers.shift()?.() ?? Promise.resolve(Response.json(asked))
  })
})
afterEach(() => {
  forgetResources()
  vi.unstubAllGlobals()
})

const seen = () => {
  const states: Read<unknown>[] = []
  return { states, listener: (state: Read<unknown>) => void states.push(state) }
}

describe('what views share', () => {
  it('is read once for all who show it at the same time', async () => {
    const [first, second] = [seen(), seen()]
    resourceOf('/api/x').use(first.listener, OPTIONS)
    resourceOf('/api/x').use(second.listener, OPTIONS)
    await expect.poll(() => second.states.at(-1)?.data).toBe(1)
    expect([first.states.at(-1)?.data, asked]).toEqual([1, 1])
  })

  it('is read again after a change, though a reading was under way', async () => {
    const old = Promise.withResolvers<Response>()
    answers.push(() => old.promise)
    const view = seen()
    resourceOf('/api/x').use(view.listener, OPTIONS)
    const done = refresh('/api/')
    old.resolve(Response.json('before the change'))
    await done
    expect(view.states.map(({ data }) => data)).toEqual(['before the change', 2])
  })

  it('stays as it was read last while the daemon is away', async () => {
    const view = seen()
    resourceOf('/api/x').use(view.listener, OPTIONS)
    await expect.poll(() => view.states.at(-1)?.data).toBe(1)
    answers.push(() =>
      Promise.resolve(Response.json({ code: 'SVC-STO-001', title: 'Store', detail: 'Full.' }, { status: 503 }))
    )
    await refresh('/api/')
    expect(view.states.at(-1)).toMatchObject({ data: 1, error: { code: 'SVC-STO-001' } })
  })

  it('is known to the next view at once, and to the next session not at all', async () => {
    const leave = resourceOf('/api/x').use(() => undefined, OPTIONS)
    await expect.poll(() => resourceOf('/api/x').state.data).toBe(1)
    leave()
    expect(resourceOf('/api/x').state.data).toBe(1)
    forgetResources()
    expect(resourceOf('/api/x').state.data).toBeUndefined()
  })
})
