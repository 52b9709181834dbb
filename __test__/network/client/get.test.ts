/** Who was asked for a name and what came of it: the client's side of a look-up, against modelled peers. */
import { describe, expect, it } from 'vitest'
import { getReveals } from '../../../src/network/client/get.ts'
import type { LookupBreadth } from '../../../src/network/types.ts'
import type { GetAnswer } from '../../../src/network/wire/records.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { highestSerial } from '../../../src/protocol/claim/claim.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers, type Lost } from '../modelled-peers.ts'

const NAME = 'alice.chronym'
const lab = new Lab()
const alice = lab.owner('alice')
const reveal = lab.reveal(NAME, alice, { p: lab.round })
const claim = lab.claimId(reveal)
const ENTRY: GetAnswer = { type: 'entry', state: 'settled', claim, record: encodeReveal(reveal) }
const FORGED: GetAnswer = { ...ENTRY, record: encodeReveal({ ...reveal, signature: new Uint8Array(64) }) }

interface Table {
  /** How many of the peers, from the first on, the routing table knows within the reach of k. */
  readonly known: number
  readonly networkSize: number
  readonly breadth: LookupBreadth
  /** All are of one machine, as their answers show: this many count. */
  readonly counting?: number
}

/** Peers that answer in this order, all found by a look-up; `lost` gives no answer. */
async function lookUp(
  answers: readonly (GetAnswer | Lost)[],
  { known, networkSize, breadth, counting }: Table = { known: 0, networkSize: 300, breadth: 'everybody' }
) {
  const asked = answers.map((answer, index) => ({ ...modelledPeer(index), peer: `peer-${index}`, answer }))
  const penalised: string[] = []
  const log: string[] = []
  const peers = modelledPeers(
    () => asked,
    (peer) => {
      log.push(peer.peer)
      return peer.answer
    },
    {
      networkSize: () => networkSize,
      within: () => asked.slice(0, known),
      closest: () => {
        log.push('look-up')
        return Promise.resolve(asked)
      },
      diverse: (all) =>
        all.slice(0, counting !== undefined && all.every(({ peer }) => log.includes(peer)) ? counting : undefined),
      penalise: ({ peer }) => penalised.push(peer)
    }
  )
  return { ...(await getReveals(clientOf(lab, peers), NAME, undefined, breadth)), penalised, log }
}

const FOR_A_RECORD: LookupBreadth = {
  shows: ({ name }) => name === NAME,
  heard: () => undefined,
  halfAnswered: () => undefined
}

describe('a look-up', () => {
  it('counts no more answers of one machine than it may, though where they come from shows only then', async () => {
    const crowd = Array<GetAnswer>(8).fill(ENTRY)
    const table = { known: 8, networkSize: 9, counting: 2 }
    for (const breadth of ['everybody', 'majority'] as const) {
      const { answers, leftOut, log } = await lookUp(crowd, { ...table, breadth })
      expect([answers.length, leftOut]).toEqual([2, 6])
      expect(new Set(log).size, 'two of eight are no majority, so all are asked, and looked up').toBe(9)
    }
  })

  it('tells who gave no answer that counts, and why', async () => {
    const { answers, asked, silent, networkSize, penalised } = await lookUp([
      ENTRY,
      'lost',
      { type: 'busy' },
      { type: 'refused', code: 'full', detail: '' },
      FORGED,
      { type: 'none' }
    ])
    expect(answers.map(({ peer, state }) => [peer, state]).sort()).toEqual([
      ['peer-0', 'settled'],
      ['peer-5', 'none']
    ])
    expect(silent.map(({ peer, reason }) => [peer, reason]).sort()).toEqual([
      ['peer-1', 'no-answer'],
      ['peer-2', 'busy'],
      ['peer-3', 'no-answer'],
      ['peer-4', 'invalid']
    ])
    expect([asked, networkSize, penalised]).toEqual([6, 300, ['peer-4']])
  })

  it('[a serial ahead of time] shows no more than the claim, and is held against nobody', async () => {
    const jumped = lab.updated(reveal, alice, highestSerial({ verified: lab.round }, lab.profile) + 1)
    const { answers, penalised } = await lookUp([{ ...ENTRY, record: encodeReveal(jumped) }, ENTRY])
    expect(answers).toMatchObject([
      { claimId: claim, state: 'settled' },
      { claimId: claim, state: 'settled', reveal }
    ])
    expect(answers[0]).not.toHaveProperty('reveal')
    expect(penalised).toEqual([])
  })

  it("asks the table's peers without a look-up, where more than half of the holders agree", async () => {
    const { answers, asked, log } = await lookUp(Array<GetAnswer>(20).fill(ENTRY), {
      known: 16,
      networkSize: 21,
      breadth: 'majority'
    })
    expect(log).not.toContain('look-up')
    expect([log.length, asked]).toEqual([16, 20])
    expect(answers.length).toBeGreaterThan(10)
  })

  it('counts those of the table against all who should hold the name, and asks the others as well', async () => {
    const ten = Array<GetAnswer>(10).fill(ENTRY)
    const { answers, asked, log } = await lookUp([...ten, ...Array<GetAnswer>(10).fill({ type: 'none' })], {
      known: 15,
      networkSize: 21,
      breadth: 'majority'
    })
    expect(log.filter((what) => what === 'look-up')).toEqual(['look-up'])
    expect(new Set(log).size).toBe(log.length)
    expect([answers.length, asked]).toEqual([20, 20])
  })

  it('believes no table that nobody holds the name', async () => {
    const { log, answers } = await lookUp(
      [...Array<GetAnswer>(12).fill({ type: 'none' }), ...Array<GetAnswer>(8).fill(ENTRY)],
      { known: 12, networkSize: 21, breadth: 'majority' }
    )
    expect(log).toContain('look-up')
    expect(answers.filter(({ state }) => state === 'settled')).toHaveLength(8)
  })

  it('for a record looks no further where the table has answered and one shows it', async () => {
    const lone = [...Array<GetAnswer>(10).fill({ type: 'none' }), ENTRY, ...Array<GetAnswer>(9).fill({ type: 'none' })]
    const { answers, log } = await lookUp(lone, { known: 20, networkSize: 21, breadth: FOR_A_RECORD })
    expect(log).not.toContain('look-up')
    expect(answers.filter(({ reveal }) => reveal !== undefined)).toHaveLength(1)
    const hidden = await lookUp(lone.toSpliced(10, 1), { known: 19, networkSize: 21, breadth: FOR_A_RECORD })
    expect(hidden.log, 'nobody of the table shows it').toContain('look-up')
  })

  it('[an older record shown again] by a majority of the table does not end a look-up for a record', async () => {
    const newest: GetAnswer = { ...ENTRY, record: encodeReveal(lab.updated(reveal, alice, 2)) }
    const liars = Array<GetAnswer>(19).fill(ENTRY)
    const { answers, log } = await lookUp([...liars, newest], { known: 19, networkSize: 300, breadth: FOR_A_RECORD })
    expect(log).toContain('look-up')
    expect(answers.flatMap(({ reveal: each }) => (each === undefined ? [] : encodeReveal(each)))).toContainEqual(
      newest.record
    )
  })

  it('asks nobody of a table that knows too few, nor when everybody is wanted', async () => {
    const all = Array<GetAnswer>(20).fill(ENTRY)
    expect((await lookUp(all, { known: 10, networkSize: 10_000, breadth: 'majority' })).log[0]).toBe('look-up')
    expect((await lookUp(all, { known: 20, networkSize: 21, breadth: 'everybody' })).log[0]).toBe('look-up')
  })
})
