/** What no honest peer sends, sent by a bare libp2p node. */
import type { Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../src/network/wire/exchange.ts'
import { NativeError } from '../../../src/native/types.ts'
import { FrameError, readFrame } from '../../../src/network/wire/frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol } from '../../../src/network/wire/messages.ts'
import type { Node } from '../../../src/network/libp2p.ts'
import { concatBytes, lp } from '../../../src/protocol/encoding/bytes.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { Lab, labProfile, type LabNode } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

let lab: Lab
let node: LabNode
let stranger: Node

beforeAll(async () => {
  lab = new Lab()
  node = await lab.addNode()
})

beforeEach(async () => {
  stranger = await lab.addStranger()
})

afterAll(() => lab.close())

async function openStream(): Promise<Stream> {
  return stranger.dialProtocol(multiaddr(node.address), registryProtocol(lab.profile))
}

function decodeRequestedAnswer(bytes: Uint8Array): unknown {
  return decodeAnswer({ type: 'list', key: new Uint8Array(32), bits: 0 }, bytes)
}

async function isServed(): Promise<boolean> {
  const answer = await ask(
    stranger,
    stranger.getPeers()[0]!,
    { type: 'list', key: new Uint8Array(32), bits: 0 },
    lab.profile
  )
  return answer.type === 'listed'
}

async function ended(stream: Stream): Promise<unknown> {
  return readFrame(stream).then(
    (bytes) => bytes,
    (error: unknown) => error
  )
}

describe('a stranger', () => {
  it('gets no answer to bytes that are no request, and is served again afterwards', async () => {
    for (const bytes of [
      lp(new Uint8Array([0xff])),
      lp(new Uint8Array()),
      new Uint8Array([0, 2, 0, 1]),
      concatBytes(lp(encodeMessage({ type: 'list', key: new Uint8Array(32), bits: 0 })), new Uint8Array(9))
    ]) {
      const stream = await openStream()
      stream.send(bytes)
      expect(await ended(stream)).toBeInstanceOf(Error)
    }
    expect(await isServed()).toBe(true)
  })

  it('is not waited for longer than ten seconds, and holds nobody else up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      const slow = await openStream()
      slow.send(new Uint8Array([0]))
      const end = ended(slow)
      expect(await isServed()).toBe(true)
      vi.advanceTimersByTime(11_000)
      expect(await end).toBeInstanceOf(Error)
      expect(await end).not.toBeInstanceOf(FrameError)
    } finally {
      vi.useRealTimers()
    }
    expect(await isServed()).toBe(true)
  })

  it('is told `busy` at once when it opens more streams than it may', async () => {
    const idle = await Promise.all(Array.from({ length: 32 }, openStream))
    expect(decodeRequestedAnswer(await readFrame(await openStream()))).toEqual({ type: 'busy' })
    for (const stream of idle) stream.abort(new Error('enough'))
    await waitFor(async () => {
      expect(await isServed()).toBe(true)
    })
  })

  it('is sent away after a few invalid records, with others served on', async () => {
    const reveal = lab.reveal('stranger.chronym', lab.owner('mallory'), { p: lab.round })
    const record = encodeReveal({ ...reveal, signature: new Uint8Array(64) })
    const peer = stranger.getPeers()[0]!
    for (let offence = 0; offence < 5; offence++) {
      const answer = await ask(stranger, peer, { type: 'put', kind: 'reveal', record }, lab.profile).catch(
        (error: unknown) => error
      )
      if (!(answer instanceof Error)) expect(answer).toMatchObject({ type: 'refused', code: 'invalid' })
    }
    await waitFor(() => {
      expect(stranger.getPeers()).toEqual([])
    })
    await expect(isBannedFrom(node)).resolves.toBe(true)
    stranger = await lab.addStranger()
    expect(await isServed()).toBe(true)
    lab.advance(601)
  })

  it('is sent away after a few messages that are none', async () => {
    for (let offence = 0; offence < 5; offence++) {
      const stream = await openStream()
      stream.send(new Uint8Array([0, 2, 0, 1]))
      await ended(stream)
    }
    await waitFor(() => {
      expect(stranger.getPeers()).toEqual([])
    })
    await expect(isBannedFrom(node)).resolves.toBe(true)
    lab.advance(601)
  })

  it('is not punished for streams that end early, as those of a killed daemon do', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const stream = await openStream()
      if (attempt % 2 === 0) stream.send(new Uint8Array([0, 0, 0, 9, 1]))
      await stream.close()
      expect(await ended(stream)).toBeInstanceOf(Error)
    }
    expect(await isServed()).toBe(true)
    expect(await isBannedFrom(node)).toBe(false)
  })

  it('is not punished for records that are merely refused', async () => {
    const peer = stranger.getPeers()[0]!
    await node.network.putReveal(await lab.claim(node, 'mine.chronym', lab.owner('alice')))
    lab.advance(lab.profile.settle + 1)
    const record = encodeReveal(lab.reveal('mine.chronym', lab.owner('mallory'), { p: lab.round }))
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await ask(stranger, peer, { type: 'put', kind: 'reveal', record }, lab.profile)).toMatchObject({
        type: 'refused',
        code: 'taken'
      })
    }
    expect(await isServed()).toBe(true)
  })

  it('is told `busy` when more waits for verification than there is room for, and is heard later', async () => {
    const full = vi
      .spyOn(lab.pool, 'verifyProof')
      .mockRejectedValueOnce(new NativeError('POOL_BUSY', 'too many questions wait'))
    const record = encodeReveal(lab.reveal('later.chronym', lab.owner('bob'), { p: lab.round }))
    const put = () => ask(stranger, stranger.getPeers()[0]!, { type: 'put', kind: 'reveal', record }, lab.profile)
    expect(await put()).toEqual({ type: 'busy' })
    expect(full).toHaveBeenCalledOnce()
    full.mockRestore()
    expect(await put()).toEqual({ type: 'stored' })
  })

  it('is told `busy` when it asks for more than its part, without penalty, and is served later', async () => {
    const peer = stranger.getPeers()[0]!
    const other = await lab.addStranger()
    const { elapsedMs } = lab
    let elapsed = 10_000_000
    lab.elapsedMs = () => elapsed
    const request = { type: 'get', kind: 'reveal', key: new Uint8Array(32) } as const
    const answers = async (from: Node, count: number): Promise<string[]> => {
      const types: string[] = []
      for (let index = 0; index < count; index++) types.push((await ask(from, peer, request, lab.profile)).type)
      return types
    }
    // Five seconds of 64 requests each, and the answers.
    expect(await answers(stranger, 300)).not.toContain('busy')
    expect(await answers(stranger, 25)).toContain('busy')
    expect(await answers(stranger, 3)).toEqual(['busy', 'busy', 'busy'])
    expect(await answers(other, 1), 'nobody else is held up').toEqual(['none'])
    elapsed += 1_000
    expect(await answers(stranger, 10)).not.toContain('busy')
    expect(stranger.getPeers()).toHaveLength(1)
    lab.elapsedMs = elapsedMs
  })

  it('cannot reconnect repeatedly from one prefix, but later [connections that cost their handshake]', async () => {
    const limited = new Lab(labProfile({ answers_per_prefix: 2 }))
    let elapsed = 10_000_000
    limited.elapsedMs = () => elapsed
    const target = await limited.addNode()
    try {
      const own = await limited.addStranger()
      const connect = async (): Promise<boolean> => {
        for (const connection of own.getConnections()) await connection.close()
        return own.dial(multiaddr(target.address)).then(
          () => true,
          () => false
        )
      }
      let connected = 1
      while (connected < 200 && (await connect())) connected++
      expect(connected).toBe(60)
      elapsed += 1_000
      expect(await connect()).toBe(true)
    } finally {
      await limited.close()
    }
  })

  it('of another network is not even spoken to', async () => {
    const other = new Lab(labProfile({ tld: 'other' }))
    await expect(
      ask(stranger, stranger.getPeers()[0]!, { type: 'list', key: new Uint8Array(32), bits: 0 }, other.profile)
    ).rejects.toThrow()
  })
})

async function isBannedFrom({ address }: LabNode): Promise<boolean> {
  try {
    await stranger.dialProtocol(multiaddr(address), registryProtocol(lab.profile))
    return false
  } catch {
    return true
  }
}
