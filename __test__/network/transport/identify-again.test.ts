/** A peer that does not say who it is, however often it is asked. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { identifyAgain } from '../../../src/network/transport/identify-again.ts'

const HOUR_MS = 60 * 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is asked as long as it is connected, and at last once an hour', async () => {
  const events = new EventTarget()
  const identify = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('no answer in time'))
  identifyAgain(Object.assign(events, { services: { identify: { identify } } }) as unknown as Node)
  const connection = { status: 'open' }
  events.dispatchEvent(new CustomEvent('connection:open', { detail: connection }))
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS)
  identify.mockClear()
  await vi.advanceTimersByTimeAsync(3 * HOUR_MS)
  expect(identify).toHaveBeenCalledTimes(3)
  events.dispatchEvent(new CustomEvent('connection:close', { detail: connection }))
  await vi.advanceTimersByTimeAsync(3 * HOUR_MS)
  expect(identify).toHaveBeenCalledTimes(3)
})
