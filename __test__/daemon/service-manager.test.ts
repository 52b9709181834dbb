import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ReadinessCheck } from '../../src/views/readiness.ts'
import { createServiceManager, statusLine } from '../../src/daemon/service-manager.ts'

const PEERS: ReadinessCheck = { name: 'peers', ok: true, detail: 'online, 12 connected' }
const BEACON: ReadinessCheck = { name: 'beacon', ok: true, detail: 'round 7, 0 rounds old' }
const PID = 42

/** What the manager got, and what the daemon was warned of. */
function managed(env: NodeJS.ProcessEnv, send: (message: string) => void = () => undefined) {
  const sent: string[] = []
  const warnings: string[] = []
  const manager = createServiceManager({
    env,
    pid: PID,
    send(address, message) {
      send(message)
      sent.push(`${address} ${message}`)
    }
  })
  const ready = (readiness = (): ReadinessCheck[] => [PEERS]): void =>
    manager.ready(readiness, (message) => warnings.push(message))
  const pings = (): number => sent.filter((message) => message.includes('WATCHDOG=1')).length
  return { manager, ready, sent, warnings, pings }
}

describe('what the service manager is told', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('nothing, and no timer, without a socket', () => {
    const { manager, ready, sent } = managed({ WATCHDOG_USEC: '2000000' })
    manager.starting()
    ready()
    manager.stopping()
    expect(sent).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that it starts, that it answers, pings at half of the time, and that it stops', () => {
    const { manager, ready, sent, pings } = managed({ NOTIFY_SOCKET: '@s', WATCHDOG_USEC: '2000000' })
    manager.starting()
    vi.advanceTimersByTime(10_000)
    expect(sent).toEqual(['@s STATUS=Starting\n'])
    ready()
    expect(sent[1]).toBe('@s READY=1\nSTATUS=Ready: peers: online, 12 connected\n')
    vi.advanceTimersByTime(999)
    expect(pings()).toBe(0)
    vi.advanceTimersByTime(4_001)
    expect(pings()).toBe(5)
    manager.stopping()
    expect(sent.at(-1)).toBe('@s STOPPING=1\nSTATUS=Stopping\n')
    vi.advanceTimersByTime(10_000)
    expect(pings()).toBe(5)
  })

  it.each([
    ['no watchdog', {}],
    ['the watchdog of another process', { WATCHDOG_USEC: '2000000', WATCHDOG_PID: '41' }],
    ['a time that is none', { WATCHDOG_USEC: 'soon' }],
    ['a watchdog that is off', { WATCHDOG_USEC: '0' }]
  ])('only the status, each half minute, with %s', (_, env) => {
    const { ready, sent, pings } = managed({ NOTIFY_SOCKET: '/run/s', ...env })
    ready()
    vi.advanceTimersByTime(60_000)
    expect(pings()).toBe(0)
    expect(sent.filter((message) => message.startsWith('/run/s STATUS=Ready'))).toHaveLength(2)
  })

  it('pings where the watchdog is that of this process', () => {
    const { ready, pings } = managed({ NOTIFY_SOCKET: '@s', WATCHDOG_USEC: '2000000', WATCHDOG_PID: String(PID) })
    ready()
    vi.advanceTimersByTime(1000)
    expect(pings()).toBe(1)
  })

  it('pings on where readiness cannot be read, and says why', () => {
    const { ready, sent, pings } = managed({ NOTIFY_SOCKET: '@s', WATCHDOG_USEC: '2000000' })
    ready(() => {
      throw new Error('disk\nREADY=1')
    })
    vi.advanceTimersByTime(1000)
    expect(pings()).toBe(1)
    expect(sent.at(-1)).toBe('@s WATCHDOG=1\nSTATUS=Readiness is unknown: disk READY=1\n')
  })

  it('again after a failure, of which the daemon hears once in a row', () => {
    let isRefused = true
    const { manager, ready, warnings, pings } = managed({ NOTIFY_SOCKET: '@s', WATCHDOG_USEC: '2000000' }, () => {
      if (isRefused) throw new Error('@s did not take a message: connection refused')
    })
    manager.starting()
    ready()
    vi.advanceTimersByTime(3000)
    expect(warnings).toEqual([expect.stringContaining('connection refused')])
    isRefused = false
    vi.advanceTimersByTime(1000)
    isRefused = true
    vi.advanceTimersByTime(2000)
    expect(pings()).toBe(1)
    expect(warnings).toHaveLength(2)
  })
})

describe('the line of status', () => {
  const names: ReadinessCheck = { name: 'names', ok: true, detail: '1 of 2 need attention', warning: true }

  it('shows what fails before what needs attention, and the network where all is well', () => {
    const offline: ReadinessCheck = { name: 'peers', ok: false, detail: 'offline, 0 connected' }
    expect(statusLine([offline, BEACON, names])).toBe('Not ready: peers: offline, 0 connected')
    expect(statusLine([PEERS, BEACON, names])).toBe('Needs attention: names: 1 of 2 need attention')
    expect(statusLine([PEERS, BEACON])).toBe('Ready: peers: online, 12 connected; beacon: round 7, 0 rounds old')
  })

  it('is one line of bounded length, whatever a check says', () => {
    const line = statusLine([{ name: 'store', ok: false, detail: `broken\n${'x'.repeat(1000)}` }])
    expect(line).toMatch(/^Not ready: store: broken x+$/)
    expect(line).toHaveLength(200)
  })
})
