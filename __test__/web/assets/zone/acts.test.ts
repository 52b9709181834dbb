import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../src/web/assets/parts/dialog.ts'
import type { Published, Zone } from '../../../../src/web/assets/zone/daemon.ts'
import { person } from '../fixtures.ts'
import {
  discardDraft,
  discardQuestion,
  publishQuestion,
  publishZone,
  saveQuestion,
  saveZone
} from '../../../../src/web/assets/zone/acts.ts'

describe('saving and publishing on the dashboard', () => {
  const row = (value: string) => ({ label: 'www', type: 'A', value, ttl: '' })
  const zone = (value: string, etag: string | null = '"2"'): Zone => ({
    source: 'local',
    state: 'draft',
    serial: 2,
    etag,
    records: { www: [{ type: 'A', value }] }
  })
  const loaded = { name: 'dave.chronym', etag: '"2"' }

  function daemon(now: Zone, published: Published, ask: Ask) {
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
        save: async (replaced: Zone) => {
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
    const { done, services, say } = daemon({ ...zone('192.0.2.1', null), source: 'network' }, {}, person().ask)
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
  const draft: Zone = {
    source: 'local',
    state: 'draft',
    serial: 5,
    etag: '"5"',
    records: { www: [{ type: 'A', value: '192.0.2.1' }] }
  }
  const discard = async (now: Zone, published: Published, ask: Ask) => {
    const dropped: Zone[] = []
    const services = {
      ask,
      fetchZone: async () => now,
      fetchPublished: async () => published,
      discard: async (zone: Zone) => void dropped.push(zone)
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
    expect(done).toEqual({ dropped, said: answer ? 'Draft discarded. The published zone stays.' : undefined })
  })

  it('is asked about also where what is published cannot be read', async () => {
    const { asked, ask } = person(false)
    expect((await discard(draft, { trouble: 'The network is offline.' }, ask)).dropped).toEqual([])
    expect(asked[0]?.lines?.[0]).toContain('The network is offline.')
  })

  it('asks nothing where the draft is gone', async () => {
    expect(await discard({ ...draft, state: 'published' }, {}, person().ask)).toEqual({
      dropped: [],
      said: 'The draft no longer exists.'
    })
  })
})

describe('the questions before records are replaced', () => {
  const changes = { added: ['www 300 A 192.0.2.2'], removed: ['www 300 A 192.0.2.1'] }
  const none = { added: [], removed: [] }

  it('are asked where a saved record disappears, with the difference', () => {
    expect(saveQuestion('dave.chronym', changes)?.changes).toBe(changes)
    expect(saveQuestion('dave.chronym', changes, { isChangedElsewhere: true })?.lines?.[0]).toContain(
      'changed elsewhere'
    )
    expect(saveQuestion('dave.chronym', { ...changes, removed: [] })).toBeNull()
  })

  it('are asked before anything else than what is published takes its place', () => {
    const records = { www: [{ type: 'A', value: '192.0.2.1' }] }
    expect(publishQuestion('dave.chronym', { records }, changes)?.changes).toBe(changes)
    expect(publishQuestion('dave.chronym', { records }, { ...changes, removed: [] })?.changes).toBeDefined()
    expect(publishQuestion('dave.chronym', { records }, none)).toBeNull()
    expect(publishQuestion('dave.chronym', { records: {} }, changes)).toBeNull()
  })

  it('say that nothing can be compared where what is published cannot be read', () => {
    const question = publishQuestion('dave.chronym', { trouble: 'The network is offline.' }, undefined)
    expect(question?.lines?.[0]).toContain('The network is offline.')
  })

  it('are asked before edits are discarded', () => {
    expect(discardQuestion('dave.chronym', changes).changes).toBe(changes)
    expect(discardQuestion('dave.chronym', none).lines?.[0]).toBe('They change no record.')
  })
})
