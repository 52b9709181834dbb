import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Lab, type LabNode } from '../network/lab.ts'
import { waitFor } from '../wait-for.ts'

let lab: Lab
let nodes: LabNode[]

beforeAll(async () => {
  lab = new Lab()
  nodes = await lab.addNodes(8)
})

afterAll(() => lab.close())

describe('eight nodes', () => {
  it('all witness a commitment and all hold the reveal', async () => {
    const owner = lab.owner('alice')
    const { receipts, of } = await lab.commit(nodes[0]!, 'eight.chronym', owner)
    expect([receipts.length, of]).toEqual([8, 8])
    lab.advance(lab.profile.min_commit)
    const reveal = lab.reveal('eight.chronym', owner, { p: lab.round })
    expect(await nodes[0]!.network.putReveal(reveal)).toEqual({ storedBy: 8, of: 8, refusals: [] })
    const found = await nodes[7]!.network.getReveals('eight.chronym')
    // More than half of eight agree, which ends the look-up.
    expect(found.answers.filter(({ state }) => state === 'fresh').length).toBeGreaterThanOrEqual(5)
    for (const answer of found.answers) expect(answer.reveal).toEqual(reveal)
    const everybody = await nodes[7]!.network.getReveals('eight.chronym', undefined, 'everybody')
    expect(everybody.answers).toHaveLength(8)
  })

  it('take a newcomer in, which adopts what they agree on', async () => {
    const newcomer = await lab.addNode()
    await lab.connected()
    lab.advance(lab.profile.contest + 60)
    await waitFor(async () => {
      const own = (await newcomer.network.getReveals('eight.chronym')).answers.find(({ self }) => self)!
      expect(own.state).not.toBe('none')
      expect(own.state).not.toBe('provisional')
    })
  })

  it('go on when three of them are gone at once', async () => {
    for (const node of nodes.slice(0, 3)) await lab.stopNode(node)
    const survivor = nodes[4]!.network
    expect((await survivor.getReveals('eight.chronym')).answers.some(({ state }) => state !== 'none')).toBe(true)
    const reveal = await lab.claim(nodes[5]!, 'after.chronym', lab.owner('carol'))
    const outcome = await survivor.putReveal(reveal)
    expect(outcome).toEqual({ storedBy: 6, of: 6, refusals: [] })
  })
})
