/** What counts as stored: the client's side of a put, against modelled peers. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { put } from '../../../src/network/client/publish.ts'
import type { Holder } from '../../../src/network/holder/holder.ts'
import { OfflineError } from '../../../src/network/types.ts'
import type { Peer, Peers } from '../../../src/network/peers.ts'
import { positionOf } from '../../../src/network/table.ts'
import { distance, recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../modelled-peers.ts'

/** Longer than a put waits for the last ones. */
const LATE_MS = 3000

const RECORD = utf8('the record')
const lab = new Lab()
const KEY = recordKey('kid', 'did:x', lab.hash)

interface Model extends Peer {
  held: Uint8Array | undefined
  puts: number
  /** Answers to puts in order; after them it stores. 'late': it stores after some seconds. 'never': it does not answer. */
  readonly answers: ('busy' | 'lost' | 'refused' | 'late' | 'never')[]
}

function model(index: number): Model {
  return { ...modelledPeer(index), held: undefined, puts: 0, answers: [] }
}

/** Nearest first. */
function neighbourhood(count: number): Model[] {
  return Array.from({ length: count }, (_, index) => model(index)).sort(
    (left, right) => distance(KEY, positionOf(left.id)) - distance(KEY, positionOf(right.id))
  )
}

/** `closest` finds `looked`; `all` share the blinded prefix. */
function network(all: readonly Model[], looked: readonly Model[] = all): Peers {
  return modelledPeers(
    () => all,
    async (asked, request) => {
      if (request.type === 'get')
        return asked.held === undefined ? { type: 'none' } : { type: 'document', record: asked.held }
      if (request.type !== 'put') throw new Error(request.type)
      asked.puts++
      const answer = asked.answers.shift()
      if (answer === 'lost') return 'lost'
      if (answer === 'busy') return { type: 'busy' }
      if (answer === 'refused') return { type: 'refused', code: 'full', detail: 'no room' }
      if (answer === 'never') return new Promise(() => undefined)
      if (answer === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS))
      asked.held = request.record
      return { type: 'stored' }
    },
    { closest: () => Promise.resolve([...looked]) }
  )
}

function store(peers: Peers): ReturnType<typeof put> {
  return put(clientOf(lab, peers), {
    kind: 'kid',
    id: 'did:x',
    bytes: RECORD,
    isSatisfiedBy: () => Promise.resolve(false)
  })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a put', () => {
  it('of a node that has met none of its peers yet is not its own majority', async () => {
    const held: Uint8Array[] = []
    const alone = {
      put: (_kind: string, record: Uint8Array) => Promise.resolve({ type: 'stored', count: held.push(record) }),
      get: () => (held[0] === undefined ? { type: 'none' } : { type: 'document', record: held[0] })
    } as unknown as Holder
    const parts = { ...clientOf(lab, network([])), holder: () => alone }
    const outgoing = { kind: 'kid', id: 'did:x', bytes: RECORD, isSatisfiedBy: () => Promise.resolve(false) } as const
    await expect(put({ ...parts, expectsOthers: true }, outgoing)).rejects.toThrow(OfflineError)
    expect(held).toEqual([])
    expect(await put(parts, outgoing)).toMatchObject({ storedBy: 1, of: 1 })
  })

  it('in a small network is sent to all, and counts who shows it', async () => {
    const all = neighbourhood(5)
    all[4]!.answers.push('refused', 'refused', 'refused', 'refused')
    expect(await store(network(all))).toMatchObject({ storedBy: 4, of: 5, refusals: [{ code: 'full' }] })
    expect(all.map(({ puts }) => puts)).toEqual([1, 1, 1, 1, 1])
  })

  it('is not stored by those who only say so', async () => {
    const all = neighbourhood(3)
    for (const liar of all) Object.defineProperty(liar, 'held', { get: () => undefined, set: () => undefined })
    expect(await store(network(all))).toMatchObject({ storedBy: 0, of: 3 })
  })

  it('[a look-up led astray] goes on until those that only other look-ups find have it as well', async () => {
    const honest = neighbourhood(12)
    for (const { answers } of honest) answers.push('lost')
    const crowd = Array.from({ length: 20 }, (_, index) => model(100 + index))
    const outcome = await store(network([...honest, ...crowd], crowd))
    expect(honest.filter(({ held }) => held !== undefined).length).toBeGreaterThan(0)
    // Those within the reach of k of the 32, and the crowd that was found.
    const reached = honest.filter(({ puts }) => puts > 0)
    expect(reached.every(({ puts }) => puts === 2)).toBe(true)
    expect(outcome).toEqual({
      storedBy: crowd.length + reached.length,
      of: crowd.length + reached.length,
      refusals: []
    })
    expect(crowd.every(({ puts }) => puts === 1)).toBe(true)
  })

  it('is sent twice to those that keep nothing and that only other look-ups find', async () => {
    const all = neighbourhood(5)
    const [liar] = all
    Object.defineProperty(liar, 'held', { get: () => undefined, set: () => undefined })
    expect(await store(network(all, all.slice(1)))).toMatchObject({ storedBy: 4, of: 5 })
    expect(all.map(({ puts }) => puts)).toEqual([2, 1, 1, 1, 1])
  })

  it('looks up once by its key, and once around it at the same time', async () => {
    const all = neighbourhood(2)
    all[0]!.answers.push('busy')
    const peers = network(all)
    const lookedUp: string[] = []
    const around = Promise.withResolvers<undefined>()
    const outcome = store({
      ...peers,
      // Neither waits for the other.
      closest: async (preimage) => {
        lookedUp.push('its key')
        await around.promise
        return peers.closest(preimage)
      },
      neighbourhood: (key) => {
        lookedUp.push('around it')
        around.resolve(undefined)
        return peers.neighbourhood(key)
      }
    })
    expect(await outcome).toMatchObject({ storedBy: 2, of: 2 })
    expect(lookedUp.toSorted()).toEqual(['around it', 'its key'])
  })

  it('waits for a busy peer, and tries again', async () => {
    const all = neighbourhood(2)
    all[0]!.answers.push('busy', 'busy')
    all[1]!.answers.push('lost')
    expect(await store(network(all))).toEqual({ storedBy: 2, of: 2, refusals: [] })
    expect([all[0]!.puts, all[1]!.puts]).toEqual([3, 2])
  })
  it('is not sent again to those who are busy with it, whose word decides', async () => {
    vi.useFakeTimers()
    const all = neighbourhood(5)
    all[0]!.answers.push('refused')
    for (const late of all.slice(1, 3)) late.answers.push('late')
    const outcome = store(network(all))
    await vi.advanceTimersByTimeAsync(2 * LATE_MS)
    expect(await outcome).toMatchObject({ storedBy: 4, of: 5, refusals: [{ code: 'full' }] })
    expect(all.map(({ puts }) => puts)).toEqual([1, 1, 1, 1, 1])
  })

  it('is resent to peers that were busy, while others are still working', async () => {
    const all = neighbourhood(5)
    for (const busy of all.slice(0, 2)) busy.answers.push('busy')
    all[2]!.answers.push('never')
    expect(await store(network(all))).toMatchObject({ storedBy: 4, of: 5, refusals: [{ code: 'no-answer' }] })
    expect(all.map(({ puts }) => puts)).toEqual([2, 2, 1, 1, 1])
  })
})
