/** A commitment and a claim that nobody saw committed, which come to the holders in one round. Real nodes. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { Lab, type LabNode, saltOf } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { diverseProfile } from './adversary.ts'

const NAME = 'wanted.chronym'
const K = 6
const apart = (index: number): string => `127.${index + 1}.0.1`
const RESTARTED = sha256(utf8('restarted'))

let lab: Lab
let daemon: LabNode
let restarted: LabNode
let squatted: Reveal

beforeEach(async () => {
  lab = new Lab(diverseProfile(K))
  await lab.addNodes(K - 1, apart)
  restarted = await lab.addNode({ place: apart(K), seed: RESTARTED })
  daemon = await lab.addNode({ mode: 'light', place: apart(100) })
  await lab.connected(K - 1)
  squatted = lab.reveal(NAME, lab.owner('squatter'), { p: lab.round - 100, salt: saltOf('squatter') })
})

afterEach(() => lab.close())

async function seenByAll(who: string): Promise<void> {
  await waitFor(async () =>
    expect((await lab.commit(daemon, NAME, lab.owner(who), saltOf(who))).receipts).toHaveLength(K)
  )
}

const holders = (): LabNode[] => lab.nodes.filter((node) => node !== daemon)
const statesHeld = (): unknown[] => holders().map(({ network }) => network.heldHere(NAME)?.state)
const ownersHeld = (): unknown[] => holders().map(({ network }) => network.heldHere(NAME)?.claim.pubkey)
const ofAll = (value: unknown): unknown[] => Array.from({ length: K }, () => value)

/** The daemon may not have found the youngest peer at first. */
async function putToAll(record: Reveal): ReturnType<LabNode['network']['putReveal']> {
  return waitFor(async () => {
    const outcome = await daemon.network.putReveal(record)
    expect(outcome.of).toBe(K)
    return outcome
  })
}

async function squat(): Promise<void> {
  expect(await putToAll(squatted)).toMatchObject({ storedBy: K })
  expect(statesHeld()).toEqual(ofAll('provisional'))
}

/** The node begins again with what its disk has. */
async function restart(): Promise<void> {
  await lab.stopNode(restarted)
  await lab.addNode({ place: apart(K), seed: RESTARTED, directory: restarted.directory })
  await lab.connected(K - 1)
}

async function reveal(who: string): Promise<Reveal> {
  lab.advance(lab.profile.min_commit)
  const claim = lab.reveal(NAME, lab.owner(who), { p: lab.round, salt: saltOf(who) })
  await putToAll(claim)
  return claim
}

it('[a squatter in the round of the commitment] yields to it at every holder, over a restart too', async () => {
  const { round } = lab
  await seenByAll('owner')
  await squat()
  expect(lab.round).toBe(round)
  await restart()
  const own = await reveal('owner')
  expect(ownersHeld()).toEqual(ofAll(own.pubkey))
})

it('[a rival who commits after a slow owner] in the round in which the claim is shown comes too late', async () => {
  const { round } = lab
  await squat()
  await restart()
  await seenByAll('rival')
  expect(lab.round).toBe(round)
  await reveal('rival')
  expect(ownersHeld()).toEqual(ofAll(squatted.pubkey))
})
