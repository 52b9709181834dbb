/**
 * Where peers are said to be: attacks by those who name others, at k = 20. Ids and addresses are made up; who answers
 * where is the test's.
 */
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { prefixOf } from '../../../src/network/transport/addresses.ts'
import { lookUp, type Found, type Named } from '../../../src/network/routing/look-up.ts'
import { positionOf } from '../../../src/network/table.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import { labProfile } from '../../network/lab.ts'
import { UNTIMED } from '../../network/modelled-peers.ts'

const K = 20
const PROFILE = labProfile({ k: K, answers_per_prefix: 2, answers_per_wide_prefix: 4 })
const KEY = sha256(utf8('a key that is looked up'))
const SECOND_MS = 1_000

/** Any 32 bytes are a public key to libp2p as long as they sign nothing. */
const idOf = (text: string): PeerId => peerIdFromPublicKey(publicKeyFromRaw(sha256(utf8(text))))
const away = (id: PeerId): number => distance(KEY, positionOf(id))
const idsOf = (text: string, count: number): PeerId[] =>
  Array.from({ length: count }, (_, index) => idOf(`${text} ${index}`)).sort((left, right) => away(left) - away(right))
const at = (id: PeerId, ...places: string[]): Named => ({
  id,
  addresses: places.map((place) => multiaddr(`/ip4/${place}/tcp/1`))
})

/** Nearest first, each in a /16 of its own. */
const HONEST = idsOf('honest', 200)
const honestly = (id: PeerId): Named => at(id, `10.${HONEST.findIndex((other) => other.equals(id))}.0.1`)
/** The peers that the look-up begins with: far from the key, but for the liar. */
const FAR = HONEST.slice(-3)
const LIAR = idsOf('liar', 1_000)[0]!
const ADDRESS_OF_LIAR = '192.0.2.1'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/**
 * Looks up as a node that knows a few peers, and the liar, who is nearer than all others. An empty address fails: at
 * once, or never.
 */
async function look(
  lies: readonly Named[],
  elsewhere: 'refused' | 'silent'
): Promise<Found & { readonly afterMs: number }> {
  const connected = new Map(FAR.map((id) => [id.toString(), prefixOf(honestly(id).addresses[0]!)]))
  const began = Date.now()
  const found = await settled(
    lookUp(KEY, {
      k: K,
      limits: PROFILE,
      isLongKnown: () => false,
      own: idOf('ourselves'),
      known: [LIAR, ...FAR],
      ...UNTIMED,
      prefixOf: ({ id, addresses }) =>
        connected.get(id.toString()) ?? (addresses[0] === undefined ? id.toString() : prefixOf(addresses[0])),
      ask({ id, addresses }) {
        if (id.equals(LIAR)) return Promise.resolve(lies)
        const isHonest = HONEST.some((other) => other.equals(id))
        const isThere =
          isHonest &&
          (addresses.length === 0 || addresses.some((address) => address.equals(honestly(id).addresses[0]!)))
        if (!isThere) return elsewhere === 'refused' ? Promise.resolve(undefined) : new Promise(() => undefined)
        connected.set(id.toString(), prefixOf(honestly(id).addresses[0]!))
        return Promise.resolve(HONEST.slice(0, K).map(honestly))
      }
    })
  )
  return { ...found, afterMs: Date.now() - began }
}

/** Lets time pass until it is settled. */
async function settled<T>(pending: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const noted = pending.finally(() => (state.isSettled = true))
  while (!state.isSettled) await vi.advanceTimersByTimeAsync(100)
  return noted
}

const honestOf = ({ peers }: Found): PeerId[] => peers.filter((id) => !id.equals(LIAR))

it.each(['refused', 'silent'] as const)(
  '[false addresses of honest peers] do not keep a look-up from them, be those %s, though they are named first',
  async (elsewhere) => {
    const nearest = HONEST.slice(0, K)
    const inOnePrefix = await look(
      nearest.map((id) => at(id, ADDRESS_OF_LIAR)),
      elsewhere
    )
    expect(honestOf(inOnePrefix)).toEqual(HONEST.slice(0, K - 1))
    const inMany = await look(
      nearest.map((id, index) => at(id, `172.${index}.0.1`)),
      elsewhere
    )
    expect(honestOf(inMany)).toEqual(HONEST.slice(0, K - 1))
    // The nearest six, three times each.
    const again = await look(
      [1, 2, 3].flatMap((times) => nearest.slice(0, 6).map((id, index) => at(id, `172.${index}.${times}.1`))),
      elsewhere
    )
    expect(honestOf(again)).toEqual(HONEST.slice(0, K - 1))
  }
)

it('[peers that nobody can reach] delay a look-up for seconds, and hide nobody', async () => {
  const madeUp = idsOf('made up', 20_000).slice(0, K)
  // Where honest ones are: they take the places of those first.
  const found = await look(
    madeUp.map((id, index) => at(id, `10.${index >> 1}.0.${2 + (index & 1)}`)),
    'silent'
  )
  expect(honestOf(found)).toEqual(HONEST.slice(0, K - 1))
  expect(found.isWhole).toBe(false)
  expect(found.afterMs).toBeLessThan(5 * SECOND_MS)
})
