/** Names with a check code among real nodes that lie, each at an address of its own. */
import { peerIdFromString } from '@libp2p/peer-id'
import { afterEach, describe, expect, it } from 'vitest'
import { positionOf } from '../../../src/network/table.ts'
import type { GetAnswer } from '../../../src/network/wire/records.ts'
import type { Handlers } from '../../../src/network/wire/exchange.ts'
import { checkCodeOf, codedId } from '../../../src/protocol/claim/check-code.ts'
import { recordKey, distance } from '../../../src/protocol/neighbourhood/key-space.ts'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { Lab, saltOf } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { Adversaries, diverseProfile, keepingNothing, showing } from './adversary.ts'

const NAME = 'wanted.chronym'
const K = 20

const lab = new Lab(diverseProfile(K))
const crowds = [new Adversaries(lab), new Adversaries(lab)] as const

afterEach(async () => {
  for (const crowd of crowds) await crowd.stop()
  await lab.close()
})

const addresses = (): string[] => lab.nodes.map(({ address }) => address)

type Liar = Partial<Handlers>

/** Says that it holds something, and sends what is not a record. */
const garbage: Liar = { get: () => ({ type: 'entry', state: 'settled', claim: sha256(), record: new Uint8Array(647) }) }

/** Answers once the test is over. */
function slow(until: Promise<GetAnswer>): Liar {
  return { get: () => until }
}

describe('a name with a check code', () => {
  it('[a bare name taken by its neighbourhood] is found where nineteen lie and one holder is honest', async () => {
    const honest = await lab.addNodes(6, (index) => `127.${index + 1}.0.1`)
    const owner = lab.owner('owner')
    const former = await lab.claim(honest[0]!, NAME, owner)
    const newest = lab.updated(former, owner, 2)
    for (const each of [former, newest]) await honest[0]!.network.putReveal(each)
    const code = checkCodeOf(newest, lab.profile).slice(0, 6)
    const thief = lab.reveal(NAME, lab.owner('thief'), { p: lab.round, salt: saltOf('thief') })

    // All twenty nearest to the name show the thief's claim; of those nearest to the code one alone is honest.
    const over = Promise.withResolvers<GetAnswer>()
    const lies = [keepingNothing(), showing(thief, lab), showing(former, lab), garbage, slow(over.promise)]
    await crowds[0].start(
      recordKey('reveal', NAME, lab.hash),
      K,
      (index) => `127.${100 + index}.0.1`,
      showing(thief, lab)
    )
    const key = recordKey('coded', codedId(NAME, code), lab.hash)
    await crowds[1].start(
      key,
      K - 1,
      (index) => `127.${120 + index}.0.1`,
      (index) => lies[index % lies.length]!
    )
    const ours = honest.map(({ network }) => peerIdFromString(network.status().peer_id))
    const nearest = [...ours, ...crowds.flatMap(({ nodes }) => nodes.map(({ peerId }) => peerId))]
      .toSorted((one, other) => (distance(key, positionOf(one)) < distance(key, positionOf(other)) ? -1 : 1))
      .slice(0, K)
    expect(nearest.filter((id) => ours.some((each) => each.equals(id)))).toHaveLength(1)
    for (const crowd of crowds) await crowd.connect(addresses())
    const newcomer = await lab.addNode({ mode: 'light', place: '127.200.0.1', bootstrap: addresses().slice(0, 2) })
    await waitFor(() => expect(newcomer.network.knownPeers()).toBeGreaterThanOrEqual(K))

    try {
      const bare = await newcomer.network.getReveals(NAME, undefined, 'everybody')
      const owners = bare.answers.flatMap(({ reveal }) => reveal ?? []).map(({ pubkey }) => toHex(pubkey))
      expect(owners.filter((pubkey) => pubkey === toHex(thief.pubkey)).length * 2).toBeGreaterThan(K)

      const { answers } = await newcomer.network.getByCode(NAME, code)
      const fitting = answers.flatMap(({ reveal }) =>
        reveal !== undefined && checkCodeOf(reveal, lab.profile).startsWith(code) ? [reveal] : []
      )
      for (const { pubkey } of fitting) expect(pubkey).toEqual(newest.pubkey)
      expect(fitting).toContainEqual(former)
      expect(fitting).toContainEqual(newest)
    } finally {
      over.resolve({ type: 'none' })
    }
  })
})
