/** What of our own records is kept and sent: the client's side of publishing, against modelled peers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownRecord, rememberOwnRecord, type OwnRecord } from '../../../src/network/client/own-records.ts'
import { publish } from '../../../src/network/client/publish.ts'
import type { Peer } from '../../../src/network/peers.ts'
import type { PutOutcome } from '../../../src/network/types.ts'
import { buildGenesis, signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { documentStampSubject, encodeIdentityRecord } from '../../../src/protocol/identity/record.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { encodeManifestRecord, signManifest } from '../../../src/protocol/identity/manifest.ts'
import { encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { keys } from '../../../src/store/keys.ts'
import { MemoryStore } from '../../registry/claims/fakes.ts'
import { Lab } from '../lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../modelled-peers.ts'

const HOUR_MS = 60 * 60 * 1000

const lab = new Lab()
const START_MS = lab.nowMs()
const key = lab.owner('update')
const document = signIdentityDocument(
  buildGenesis({ keys: [key.publicKey], updateKeys: [key.publicKey] }, lab.profile),
  key,
  timeOf(START_MS),
  lab.profile
)
const log = verifyIdentityLog([document], lab.profile)

interface Holder extends Peer {
  held: Uint8Array | undefined
}

let store: MemoryStore
let holders: Holder[]
/** What a peer does with a put. */
let take: (holder: Holder, record: Uint8Array) => void
let nowMs: number
let fresh: boolean
/** Manifests that were judged off the event loop. */
let judged: number

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function manifest(version: number, until = START_MS + HOUR_MS): OwnRecord {
  const unsigned = {
    id: document.id,
    kid_version: 1,
    version,
    capabilities: [],
    validFrom: timeOf(START_MS),
    validUntil: timeOf(until)
  }
  return {
    kind: 'manifest',
    id: document.id,
    bytes: encodeManifestRecord(
      signManifest(unsigned, document.assertionMethod![0]!, key.secretKey, timeOf(START_MS), lab.profile)
    )
  }
}

function identity(round: number): OwnRecord {
  const stamp = { round, nonce: lab.stamp(documentStampSubject(document.id, round, lab.hash)) }
  return { kind: 'kid', id: document.id, bytes: encodeIdentityRecord({ log, stamp }) }
}

function published(record: OwnRecord): Promise<PutOutcome> {
  const peers = modelledPeers(
    () => holders,
    (holder, request) => {
      if (request.type === 'put') take(holder, request.record)
      return request.type === 'put'
        ? { type: 'stored' }
        : holder.held === undefined
          ? { type: 'none' }
          : { type: 'document', record: holder.held }
    }
  )
  const judge = {
    ...lab.pool,
    judgeManifest: (...question: Parameters<typeof lab.pool.judgeManifest>) => {
      judged++
      return lab.pool.judgeManifest(...question)
    }
  }
  const clock = { nowMs: () => nowMs, time: () => ({ now: lab.round, verified: lab.round, lapse: lab.round, fresh }) }
  return publish({ ...clientOf(lab, peers), judge }, { store, clock }, record)
}

const kept = ({ kind, id }: OwnRecord): Uint8Array | undefined => ownRecord(store, kind, id)

beforeEach(() => {
  store = new MemoryStore()
  nowMs = START_MS
  fresh = true
  judged = 0
  take = (holder, record) => (holder.held = record)
  holders = Array.from({ length: 4 }, (_, index) => ({ ...modelledPeer(index), held: undefined }))
})

afterEach(() => {
  store.close()
})

describe('a manifest', () => {
  it('is not sent where a newer one was published from here, which stays', async () => {
    await published(manifest(2))
    const outcome = await published(manifest(1))
    expect(outcome).toEqual({
      storedBy: 0,
      of: 0,
      refusals: [{ peer: 'self', code: 'stale', detail: 'a newer one was published here' }]
    })
    expect(kept(manifest(2))).toEqual(manifest(2).bytes)
    expect(holders.map(({ held }) => held)).toEqual(holders.map(() => manifest(2).bytes))
  })

  it('replaces an expired one of any version, but not by a clock that no pulse confirms', async () => {
    await published(manifest(2))
    nowMs = START_MS + 2 * HOUR_MS
    const next = manifest(1, START_MS + 3 * HOUR_MS)
    fresh = false
    expect(await published(next)).toMatchObject({ refusals: [{ code: 'stale' }] })
    fresh = true
    expect(await published(next)).toEqual({ storedBy: 4, of: 4, refusals: [] })
    expect(kept(next)).toEqual(next.bytes)
  })

  it('takes the place of one that cannot be read any more, which is set aside', async () => {
    rememberOwnRecord(store, { ...manifest(1), bytes: new Uint8Array([0x7b]) })
    expect(await published(manifest(1))).toMatchObject({ storedBy: 4 })
    expect(kept(manifest(1))).toEqual(manifest(1).bytes)
    expect(store.unreadable).toEqual([keys.ownRecord('manifest', document.id)])
  })

  it('that is read back is compared off the event loop with those that peers show', async () => {
    const [newer, older] = [manifest(3).bytes, manifest(1).bytes]
    take = (holder) => (holder.held = holder === holders[0] ? older : newer)
    expect(await published(manifest(2))).toMatchObject({ storedBy: 3, of: 4 })
    // Once whether it is one at all, once for the comparison, and what each has shown.
    expect(judged).toBe(2 + holders.length)
  })
})

describe('an identity', () => {
  it('is kept with its newest stamp, though its documents are the same', async () => {
    await published(identity(lab.round - 10))
    await published(identity(lab.round))
    expect(kept(identity(0))).toEqual(identity(lab.round).bytes)
  })
})

describe('a reveal', () => {
  const owner = lab.owner('one seed')
  const first = lab.reveal('alice.chronym', owner, { p: lab.round })
  const recordOf = (reveal: Reveal): OwnRecord => ({ kind: 'reveal', id: reveal.name, bytes: encodeReveal(reveal) })
  const [ours, theirs] = [3, 4].map((serial) => recordOf(lab.updated(first, owner, serial)))
  const toReveal = (): PutOutcome | Promise<PutOutcome> => published(ours!)

  it('counts as held where these bytes are read back', async () => {
    expect(await toReveal()).toMatchObject({ storedBy: 4, of: 4 })
  })

  it('does not count as held where peers show a newer one of our key that another node made', async () => {
    take = (holder) => (holder.held = theirs!.bytes)
    expect(await toReveal()).toMatchObject({ storedBy: 0, of: 4 })
  })

  it('counts as held where peers show what was published here since', async () => {
    take = (holder) => (holder.held = theirs!.bytes)
    rememberOwnRecord(store, theirs!)
    expect(await toReveal()).toMatchObject({ storedBy: 4, of: 4 })
  })
})
