/** Real libp2p nodes on loopback, each honest one in a /16 of its own. */
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { recordKey } from '../../../src/protocol/claim/record-key.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { NetworkProfile } from '../../../src/protocol/profile/profile.ts'
import { tally } from '../../../src/protocol/resolution/quorum.ts'
import { Adversaries, showing } from '../../attacks/network/adversary.ts'
import { Lab, saltOf, type LabNode } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { NAME, placeOf, placeOfLiar, rentedFrom } from './places.ts'
import { counted, type Look, type Put, type Side, type Size, type Who } from './side.ts'

const PEOPLE: readonly Who[] = ['owner', 'squatter', 'thief']

export async function realSide(profile: NetworkProfile, { nodes, k }: Size): Promise<Side> {
  const lab = new Lab(profile)
  const liars = new Adversaries(lab)
  const honest: LabNode[] = []
  for (let index = 0; index < nodes; index++) {
    const node = await lab.addNode({ place: placeOf(index) })
    honest.push(node)
    // One after the other: handshakes that all begin at once time out on one event loop.
    await waitFor(() => {
      if (index > 0 && node.network.knownPeers() === 0) throw new Error(`node ${index} knows nobody`)
    })
  }
  await lab.connected(Math.min(nodes - 1, k))
  const light = (index: number): Promise<LabNode> =>
    lab.addNode({
      mode: 'light',
      place: rentedFrom(index),
      bootstrap: honest.slice(0, 3).map(({ address }) => address)
    })
  const knowsEnough = ({ network }: LabNode): Promise<void> =>
    waitFor(() => {
      if (network.knownPeers() < k) throw new Error(`a light node knows ${network.knownPeers()} of ${k}`)
    })
  const owner = await light(0)
  await knowsEnough(owner)
  const records = new Map<Who, Reveal>()
  const recordOf = (who: Who): Reveal => {
    const record = records.get(who) ?? lab.reveal(NAME, lab.owner(who), { p: lab.round, salt: saltOf(who) })
    records.set(who, record)
    return record
  }
  const whose = (pubkey: Uint8Array): Who => PEOPLE.find((who) => toHex(lab.owner(who).publicKey) === toHex(pubkey))!
  let clients = 1

  return {
    async commit() {
      const { receipts, of } = await lab.commit(owner, NAME, lab.owner('owner'), saltOf('owner'))
      return { receipts: receipts.length, of }
    },
    advance(rounds) {
      lab.advance(rounds)
      return Promise.resolve()
    },
    async put(who): Promise<Put> {
      const at = who === 'owner' ? owner : await light(clients++)
      await knowsEnough(at)
      const { storedBy, of, refusals } = await at.network.putReveal(recordOf(who))
      return { storedBy, of, refusals: [...new Set(refusals.map(({ code }) => code))].sort() }
    },
    async look(): Promise<Look> {
      const node = await light(clients++)
      await knowsEnough(node)
      const { answers, asked, networkSize } = await node.network.getReveals(NAME, undefined, 'everybody')
      const votes = answers.map(({ peer, state, claim }) => ({
        peer,
        prefix: peer,
        ...(claim !== undefined && state !== 'none' && { held: { claim, state } })
      }))
      const seen = tally(votes, { asked: Math.max(votes.length, asked), done: true }, profile)
      const shown = seen.kind === 'owner' ? whose(seen.owner.pubkey) : seen.kind === 'undecided' ? 'silence' : seen.kind
      return { shown, asked, answered: answers.length, networkSize }
    },
    holders() {
      return counted(
        honest.flatMap(({ network }) => network.heldHere(NAME) ?? []).map(({ claim }) => whose(claim.pubkey))
      )
    },
    async lie(count) {
      const key = recordKey('reveal', NAME, lab.hash)
      await liars.start(key, count, placeOfLiar, showing(recordOf('thief'), lab), liars.nodes.length)
      await liars.connect(honest.map(({ address }) => address))
    },
    settle: () =>
      waitFor(() => {
        lab.advance(1)
        for (const { network } of honest) {
          const state = network.heldHere(NAME)?.state
          if (state !== undefined && state !== 'settled') throw new Error(`a holder is ${state}`)
        }
      }),
    async close() {
      await liars.stop()
      await lab.close()
    }
  }
}
