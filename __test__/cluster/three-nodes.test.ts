import { afterEach, describe, expect, it } from 'vitest'
import { Lab } from '../network/lab.ts'

let lab: Lab

afterEach(() => lab.close())

describe('three nodes', () => {
  it('commit, store and resolve a name: what one puts, a third one gets', async () => {
    lab = new Lab()
    const [first, , third] = await lab.addNodes(3)
    const alice = lab.owner('alice')
    const commitment = lab.commitment('alice.chronym', alice)
    const committed = await first!.network.commit('alice.chronym', commitment, lab.stamp(commitment))
    expect(committed.of).toBe(3)
    expect(committed.receipts.map(({ seenRound }) => seenRound)).toEqual([lab.round, lab.round, lab.round])

    lab.advance(lab.profile.min_commit)
    const reveal = lab.reveal('alice.chronym', alice, { p: lab.round })
    expect(await first!.network.putReveal(reveal)).toEqual({ storedBy: 3, of: 3, refusals: [] })

    const found = await third!.network.getReveals('alice.chronym')
    expect(found.asked).toBe(3)
    expect(found.answers.length).toBeGreaterThanOrEqual(2)
    for (const answer of found.answers) expect(answer).toMatchObject({ state: 'fresh', reveal })
  })
})
