/** Several questions over one stream: who keeps it, and who ends it. */
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { ask, AskError } from '../../../src/network/wire/exchange.ts'
import { readFrame, writeFrame } from '../../../src/network/wire/frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol, type Request } from '../../../src/network/wire/messages.ts'
import { lp } from '../../../src/protocol/encoding/bytes.ts'
import { Lab, type LabNode } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const REQUEST: Request = { type: 'get', kind: 'reveal', key: new Uint8Array(32) }

let lab: Lab
let node: LabNode
let stranger: Node
let connection: Connection
let peer: PeerId

beforeAll(async () => {
  lab = new Lab()
  node = await lab.addNode()
})

beforeEach(async () => {
  stranger = await lab.addStranger()
  connection = stranger.getConnections()[0]!
  peer = connection.remotePeer
})

afterAll(() => lab.close())

function streams(): Stream[] {
  return connection.streams.filter(({ protocol }) => protocol === registryProtocol(lab.profile))
}

async function isAnswered(): Promise<void> {
  expect(await ask(stranger, peer, REQUEST, lab.profile)).toEqual({ type: 'none' })
}

/** Asks over a stream that is open already. */
async function askOver(stream: Stream): Promise<unknown> {
  const [bytes] = await Promise.all([readFrame(stream), writeFrame(stream, encodeMessage(REQUEST))])
  return decodeAnswer(REQUEST, bytes)
}

/** Timeouts of streams pass when they are told to; libp2p's own go on. */
async function withFakeTimeouts(run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    await run()
  } finally {
    vi.useRealTimers()
  }
}

describe('a stream', () => {
  it('carries one question after the other; those that come together have one each, and four are kept', async () => {
    for (let question = 0; question < 3; question++) await isAnswered()
    expect(streams()).toHaveLength(1)
    const [kept] = streams()
    await Promise.all(Array.from({ length: 6 }, isAnswered))
    await waitFor(() => expect(streams()).toHaveLength(4))
    expect(streams()).toContain(kept)
  })

  it('that the peer has ended is replaced by another', async () => {
    await isAnswered()
    const [ended] = streams()
    ended!.abort(new Error('gone'))
    await isAnswered()
    // As when the end has not come here yet.
    const [halfOpen] = streams()
    await halfOpen!.close()
    Object.defineProperty(halfOpen, 'writeStatus', { value: 'writable' })
    await isAnswered()
    expect(streams()).not.toContain(ended)
    expect(streams()).not.toContain(halfOpen)
  })

  it('ends when nothing is asked for half a minute, without blame; one of a peer lasts', async () => {
    const lasting = await stranger.dialProtocol(peer, registryProtocol(lab.profile))
    await withFakeTimeouts(async () => {
      expect(await askOver(lasting)).toEqual({ type: 'none' })
      for (let time = 0; time < 6; time++) {
        vi.advanceTimersByTime(31_000)
        const stream = await stranger.dialProtocol(peer, registryProtocol(lab.profile))
        expect(await askOver(stream)).toEqual({ type: 'none' })
        vi.advanceTimersByTime(29_000)
        expect(await askOver(stream)).toEqual({ type: 'none' })
        vi.advanceTimersByTime(31_000)
        await waitFor(() => expect(stream.status).toBe('reset'))
      }
      expect(await askOver(lasting)).toEqual({ type: 'none' })
      // The next one takes its place.
      await lasting.close()
      await waitFor(() => expect(lasting.status).toBe('closed'))
      const next = await stranger.dialProtocol(peer, registryProtocol(lab.profile))
      expect(await askOver(next)).toEqual({ type: 'none' })
      vi.advanceTimersByTime(60_000)
      expect(await askOver(next)).toEqual({ type: 'none' })
    })
    expect(stranger.getPeers()).toHaveLength(1)
  })

  it('of those that are kept lasts for the next question, and the others close after 20 s', async () => {
    await isAnswered()
    const [lasting] = streams()
    await withFakeTimeouts(async () => {
      await Promise.all(Array.from({ length: 4 }, isAnswered))
      await waitFor(() => expect(streams()).toHaveLength(4))
      vi.advanceTimersByTime(21_000)
      await waitFor(() => expect(streams()).toHaveLength(1))
      vi.advanceTimersByTime(600_000)
      await isAnswered()
      expect(streams()).toHaveLength(1)
    })
    lasting!.abort(new Error('gone'))
    await isAnswered()
    expect(streams()).toHaveLength(1)
  })

  it('is not waited for longer than ten seconds once its next question has begun', async () => {
    await withFakeTimeouts(async () => {
      const stream = await stranger.dialProtocol(peer, registryProtocol(lab.profile))
      expect(await askOver(stream)).toEqual({ type: 'none' })
      stream.send(lp(encodeMessage(REQUEST)).subarray(0, 9))
      // Another question, so that the first bytes of the former have been read.
      expect(await askOver(await stranger.dialProtocol(peer, registryProtocol(lab.profile)))).toEqual({ type: 'none' })
      vi.advanceTimersByTime(11_000)
      await waitFor(() => expect(stream.status).toBe('reset'))
    })
  })

  it('may be closed by the asking side after any answer, without blame', async () => {
    for (let time = 0; time < 6; time++) {
      const stream = await stranger.dialProtocol(peer, registryProtocol(lab.profile))
      expect(await askOver(stream)).toEqual({ type: 'none' })
      await stream.close()
      await waitFor(() => expect(stream.status).toBe('closed'))
    }
    expect(stranger.getPeers()).toHaveLength(1)
  })

  it('ends with mode full, and begins again with it', async () => {
    await isAnswered()
    await node.network.setMode('light')
    await expect(ask(stranger, peer, REQUEST, lab.profile)).rejects.toThrow(AskError)
    await node.network.setMode('full')
    await isAnswered()
  })
})
