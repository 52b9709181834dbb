/** Ids that visit from one address while nothing is at stake, and come back from others for a name. Real nodes. */
import { beforeEach, expect, it } from 'vitest'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { waitFor } from '../../wait-for.ts'
import { type Adversaries, keepingNothing, showing } from './adversary.ts'
import { addresses, apart, crowd, lab, NAME, ONE_ADDRESS, place, setUp, stolen } from './crowd.ts'

const [K, CROWD] = [8, 6]
/** Two of each /24, four of each /16. */
const rented = (index: number): string => `127.${201 + (index >> 2)}.${(index >> 1) & 1}.1`

beforeEach(() => setUp(K))

/** They connect to all honest nodes, and each of these has them in its routing table. */
async function visit(placeOf: (index: number) => string, handlers: Parameters<Adversaries['start']>[3]): Promise<void> {
  await crowd.start(place(), CROWD, placeOf, handlers)
  await crowd.connect(addresses())
  const ids = crowd.nodes.map(({ peerId }) => peerId.toString())
  await waitFor(() => {
    for (const { network } of lab.nodes) {
      const prefixes = new Map(network.peers().map(({ peer, prefix }) => [peer, prefix]))
      expect(ids.map((id) => prefixes.get(id))).toEqual(ids.map((_, index) => placeOf(index).replace(/1$/, '0/24')))
    }
  })
}

it('[stocked ids] come back as strangers: no holder follows them, and all settle the owner', async () => {
  const honest = await lab.addNodes(K, apart)
  await visit(() => ONE_ADDRESS, keepingNothing())
  await crowd.stop()
  lab.advance(lab.profile.provisional_settle + 1)

  const own = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
  const { storedBy } = await honest[0]!.network.putReveal(own)
  expect(storedBy).toBeGreaterThanOrEqual(K - 1)
  lab.advance(lab.profile.contest + 1)
  await visit(rented, showing(stolen(lab.round - 100), lab))

  const held = () => honest.map(({ network }) => network.heldHere(NAME))
  await waitFor(() => {
    lab.advance(1)
    expect(held().map((each) => each?.state)).toEqual(honest.map(() => 'settled'))
  })
  expect(held().map((each) => equalBytes(each!.claim.pubkey, own.pubkey))).toEqual(honest.map(() => true))
})
