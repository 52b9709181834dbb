/** Ids that somebody rents in the prefixes of honest nodes, nearer to a name than these. Real nodes. */
import { beforeEach, expect, it } from 'vitest'
import type { LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { showing, weighed } from './adversary.ts'
import { addresses, crowd, lab, NAME, place, setUp, stolen } from './crowd.ts'

const [K, NODES] = [12, 8]
/** Two of each /24, four of each /16: as many as count. */
const home = (index: number): string => `127.${201 + (index >> 2)}.${(index >> 1) & 1}.1`
/** As many again, in other /24 of the same /16. */
const rented = (index: number): string => `127.${201 + (index >> 2)}.${2 + ((index >> 1) & 1)}.1`

beforeEach(() => setUp(K))

/** The honest nodes know each other for `settle`. */
async function acquainted(): Promise<LabNode[]> {
  const honest = await lab.addNodes(NODES, home)
  lab.advance(lab.profile.settle + 1)
  return honest
}

/** The ids come, and each honest node has them in its routing table. */
async function come(honest: readonly LabNode[]): Promise<void> {
  await crowd.start(place(), NODES, rented, showing(stolen(lab.round - 100), lab))
  await crowd.connect(addresses())
  const ids = crowd.nodes.map(({ peerId }) => peerId.toString())
  await waitFor(() => {
    for (const { network } of honest) {
      const prefixes = new Map(network.peers().map(({ peer, prefix }) => [peer, prefix]))
      expect(ids.map((id) => prefixes.get(id))).toEqual(ids.map((_, index) => rented(index).replace(/1$/, '0/24')))
    }
  })
}

const ownersHeldBy = (nodes: readonly LabNode[]): (Uint8Array | undefined)[] =>
  nodes.map(({ network }) => network.heldHere(NAME)?.claim.pubkey)

it('[ids in the prefixes of honest nodes] show no holder another claim while the owner reveals', async () => {
  const honest = await acquainted()
  const own = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
  await come(honest)
  await honest[0]!.network.putReveal(own)
  expect(ownersHeldBy(honest)).toEqual(honest.map(() => own.pubkey))
})

it('[ids in the prefixes of honest nodes] take no vote for a settled name at nodes that know each other', async () => {
  const honest = await acquainted()
  const own = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
  await honest[0]!.network.putReveal(own)
  lab.advance(lab.profile.contest + 1)
  await waitFor(() => {
    lab.advance(1)
    expect(honest.map(({ network }) => network.heldHere(NAME)?.state)).toEqual(honest.map(() => 'settled'))
  })
  await come(honest)
  for (const { network } of honest) {
    for (const breadth of ['majority', 'everybody'] as const) {
      const found = weighed(await network.getReveals(NAME, undefined, breadth), lab)
      expect(found).toMatchObject({ kind: 'owner', owner: { pubkey: own.pubkey }, thin: false, settled: true })
    }
  }
})
