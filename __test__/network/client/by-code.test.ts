/** How long a look-up by code waits for its two places, modelled: an old record comes at once, the newest late. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getByCode } from '../../../src/network/client/get.ts'
import type { GetAnswer } from '../../../src/network/wire/records.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import { checkCodeOf } from '../../../src/protocol/claim/check-code.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { orAborted } from '../../../src/util/concurrency.ts'
import { Lab, labProfile } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const NAME = 'alice.chronym'
const K = 20
const SILENCE_MS = 10_000
const LATE_MS = 2_100

const lab = new Lab(labProfile({ k: K, answers_per_prefix: 2, answers_per_wide_prefix: 4 }))
const owner = lab.owner('alice')
const former = lab.reveal(NAME, owner, { p: lab.round })
const newest = lab.updated(former, owner, 2)
const code = checkCodeOf(former, lab.profile).slice(0, 6)

interface Said {
  readonly reveal?: Reveal
  readonly afterMs: number
}

const ATONCE: Said = { reveal: former, afterMs: 0 }
const LATE: Said = { reveal: newest, afterMs: LATE_MS }
const NEVER: Said = { afterMs: Infinity }
const times = (count: number, said: Said): Said[] => Array.from({ length: count }, () => said)

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function entry(reveal: Reveal | undefined): GetAnswer {
  if (reveal === undefined) return { type: 'none' }
  return { type: 'entry', state: 'settled', claim: lab.claimId(reveal), record: encodeReveal(reveal) }
}

/** The serials that it shows, and how long it took. Peer n is the n-th of both places. */
async function look(name: readonly Said[], coded: readonly Said[]): Promise<{ serials: Set<number>; tookMs: number }> {
  const all = Array.from({ length: K }, (_, index) => modelledPeer(index))
  const peers = modelledPeers(
    () => all,
    () => ({ type: 'none' }),
    {
      ask: async (peer, request, signal) => {
        if (request.type !== 'get') throw new AskError('asked for no record')
        const place = request.kind === 'coded' ? coded : name
        const { reveal, afterMs } = place[all.findIndex((each) => each.peer === peer.peer)]!
        if (afterMs > 0) {
          const passing = new Promise<void>((resolve) => setTimeout(resolve, Math.min(afterMs, SILENCE_MS)))
          await (signal === undefined ? passing : orAborted(passing, signal))
        }
        if (afterMs > SILENCE_MS) throw new AskError('silent')
        return entry(reveal)
      }
    }
  )
  const begunMs = Date.now()
  const looking = getByCode(clientOf(lab, peers), NAME, code).then(({ answers }) => ({
    serials: new Set(answers.flatMap(({ claim }) => (claim === undefined ? [] : [claim.serial]))),
    tookMs: Date.now() - begunMs
  }))
  await vi.advanceTimersByTimeAsync(4 * SILENCE_MS)
  return looking
}

/** A few milliseconds for what setImmediate reads first. */
const SOON_MS = 5

describe('a look-up by code', () => {
  it('[an older record shown again] by eleven at one place does not end before half of both have answered', async () => {
    const { serials, tookMs } = await look([...times(11, ATONCE), ...times(9, LATE)], times(K, LATE))
    expect([...serials].sort()).toEqual([1, 2])
    expect(tookMs).toBeLessThan(LATE_MS + SOON_MS)
  })

  it('[an older record shown again] by eleven is outdone by one that is late at their own place', async () => {
    const { serials } = await look(
      [...times(11, ATONCE), ...times(9, { afterMs: LATE_MS })],
      [...times(10, NEVER), LATE, ...times(9, { afterMs: LATE_MS })]
    )
    expect([...serials].sort()).toEqual([1, 2])
  })

  it('ends a second after half of both places have answered', async () => {
    const { serials, tookMs } = await look(
      [...times(11, ATONCE), ...times(9, NEVER)],
      [...times(11, LATE), ...times(9, NEVER)]
    )
    expect([...serials].sort()).toEqual([1, 2])
    expect(Math.abs(tookMs - LATE_MS - 1_000)).toBeLessThan(SOON_MS)
  })

  it('waits ten seconds at most for a place of which half are silent, and a second more', async () => {
    const { serials, tookMs } = await look(times(K, ATONCE), times(K, NEVER))
    expect([...serials]).toEqual([1])
    expect(tookMs).toBeLessThan(SILENCE_MS + 1_000 + SOON_MS)
  })

  it('ends at once where all have answered', async () => {
    expect((await look(times(K, ATONCE), times(K, ATONCE))).tookMs).toBeLessThan(SOON_MS)
  })
})
