import { describe, expect, it } from 'vitest'
import { roundTimeMs, leaseState } from '../../../src/protocol/time.ts'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { renewalOutlook, type OutlookInput } from '../../../src/registry/upkeep/renewal-outlook.ts'
import type { TaskView } from '../../../src/views/task.ts'
import { taskView } from '../../views/task.ts'

const profile = parseProfile(builtInProfiles.main)
const START = 10_000_000
const END = START + profile.lease
const LEAD = Math.ceil(profile.lease / 10)
const timeOf = (round: number): string => new Date(roundTimeMs(round, profile.beacon)).toISOString()

const task = (change: Partial<TaskView> = {}): TaskView =>
  taskView({ task_id: 't1', kind: 'renew', created_at: timeOf(END - LEAD), ...change })
const FAILED = task({ status: 'failed', error: { code: 'SVC-REG-001', message: 'refused' } })

function outlook(nowRound: number, change: Partial<OutlookInput> = {}) {
  const lease = leaseState(START, nowRound, profile)
  return renewalOutlook({
    name: 'alice.chronym',
    profile,
    lease,
    nowRound,
    dueRound: END - LEAD,
    taskSeconds: 0,
    links: 1,
    ownership: 'held',
    sold: undefined,
    isAutomatic: true,
    task: undefined,
    obstacle: undefined,
    foreignSerial: undefined,
    isReleased: false,
    ...change
  })
}
const codes = (...args: Parameters<typeof outlook>): string[] => outlook(...args).warnings.map(({ code }) => code)

