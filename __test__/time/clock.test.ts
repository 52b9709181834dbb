/** The machine's clock; its timers are vitest's. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/time/clock.ts'

describe('the machine’s clock', () => {
  it('ends a sleep with the reason of its signal, before and during it', async () => {
    const reason = new Error('stopped')
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
    const during = new AbortController()
    const asleep = systemClock.sleep(60_000, during.signal)
    during.abort(reason)
    await expect(asleep).rejects.toBe(reason)
  })

  it('wakes up when the time is over', () => expect(systemClock.sleep(1)).resolves.toBeUndefined())
})

describe('its repeated calls', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('come each time the period is over, until they are ended', () => {
    const listener = vi.fn()
    const end = systemClock.every(1000, listener)
    vi.advanceTimersByTime(999)
    expect(listener).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2001)
    expect(listener).toHaveBeenCalledTimes(3)
    end()
    vi.advanceTimersByTime(5000)
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it('do not keep the process alive', () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval')
    const end = systemClock.every(1000, () => undefined)
    expect((setInterval.mock.results[0]?.value as NodeJS.Timeout).hasRef()).toBe(false)
    end()
  })
})
