/** Names with a check code among real nodes that lie, each at an address of its own. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Network } from '../../../src/network/types.ts'
import { checkCodeOf, codedId } from '../../../src/protocol/claim/check-code.ts'
import { recordKey } from '../../../src/protocol/claim/record-key.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { Lab, saltOf } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { Adversaries, diverseProfile, keepingNothing, showing } from './adversary.ts'

const NAME = 'wanted.chronym'
const K = 8

const lab = new Lab(diverseProfile(K))
const crowds = [new Adversaries(lab), new Adversaries(lab)] as const

afterEach(async () => {
  for (const crowd of crowds) await crowd.stop()
  await lab.close()
})

const addresses = (): string[] => lab.nodes.map(({ address }) => address)

/** The records that a look-up by the code of a claim shows. */
async function shown(network: Network, code: string): Promise<Reveal[]> {
  const { answers } = await network.getByCode(NAME, code)
  return answers.flatMap(({ reveal }) =>
    reveal !== undefined && checkCodeOf(reveal, lab.profile).startsWith(code) ? [reveal] : []
  )
}

describe('a name with a check code', () => {
  it('[a bare name taken by its neighbourhood] is found where nineteen lie and one holder is honest', async () => {
    const honest = await lab.addNodes(20, (index) => `127.${index + 1}.0.1`)
    const reveal = await lab.claim(honest[0]!, NAME, lab.owner('owner'))
    await honest[0]!.network.putReveal(reveal)
    const code = checkCodeOf(reveal, lab.profile)
    const thief = lab.reveal(NAME, lab.owner('thief'), { p: lab.round, salt: saltOf('thief') })

    // All eight nearest to the name show the thief's claim; seven of the eight nearest to the code hold nothing.
    await crowds[0].start(
      recordKey('reveal', NAME, lab.hash),
      K,
      (index) => `127.${100 + index}.0.1`,
      showing(thief, lab)
    )
    await crowds[1].start(
      recordKey('coded', codedId(NAME, code), lab.hash),
      K - 1,
      (index) => `127.${120 + index}.0.1`,
      keepingNothing()
    )
    for (const crowd of crowds) await crowd.connect(addresses())
    const newcomer = await lab.addNode({ mode: 'light', place: '127.200.0.1', bootstrap: addresses().slice(0, 2) })
    await waitFor(() => expect(newcomer.network.knownPeers()).toBeGreaterThanOrEqual(2 * K))

    const bare = await newcomer.network.getReveals(NAME, undefined, 'everybody')
    const owners = bare.answers.flatMap(({ reveal: each }) => each ?? []).map(({ pubkey }) => pubkey)
    expect(owners.filter((pubkey) => Buffer.compare(pubkey, thief.pubkey) === 0).length * 2).toBeGreaterThan(K)

    const found = await shown(newcomer.network, code.slice(0, 6))
    expect(found.length).toBeGreaterThan(0)
    for (const each of found) expect(each.pubkey).toEqual(reveal.pubkey)
    expect(await shown(newcomer.network, checkCodeOf(thief, lab.profile).slice(0, 6))).not.toContainEqual(reveal)
  })
})
