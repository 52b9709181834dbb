/** How long a look-up of a name waits for peers that take longer than usual, modelled, and what they still decide. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getReveals } from '../../../src/network/client/get.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { LookupBreadth, RevealLookup } from '../../../src/network/types.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import type { GetAnswer } from '../../../src/network/wire/records.ts'
import { encodeReveal } from '../../../src/protocol/claim/reveal.ts'
import { orAborted } from '../../../src/util/concurrency.ts'
import { GRACE_MS } from '../../../src/util/wait-for-enough.ts'
import { Lab, labProfile } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const NAME = 'alice.chronym'
const WAIT_MS = 300
/** As long as a question may take. */
const SILENCE_MS = 10_000
const LOOK_UP_MS = 200

const lab = new Lab()
/** Where k diverse peers are wanted, so that a few make a thin answer. */
const young = new Lab(labProfile({ k: 20, answers_per_prefix: 2, answers_per_wide_prefix: 4 }))

const entryIn = (network: Lab, who = 'alice'): Extract<GetAnswer, { type: 'entry' }> => {
  const reveal = network.reveal(NAME, network.owner(who), { p: network.round })
  return { type: 'entry', state: 'settled', claim: network.claimId(reveal), record: encodeReveal(reveal) }
}
const ENTRY = entryIn(lab)
const NONE: GetAnswer = { type: 'none' }

interface Said {
  readonly answer: GetAnswer
  readonly afterMs: number
}
const now = (answer: GetAnswer): Said => ({ answer, afterMs: 0 })
const later = (answer: GetAnswer, afterMs: number): Said => ({ answer, afterMs })
const NEVER: Said = { answer: NONE, afterMs: Infinity }
const times = <T>(count: number, each: T): T[] => Array<T>(count).fill(each)

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

interface Scene {
  readonly network?: Lab
  readonly breadth?: LookupBreadth
  readonly found?: number
}

/** All peers are known; `found` of them, from the first on, by the look-up too. */
async function look(
  said: readonly Said[],
  { network = lab, breadth, found = said.length }: Scene = {}
): Promise<{ lookup: RevealLookup; votes: number; tookMs: number }> {
  const all = said.map((each, index) => ({ ...modelledPeer(index), ...each }))
  const after = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    const passing = new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
    return signal === undefined ? passing : orAborted(passing, signal)
  }
  const answerOf = async (peer: Peer, signal?: AbortSignal): Promise<GetAnswer> => {
    const { answer, afterMs } = all.find((each) => each.peer === peer.peer)!
    if (afterMs > 0) await after(Math.min(afterMs, SILENCE_MS), signal)
    if (afterMs > SILENCE_MS) throw new AskError('silent')
    return answer
  }
  const peers = modelledPeers(
    () => all,
    ({ answer }) => answer,
    {
      ask: (peer, _request, signal) => answerOf(peer, signal),
      waitMs: () => WAIT_MS,
      closest: async (_preimage, signal) => {
        await after(LOOK_UP_MS, signal)
        return all.slice(0, found)
      }
    }
  )
  const begunMs = Date.now()
  const timing = getReveals(clientOf(network, peers), NAME, undefined, breadth).then((lookup) => ({
    lookup,
    votes: lookup.answers.filter(({ state }) => state === 'settled').length,
    tookMs: Date.now() - begunMs
  }))
  await vi.advanceTimersByTimeAsync(3 * SILENCE_MS)
  return timing
}

const heard = (): void => undefined

/** A millisecond each for what setImmediate reads first. */
const SOON_MS = 5

