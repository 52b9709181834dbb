/** Pings of open connections between real nodes; the clocks of the interval and of the time for an answer are moved. */
import { Socket } from 'node:net'
import type { Stream } from '@libp2p/interface'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

const PING_EVERY_MS = 3 * 60_000

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('a connection outlives a peer that answers its ping after 20 s, and none that answers after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const asker = await startBareNode(0)
  onTestFinished(() => asker.stop())
  const asked = await startBareNode(1)
  onTestFinished(() => asked.stop())
  const pings: Stream[] = []
  await asked.unhandle('/ipfs/ping/1.0.0')
  await asked.handle('/ipfs/ping/1.0.0', (stream) => void pings.push(stream))
  const silence = vi.spyOn(Socket.prototype, 'setTimeout')
  const connection = await asker.dial(asked.getMultiaddrs())
  await waitFor(() => expect(asked.getConnections()).toHaveLength(1))
  // Neither side ends it as silent between two pings.
  const allowed = silence.mock.calls.map(([ms]) => ms).filter((ms) => ms > 0)
  expect(allowed.length).toBeGreaterThanOrEqual(2)
  expect(Math.min(...allowed)).toBeGreaterThan(PING_EVERY_MS)

  const waiting: { ms: number; end: AbortController }[] = []
  const pass = (ms: number): void => {
    for (const wait of waiting) if (wait.ms <= ms) wait.end.abort(new DOMException('late', 'TimeoutError'))
  }
  const ping = async (count: number): Promise<void> => {
    // The pings' own time alone: on a busy machine identify waits beside them.
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const end = new AbortController()
      waiting.push({ ms, end })
      return end.signal
    })
    vi.advanceTimersByTime(PING_EVERY_MS)
    await Promise.resolve()
    timeouts.mockRestore()
    expect(waiting).toHaveLength(2 * count)
    await waitFor(() => expect(pings).toHaveLength(count))
  }

  await ping(1)
  pass(20_000)
  const [first] = pings
  first!.addEventListener('message', ({ data }) => first!.send(data))
  await waitFor(() => expect(connection.rtt).toBeDefined())
  expect(connection.status).toBe('open')

  await ping(2)
  pass(60_000)
  await waitFor(() => expect(connection.status).not.toBe('open'))
})
