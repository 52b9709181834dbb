/** Ids in prefixes of their own at which nobody can be dialled. Real nodes, each honest one in its own /16. */
import { expect, it } from 'vitest'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import { waitFor } from '../../wait-for.ts'
import { keepingNothing, showing, weighed } from './adversary.ts'
import { addresses, apart, crowd, lab, NAME, place, setUp, stolen } from './crowd.ts'

const elsewhere = (index: number): string => `127.${index + 150}.0.1`

it('[ids that nobody can dial] show a full resolver no other owner, and pin none', async () => {
  const [k, crowdSize] = [8, 8]
  setUp(k)
  const honest = await lab.addNodes(12, apart)
  const owner = lab.owner('owner')
  await honest[0]!.network.putReveal(await lab.claim(honest[0]!, NAME, owner))
  await waitFor(() => {
    lab.advance(1)
    const states = honest.map(({ network }) => network.heldHere(NAME)?.state)
    expect(states.filter((state) => state === 'settled').length).toBeGreaterThanOrEqual(k)
    expect(states).not.toContain('fresh')
  })
  await crowd.start(place(), crowdSize, elsewhere, showing(stolen(), lab), { isDialable: false })
  const resolver = await lab.addNode({ place: '127.100.0.1' })
  await waitFor(() => expect(resolver.network.knownPeers()).toBeGreaterThanOrEqual(k))
  await crowd.connect(addresses())
  // More than half of those that a look-up asks, if they counted. The keys decide which bucket is full for the last one.
  await waitFor(() => expect(resolver.network.peers().filter(isCrowd).length).toBeGreaterThanOrEqual(k / 2 + 1))
  for (const breadth of ['majority', 'everybody'] as const) {
    const found = weighed(await resolver.network.getReveals(NAME, undefined, breadth), lab)
    expect(found).toMatchObject({ kind: 'owner', settled: true })
    expect(found.kind === 'owner' && equalBytes(found.owner.pubkey, owner.publicKey)).toBe(true)
  }
})

it('[ids that nobody can dial] keep nobody from committing, nor a record from being published', async () => {
  const [few, crowdSize] = [10, 16]
  setUp(20)
  const honest = await lab.addNodes(few, apart)
  await crowd.start(
    place(),
    crowdSize,
    elsewhere,
    { ...keepingNothing(), commit: () => ({ type: 'busy' }) },
    { isDialable: false }
  )
  await crowd.connect([honest[0]!.address])
  await waitFor(() => expect(honest[0]!.network.peers().filter(isCrowd).length).toBeGreaterThan(few))
  const { receipts, of } = await lab.commit(honest[0]!, NAME, lab.owner('owner'))
  expect(receipts.length * 2).toBeGreaterThan(of)
  expect(of).toBeLessThanOrEqual(few)
  lab.advance(lab.profile.min_commit)
  const { storedBy, of: asked } = await honest[0]!.network.putReveal(
    lab.reveal(NAME, lab.owner('owner'), { p: lab.round })
  )
  expect(storedBy * 2).toBeGreaterThan(asked)
})

function isCrowd({ peer, isInTable }: { readonly peer: string; readonly isInTable: boolean }): boolean {
  return isInTable && crowd.nodes.some(({ peerId }) => peerId.toString() === peer)
}