describe('a peer that never answers', () => {
  it('is not waited for where nobody holds the name: those that the look-up finds say so', async () => {
    const { lookup, tookMs } = await look([...times(7, now(NONE)), NEVER], { found: 7 })
    expect(lookup.answers).toHaveLength(7)
    expect(tookMs - WAIT_MS - LOOK_UP_MS).toBeLessThan(SOON_MS)
  })

  it('is not waited for, nor are others, where the look-up finds those that answer', async () => {
    const { tookMs } = await look([...times(5, now(NONE)), ...times(3, NEVER)], { found: 5 })
    expect(tookMs - WAIT_MS - LOOK_UP_MS).toBeLessThan(SOON_MS)
  })

  it('is not waited for by those whose votes outnumber it, in a young network', async () => {
    const { votes, lookup, tookMs } = await look([...times(7, now(entryIn(young))), NEVER], { network: young })
    expect({ votes, asked: lookup.asked }).toEqual({ votes: 7, asked: 20 })
    expect(tookMs).toBeLessThan(WAIT_MS + LOOK_UP_MS + GRACE_MS)
  })

  it('is waited for a second longer, and named as silent, by those that show who answered what', async () => {
    const { lookup, votes, tookMs } = await look([...times(7, now(ENTRY)), NEVER], { breadth: 'punctual' })
    expect({ votes, silent: lookup.silent }).toEqual({
      votes: 7,
      silent: [{ peer: modelledPeer(7).peer, reason: 'late' }]
    })
    expect(tookMs - LOOK_UP_MS - WAIT_MS - GRACE_MS).toBeLessThan(SOON_MS)
  })

  it('is named by those that show who answered what, though the look-up passes over it', async () => {
    const { lookup } = await look([...times(7, now(NONE)), NEVER], { network: young, breadth: 'punctual', found: 7 })
    expect(lookup.silent).toEqual([{ peer: modelledPeer(7).peer, reason: 'late' }])
  })

  it('delays nobody where more than half agree', async () => {
    expect((await look([...times(7, now(ENTRY)), NEVER])).tookMs).toBe(0)
  })
})

describe('a peer that is late', () => {
  it('counts where the look-up finds it too', async () => {
    const { votes } = await look([...times(4, now(ENTRY)), ...times(3, now(NONE)), later(ENTRY, 600)])
    expect(votes).toBe(5)
  })

  it('may decide before the look-up has ended', async () => {
    const { votes, tookMs } = await look([...times(4, now(ENTRY)), ...times(3, now(NONE)), later(ENTRY, 350)], {
      found: 3
    })
    expect({ votes, tookMs }).toEqual({ votes: 5, tookMs: 350 })
  })

  it('is waited for another second where it makes an answer firm', async () => {
    const eleven = entryIn(young)
    const { votes } = await look([...times(10, now(eleven)), later(eleven, 1_200)], { network: young })
    expect(votes).toBe(11)
  })

  it('counts within a second, for those that show who answered what', async () => {
    const said = [...times(7, now(ENTRY)), later(ENTRY, 1_200)]
    expect((await look(said, { breadth: 'punctual' })).votes).toBe(8)
  })

  it.each(['majority', 'punctual'] as const)(
    'is waited for where it could outvote those that answer at once (%s)',
    async (breadth) => {
      const said = [...times(4, now(NONE)), now(ENTRY), ...times(3, later(ENTRY, 2_000))]
      expect((await look(said, { breadth })).votes).toBeGreaterThanOrEqual(2)
    }
  )

  it('is waited for where it could show that most hold another claim as provisional', async () => {
    const firm = entryIn(young, 'mallory')
    const provisional: GetAnswer = { ...entryIn(young), state: 'provisional' }
    const said = [...times(3, now(firm)), ...times(10, now(provisional)), later(provisional, 2_000)]
    expect((await look(said, { network: young })).lookup.answers).toHaveLength(14)
    const { lookup, tookMs } = await look(said.toSpliced(3, 6), { network: young })
    expect([lookup.answers.length, tookMs < 2_000], 'too few to be most').toEqual([7, true])
  })

  it('is waited for where more than a few are, however fast others deny the name', async () => {
    const { votes } = await look([...times(5, now(NONE)), ...times(3, later(ENTRY, 2_000))])
    expect(votes).toBe(3)
  })

  it('is waited for as long as it takes by those that ask everybody, or for a record', async () => {
    const said = [...times(7, now(NONE)), later(ENTRY, 2_000)]
    for (const breadth of ['everybody', { shows: () => true, heard, halfAnswered: heard }] as const)
      expect((await look(said, { breadth })).votes).toBe(1)
  })
})
