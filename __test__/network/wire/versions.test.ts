/** Builds and versions of the protocol that meet in one network (docs/protocol/wire.md, 15, "Versions meet"). */
import { multiaddr } from '@multiformats/multiaddr'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { readFrame, writeFrame } from '../../../src/network/wire/frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol, type Answer } from '../../../src/network/wire/messages.ts'
import { decodeCanonical, encodeCbor, type CborValue } from '../../../src/protocol/encoding/cbor.ts'
import { startBareNode } from '../bare-node.ts'
import { Lab, labProfile, type LabNode } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

const key = new Uint8Array(32)

let lab: Lab
let node: LabNode
let later: Node

beforeAll(async () => {
  lab = new Lab(labProfile({ scope: 'test', answers_per_prefix: 0 }))
  node = await lab.addNode()
  later = await lab.addStranger()
})

afterAll(() => lab.close())

describe('a later build of the same version', () => {
  /** What it is answered, by one stream. */
  async function answersTo(requests: readonly CborValue[]): Promise<CborValue[]> {
    const stream = await later.dialProtocol(multiaddr(node.address), registryProtocol(lab.profile))
    const answers: CborValue[] = []
    for (const request of requests) {
      const [bytes] = await Promise.all([readFrame(stream), writeFrame(stream, encodeCbor(request))])
      answers.push(decodeCanonical(bytes, { maxBytes: 1 << 17, maxDepth: 4 }))
    }
    await stream.close()
    return answers
  }

  it('is told which requests and kinds this one does not know, and served on: no penalty', async () => {
    const unknown = [
      { type: 'watch', key },
      { type: 'get', kind: 'zone', key },
      { type: 'put', kind: 'zone', record: key }
    ]
    const listing = { type: 'list', key, bits: 0 }
    const answers = await answersTo([...Array.from({ length: 10 }, () => unknown).flat(), listing])
    expect(answers.pop()).toMatchObject({ type: 'listed' })
    expect(new Set(answers.map((answer) => (answer as { code: string }).code))).toEqual(new Set(['unknown']))
    expect(later.getPeers()).toHaveLength(1)
  })

  it('may add members to requests, which this one leaves aside', async () => {
    expect(await answersTo([{ type: 'list', key, bits: 0, newest: true }])).toEqual([
      { type: 'listed', entries: [], more: false }
    ])
  })

  it('may add members to answers', () => {
    const answer = (value: CborValue): Answer => decodeAnswer({ type: 'get', kind: 'reveal', key }, encodeCbor(value))
    expect(answer({ type: 'none', since: 7 })).toEqual({ type: 'none' })
    expect(answer({ type: 'busy', until: 7 })).toEqual({ type: 'busy' })
    expect(answer({ type: 'entry', state: 'fresh', claim: key, seen: 7 })).toEqual({
      type: 'entry',
      state: 'fresh',
      claim: key
    })
    const find = { type: 'find', key } as const
    const peers = [{ peer: new Uint8Array(38), addresses: [], load: 7 }]
    expect(decodeAnswer(find, encodeCbor({ type: 'found', peers }))).toEqual({
      type: 'found',
      peers: [{ peer: new Uint8Array(38), addresses: [] }]
    })
  })
})

describe('another version', () => {
  it.each([
    [[2], 'They need a newer chronym'],
    [[4], 'Install a newer chronym'],
    [[2, 4], 'Install a newer chronym']
  ])('that peers alone speak (%j) is told with its cure', async (versions, cure) => {
    const peer = await startBareNode(40 + versions.length + versions[0]!)
    const asker = await lab.addNode({ bootstrap: [] })
    try {
      for (const version of versions)
        await peer.handle(registryProtocol(lab.profile).replace(/\d+$/, String(version)), () => undefined)
      await waitFor(async () => {
        // A busy machine may be too slow for the first dial.
        await asker.network.dial(peer.getMultiaddrs()[0]!.toString()).catch(() => undefined)
        expect(asker.network.status().connecting).toContain(cure)
      })
    } finally {
      await lab.stopNode(asker)
      await peer.stop()
    }
  })

  it('that a peer speaks beside this one changes nothing', async () => {
    const ours = registryProtocol(lab.profile)
    const peer = await startBareNode(60)
    const asker = await lab.addNode({ bootstrap: [] })
    try {
      for (const protocol of [ours, ours.replace(/\d+$/, '4')])
        await peer.handle(protocol, async (stream) => {
          await readFrame(stream)
          await writeFrame(stream, encodeMessage({ type: 'busy' }))
        })
      await asker.network.dial(peer.getMultiaddrs()[0]!.toString())
      await waitFor(() => expect(asker.network.status()).toMatchObject({ status: 'online', connecting: null }))
      expect(asker.network.peers().filter(({ isInTable }) => isInTable)).toHaveLength(1)
    } finally {
      await lab.stopNode(asker)
      await peer.stop()
    }
  })
})
