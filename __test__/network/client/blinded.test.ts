/** What a look at a name before its reveal may tell: nothing but the first bits of K. */
import { describe, expect, it } from 'vitest'
import { probe } from '../../../src/network/client/blinded.ts'
import { encodeMessage, type Request } from '../../../src/network/wire/messages.ts'
import { equalBytes, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey, sharesPrefix } from '../../../src/protocol/neighbourhood/key-space.ts'
import { Lab } from '../lab.ts'
import { LONE_PEER_BITS, lonePeer } from '../modelled-peers.ts'

const lab = new Lab()
const NAME = 'secret.chronym'
const K = recordKey('reveal', NAME, lab.hash)
describe('probing a name', () => {
  it('[looking a name up announces it] sends only the blinded prefix, takes every page, compares here', async () => {
    const claim = new Uint8Array(32).fill(5)
    const last = new Uint8Array(32).fill(0xff)
    const { parts, sent } = lonePeer(lab, (request) =>
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
      expect(request.bits).toBe(LONE_PEER_BITS)
      expect(sharesPrefix(request.key, K, LONE_PEER_BITS)).toBe(true)
      expect(equalBytes(request.key, K)).toBe(false)
      expect(toHex(encodeMessage(request))).not.toContain(toHex(K))
    }
  })

  it('shows another random key each time', async () => {
    const { parts, sent } = lonePeer(lab, () => ({ type: 'listed', entries: [], more: false }))
    await probe(parts, NAME)
    await probe(parts, NAME)
    const [one, two] = sent as Extract<Request, { type: 'list' }>[]
    expect(equalBytes(one!.key, two!.key)).toBe(false)
  })

  it('counts a peer that does not list as not having answered', async () => {
    const { parts } = lonePeer(lab, () => ({ type: 'busy' }))
    expect(await probe(parts, NAME)).toEqual({
      answers: [],
      asked: 1,
      silent: [{ peer: expect.any(String), reason: 'no-answer' }],
      networkSize: 300,
      leftOut: 0
    })
  })
})
