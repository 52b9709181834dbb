import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { ask, AskError } from '../../../src/network/wire/exchange.ts'
import { readFrame, writeFrame } from '../../../src/network/wire/frame.ts'
import type { ListedEntry } from '../../../src/network/wire/list.ts'
import {
  decodeRequest,
  encodeMessage,
  registryProtocol,
  type Answer,
  type Request
} from '../../../src/network/wire/messages.ts'
import { compareBytes, sha256, toHex, u64be, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { startBareNode } from '../../network/bare-node.ts'
import { FIRST_ROUND, Lab } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
const WANTED = 'wanted.chronym'

const DICTIONARY = Array.from({ length: 300 }, (_, index) => `word-${index}.chronym`)

afterEach(() => {
  vi.useRealTimers()
})

/** A page of those entries; the names fit into two. */
function pageOf(entries: readonly ListedEntry[], { after }: Extract<Request, { type: 'list' }>): Answer {
  const rest = entries.filter(({ key }) => after === undefined || compareBytes(key, after) > 0)
  return { type: 'listed', entries: rest.slice(0, 250), more: rest.length > 250 }
}

describe('real nodes', () => {
  let real: Lab
  const liars: Node[] = []

  afterEach(async () => {
    for (const liar of liars.splice(0)) await liar.stop()
    await real.close()
  })

  /** A node that answers the registry's questions as it likes, and what it is asked. */
  async function startLiar(key: number, answer: (request: Request) => Answer): Promise<Request[]> {
    const node = await startBareNode(key, real.profile)
    const asked: Request[] = []
    liars.push(node)
    await node.unhandle(registryProtocol(real.profile))
    await node.handle(registryProtocol(real.profile), async (stream) => {
      try {
        for (;;) {
          const request = decodeRequest(await readFrame(stream))
          asked.push(request)
          await writeFrame(stream, encodeMessage(answer(request)))
        }
      } catch {
        // The stream has ended.
      }
    })
    for (const { address } of real.nodes) await node.dial(multiaddr(address))
    return asked
  }

  it('[liars who list every name] learn eight keys, show no record of the one that is wanted, and it counts as free; one that is held is shown', async () => {
    real = new Lab()
    const [first, victim] = await real.addNodes(2)
    const owner = real.owner('alice')
    const taken = await real.claim(first!, 'alice.chronym', owner)
    await first!.network.putReveal(taken)
    const names = [...DICTIONARY.slice(0, 40), WANTED, 'alice.chronym']
    const entries = names
      .map((name): ListedEntry => ({
        key: recordKey('reveal', name, real.hash),
        state: 'settled',
        claim: sha256(utf8(name)),
        record: sha256(utf8(name))
      }))
      .sort((left, right) => compareBytes(left.key, right.key))
    const asked = await Promise.all(
      [1, 2, 3].map((key) =>
        startLiar(key, (request) => (request.type === 'list' ? pageOf(entries, request) : { type: 'none' }))
      )
    )
    await waitFor(() => expect(victim!.network.knownPeers()).toBe(4))

    const wanted = await victim!.network.probe(WANTED)
    expect(wanted.answers.filter(({ self }) => !self)).toHaveLength(4)
    expect(wanted.answers.filter(({ state }) => state === 'settled')).toHaveLength(3)
    expect(wanted.answers.filter(({ claim }) => claim !== undefined)).toEqual([])
    for (const requests of asked) {
      const keys = requests.flatMap((request) => (request.type === 'get' ? [toHex(request.key)] : []))
      expect(keys).toContain(toHex(recordKey('reveal', WANTED, real.hash)))
      expect(new Set(keys).size).toBe(8)
    }
    const held = await victim!.network.probe('alice.chronym')
    expect(held.answers.find(({ self, claim }) => !self && claim !== undefined)).toMatchObject({
      claim: { pubkey: owner.publicKey },
      reveal: { name: 'alice.chronym' }
    })
  })

  it('[pages that do not ascend] end with the first, as bytes that are no answer do', async () => {
    real = new Lab()
    const [node] = await real.addNodes(1)
    const same: Answer = {
      type: 'listed',
      entries: [{ key: sha256(u64be(FIRST_ROUND)), state: 'settled', claim: new Uint8Array(32) }],
      more: true
    }
    const asked = await startLiar(1, () => same)
    await waitFor(() => expect(node!.network.knownPeers()).toBe(1))
    const { answers, silent } = await node!.network.probe(WANTED)
    expect(answers.filter(({ self }) => !self)).toEqual([])
    expect(silent).toMatchObject([{ reason: 'no-answer' }])
    expect(asked.filter(({ type }) => type === 'list').length).toBeLessThanOrEqual(3)
    const stranger = await real.addStranger()
    const connection = await stranger.dial(liars[0]!.getMultiaddrs())
    await expect(
      ask(
        stranger,
        connection.remotePeer,
        { type: 'list', key: new Uint8Array(32), bits: 0, after: new Uint8Array(32).fill(255) },
        real.profile
      )
    ).rejects.toThrow(AskError)
  })
})
