/** Pings of open connections between real nodes; the clocks of the interval and of the time for an answer are moved. */
import type { Stream } from '@libp2p/interface'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

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
  const connection = await asker.dial(asked.getMultiaddrs())
  await waitFor(() => expect(asker.getConnections()).toHaveLength(1))

  const waiting: { ms: number; end: AbortController }[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const end = new AbortController()
    waiting.push({ ms, end })
    return end.signal
  })
  const pass = (ms: number): void => {
    for (const wait of waiting) if (wait.ms <= ms) wait.end.abort(new DOMException('late', 'TimeoutError'))
  }
  const ping = async (count: number): Promise<void> => {
    vi.advanceTimersByTime(180_000)
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