describe('a renewal', () => {
  it('is scheduled a tenth of the lease before its end, and warns of nothing', () => {
    expect(outlook(START + 5)).toMatchObject({
      renewal: { state: 'scheduled', due: timeOf(END - LEAD), task_id: null, left: 64 },
      warnings: [],
      leadRounds: LEAD,
      isDue: false
    })
    expect(outlook(END - LEAD)).toMatchObject({ renewal: { state: 'scheduled' }, warnings: [], isDue: true })
  })

  it('is not begun for a name that was released, whose owner sees when it lapses and how to take it back', () => {
    expect(outlook(END - LEAD, { isReleased: true })).toMatchObject({
      renewal: { state: 'released', due: null, left: 64 },
      isDue: false,
      warnings: [{ code: 'released', message: expect.stringContaining('chronym release --undo alice.chronym') }]
    })
    expect(codes(START + 5, { isReleased: true })).toEqual(['released'])
  })

  it('of a key that another daemon publishes with warns of it', () => {
    expect(outlook(START + 5, { foreignSerial: 7 }).warnings).toMatchObject([
      { code: 'other-daemon', message: expect.stringContaining('serial 7') }
    ])
  })

  it('under way shows its task and warns only of what keeps it from coming in time', () => {
    expect(outlook(END - LEAD, { task: task() })).toMatchObject({
      renewal: { state: 'running', task_id: 't1' },
      warnings: [],
      isDue: false
    })
    expect(codes(END - 5, { task: task(), taskSeconds: 5 * profile.beacon.period })).toEqual([])
    expect(codes(END - 5, { task: task(), taskSeconds: 5 * profile.beacon.period + 1 })).toEqual(['renewal-late'])
    expect(
      outlook(END - 5, { task: task({ stalled: { code: 'SVC-BCN-001', message: 'no pulse' } }) }).warnings
    ).toMatchObject([{ code: 'renewal-stalled', message: expect.stringContaining('SVC-BCN-001: no pulse') }])
    expect(outlook(END - 5, { task: task({ paused: true }) })).toMatchObject({
      renewal: { state: 'paused' },
      warnings: [{ code: 'renewal-paused', message: expect.stringContaining('chronym resume t1') }]
    })
  })

  it('begun by hand long before the end warns of nothing, whatever becomes of it', () => {
    for (const each of [task({ paused: true }), FAILED]) expect(codes(START + 5, { task: each })).toEqual([])
  })

  it('that is off is warned of from twice the lead before the end on, unless one is under way', () => {
    const isAutomatic = false
    expect(outlook(START, { isAutomatic })).toMatchObject({
      renewal: { state: 'off', due: timeOf(END - LEAD) },
      isDue: false
    })
    expect(codes(END - 2 * LEAD, { isAutomatic })).toEqual([])
    expect(outlook(END - 2 * LEAD + 1, { isAutomatic }).warnings).toMatchObject([
      { code: 'renewal-off', message: expect.stringContaining('chronym renew alice.chronym') }
    ])
    expect(codes(END - LEAD, { isAutomatic, task: task() })).toEqual([])
    expect(outlook(END - LEAD, { isAutomatic }).isDue).toBe(false)
    expect(codes(END - LEAD, { isAutomatic, task: FAILED })).toEqual(['renewal-failed'])
    expect(
      codes(END - LEAD, {
        isAutomatic,
        task: task({ status: 'failed', error: { code: 'SVC-TSK-003', message: 'cancelled' } })
      })
    ).toEqual(['renewal-off'])
  })

  it('that failed, or could not be started, says why and is due again', () => {
    expect(outlook(END - LEAD, { task: FAILED })).toMatchObject({
      renewal: { state: 'failed' },
      warnings: [{ code: 'renewal-failed', message: expect.stringContaining('SVC-REG-001: refused') }],
      isDue: true
    })
    expect(outlook(END - LEAD, { obstacle: 'No pulse has been verified yet.' })).toMatchObject({
      renewal: { state: 'failed' },
      warnings: [{ code: 'renewal-failed', message: expect.stringContaining('No pulse') }],
      isDue: true
    })
  })

  it('that failed for a lease before this one says nothing', () => {
    expect(outlook(END - LEAD, { task: { ...FAILED, created_at: timeOf(START - 1) } })).toMatchObject({
      renewal: { state: 'scheduled' },
      warnings: []
    })
  })

  it('is possible in the grace, and not after it', () => {
    expect(outlook(END + 1)).toMatchObject({
      renewal: { state: 'scheduled' },
      warnings: [{ code: 'grace' }],
      isDue: true
    })
    expect(outlook(END + 1, { task: task(), taskSeconds: 60 })).toMatchObject({
      renewal: { state: 'running' },
      warnings: [{ code: 'grace', message: expect.stringContaining('its renewal is under way') }]
    })
    expect(outlook(END + profile.grace + 1)).toMatchObject({
      renewal: { state: 'impossible', due: null },
      warnings: [{ code: 'lapsed', message: expect.stringContaining('chronym register alice.chronym') }],
      isDue: false
    })
  })

  it('of a sold name is for its new owner, also after the end of the lease that is known here', () => {
    const sold = { to: new Uint8Array(32).fill(0xab), atMs: 0 }
    for (const round of [START + 5, END - LEAD, END + profile.grace + 1])
      expect(outlook(round, { ownership: 'sold', sold })).toMatchObject({
        renewal: { state: 'impossible', due: null },
        warnings: [
          { code: 'sold', message: expect.stringMatching(/ab{1}ab.*1970-01-01.*chronym release alice\.chronym/) }
        ],
        isDue: false
      })
  })

  it('of a lost or contested name goes on, until it is dead', () => {
    expect(outlook(END - LEAD, { ownership: 'lost' })).toMatchObject({
      renewal: { state: 'scheduled' },
      warnings: [{ code: 'lost' }],
      isDue: true
    })
    expect(outlook(END + 1, { ownership: 'lost' }).warnings).toMatchObject([{ code: 'lost' }, { code: 'grace' }])
    expect(outlook(END + profile.grace + 1, { ownership: 'lost' })).toMatchObject({
      renewal: { state: 'impossible' },
      warnings: [{ code: 'lost' }],
      isDue: false
    })
    expect(outlook(END - LEAD, { ownership: 'contested' })).toMatchObject({
      renewal: { state: 'scheduled' },
      warnings: [{ code: 'contested' }],
      isDue: true
    })
  })

  it('is warned of two leases, on main two years, before the last lease of its chain ends', () => {
    expect(codes(END - 1, { links: 63 })).toEqual([])
    expect(outlook(START, { links: 64 })).toMatchObject({
      renewal: { state: 'scheduled', left: 1 },
      warnings: [{ code: 'chain-ends', message: expect.stringContaining('one more renewal') }]
    })
    expect(outlook(END - LEAD, { links: 65 })).toMatchObject({
      renewal: { state: 'impossible', left: 0 },
      warnings: [{ code: 'chain-ends', message: expect.stringContaining('64 renewals') }],
      isDue: false
    })
  })
})
