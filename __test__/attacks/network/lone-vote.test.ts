/** One id beside holders of a claim that has not settled, which names another owner. Real nodes. */
import { beforeEach, expect, it } from 'vitest'
import { waitFor } from '../../wait-for.ts'
import { showing, weighed } from './adversary.ts'
import { addresses, apart, crowd, lab, NAME, place, setUp, stolen } from './crowd.ts'

const K = 8

beforeEach(() => setUp(K))

it('[a lone vote against a provisional claim] makes it contested, and is not shown as the owner', async () => {
  const honest = await lab.addNodes(K, apart)
  const own = lab.reveal(NAME, lab.owner('owner'), { p: lab.round - 200 })
  await honest[0]!.network.putReveal(own)
  expect(honest.map(({ network }) => network.heldHere(NAME)?.state)).toEqual(honest.map(() => 'provisional'))

  const thief = stolen(lab.round - 100)
  await crowd.start(place(), 1, () => '127.201.0.1', showing(thief, lab))
  await crowd.connect(addresses())
  const newcomer = await lab.addNode({ mode: 'light', place: '127.220.0.1', bootstrap: addresses() })
  await waitFor(async () => {
    for (const breadth of ['majority', 'punctual', 'everybody'] as const) {
      const seen = weighed(await newcomer.network.getReveals(NAME, undefined, breadth), lab)
      expect(seen).toMatchObject({
        kind: 'contested',
        candidates: [{ pubkey: own.pubkey }, { pubkey: thief.pubkey, votes: 1 }]
      })
    }
  })
})
