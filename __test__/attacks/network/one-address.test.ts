/**
 * One machine with one address and as many ids near a name as a record has holders. Real nodes, each honest one in its
 * own /16.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/protocol/encoding/bytes.ts'
import type { LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { showing, weighed } from './adversary.ts'
import { addresses, apart, crowd, lab, NAME, ONE_ADDRESS, place, setUp, stolen } from './crowd.ts'

const [K, HONEST, CROWD] = [8, 12, 8]

beforeEach(() => setUp(K))

/** The owners that the honest nodes hold the name for, each with its state. */
function held(nodes: readonly LabNode[]): { state: string; isOwners: boolean }[] {
  const owner = lab.owner('owner').publicKey
  return nodes
    .flatMap(({ network }) => network.heldHere(NAME) ?? [])
    .map(({ state, claim }) => ({ state, isOwners: equalBytes(claim.pubkey, owner) }))
}

/** Lets time pass a little at a time until the holders have settled, or the time for it is long over. */
async function settle(nodes: readonly LabNode[]): Promise<void> {
  await waitFor(() => {
    lab.advance(1)
    const states = held(nodes).map(({ state }) => state)
    expect(states.filter((state) => state === 'settled').length).toBeGreaterThanOrEqual(K)
    expect(states.filter((state) => state === 'fresh')).toEqual([])
  })
}

describe('ids of one address around a name', () => {
  it('[ids of one address around a key] show no newcomer another owner of a settled name, and pin none', async () => {
    const honest = await lab.addNodes(HONEST, apart)
    const reveal = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
    expect((await honest[0]!.network.putReveal(reveal)).storedBy).toBeGreaterThanOrEqual(K)
    await settle(honest)
    await crowd.start(place(), CROWD, () => ONE_ADDRESS, showing(stolen(), lab))
    await crowd.connect(addresses())
    const newcomer = await lab.addNode({ mode: 'light', place: '127.100.0.1', bootstrap: addresses().slice(0, 2) })
    await waitFor(() => expect(newcomer.network.knownPeers()).toBeGreaterThanOrEqual(K))
    for (const breadth of ['majority', 'everybody'] as const) {
      const found = weighed(await newcomer.network.getReveals(NAME, undefined, breadth), lab)
      expect(found).toMatchObject({ kind: 'owner', thin: false, settled: true })
      expect(found.kind === 'owner' && equalBytes(found.owner.pubkey, reveal.pubkey)).toBe(true)
    }
  })

  it('[a claim that one address shows at every holder] does not settle in place of one in contest', async () => {
    const honest = await lab.addNodes(HONEST, apart)
    const reveal = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
    await honest[0]!.network.putReveal(reveal)
    await crowd.start(place(), CROWD, () => ONE_ADDRESS, showing(stolen(), lab))
    await crowd.connect(addresses())
    await settle(honest)
    expect(held(honest).filter(({ state, isOwners }) => state === 'settled' && !isOwners)).toEqual([])
  })
})

describe('ids of one address at the owner', () => {
  const [FEW, MANY] = [6, 8]

  beforeEach(() => setUp(20))

  it('[silent ids of one address] keep nobody from committing', async () => {
    const honest = await lab.addNodes(FEW, apart)
    await crowd.start(place(), MANY, () => ONE_ADDRESS, {})
    await crowd.connect(addresses())
    const { receipts, of } = await lab.commit(honest[0]!, NAME, lab.owner('owner'))
    expect(receipts.length * 2).toBeGreaterThan(of)
    expect(of).toBeLessThanOrEqual(FEW + 1)
  })

  it('[ids of one address that keep nothing] do not keep a record from being published', async () => {
    const honest = await lab.addNodes(FEW, apart)
    await crowd.start(place(), MANY, () => ONE_ADDRESS, {
      put: () => ({ type: 'stored' }),
      get: () => ({ type: 'none' })
    })
    await crowd.connect(addresses())
    const reveal = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
    const { storedBy, of } = await honest[0]!.network.putReveal(reveal)
    expect(storedBy * 2).toBeGreaterThan(of)
    expect(of).toBeLessThanOrEqual(FEW + 1)
  })
})

it('[the first peer that a newcomer meets] decides nothing alone, though it names nobody else', async () => {
  await lab.addNodes(2, apart)
  await crowd.start(place(), 1, () => ONE_ADDRESS, showing(stolen(), lab))
  const newcomer = await lab.addNode({
    mode: 'light',
    place: '127.100.0.1',
    bootstrap: crowd.nodes[0]!.getMultiaddrs().map(String)
  })
  await waitFor(() => expect(newcomer.network.knownPeers()).toBe(1))
  expect(weighed(await newcomer.network.getReveals(NAME), lab)).toMatchObject({ kind: 'owner', thin: true })
})
