/** What a look at a name before its reveal may tell: nothing but the first bits of K. */
import { describe, expect, it } from 'vitest'
import { probe } from '../../../src/network/client/blinded.ts'
import type { ClientParts } from '../../../src/network/client/holders.ts'
import { encodeMessage, type Answer, type Request } from '../../../src/network/wire/messages.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey, sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const lab = new Lab()
const NAME = 'secret.chronym'
const K = recordKey('reveal', NAME, lab.hash)
const BITS = 3

/** One peer that answers as told; everything that is sent to it is kept. */
function network(answer: (request: Request) => Answer): { parts: ClientParts; sent: Request[]; penalised: string[] } {
  const peer = modelledPeer(0)
  const sent: Request[] = []
  const penalised: string[] = []
  const peers = modelledPeers(
    () => [peer],
    (_peer, request) => {
      sent.push(request)
      return answer(request)
    },
    {
      networkSize: () => 300,
      closest: () => Promise.reject(new Error('a look-up of K shows it')),
      neighbourhood: () => Promise.resolve({ peers: [peer], bits: BITS }),
      penalise: (_peer, reason) => penalised.push(reason)
    }
  )
  return { parts: clientOf(lab, peers), sent, penalised }
}

describe('probing a name', () => {
  it('[looking a name up announces it] sends only the blinded prefix, takes every page, compares here', async () => {
    const claim = new Uint8Array(32).fill(5)
    const last = new Uint8Array(32).fill(0xff)
    const { parts, sent } = network((request) =>
      request.type === 'list' && request.after === undefined
        ? {
            type: 'listed',
            entries: [
              { key: K, state: 'settled', claim },
              { key: last, state: 'fresh', claim }
            ],
            more: true
          }
        : { type: 'listed', entries: [], more: false }
    )
    const { answers } = await probe(parts, NAME)
    expect(answers).toMatchObject([{ state: 'settled', claimId: claim }])
    expect(sent.map(({ type }) => type)).toEqual(['list', 'list'])
    for (const request of sent) {
      if (request.type !== 'list') throw new Error('only lists are expected')
      expect(request.bits).toBe(BITS)
      expect(sharesPrefix(request.key, K, BITS)).toBe(true)
      expect(equalBytes(request.key, K)).toBe(false)
      expect(toHex(encodeMessage(request))).not.toContain(toHex(K))
    }
  })

  it('shows another random key each time', async () => {
    const { parts, sent } = network(() => ({ type: 'listed', entries: [], more: false }))
    await probe(parts, NAME)
    await probe(parts, NAME)
    const [one, two] = sent as Extract<Request, { type: 'list' }>[]
    expect(equalBytes(one!.key, two!.key)).toBe(false)
  })

  it('counts a peer that does not list as not having answered', async () => {
    const { parts } = network(() => ({ type: 'busy' }))
    expect(await probe(parts, NAME)).toEqual({
      answers: [],
      asked: 1,
      silent: [{ peer: expect.any(String), reason: 'no-answer' }],
      networkSize: 300,
      leftOut: 0
    })
  })
})
