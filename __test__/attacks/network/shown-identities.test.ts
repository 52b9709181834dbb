/** Attacks on the resolution of an identity, each under its name in docs/protocol/. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getDocuments } from '../../../src/network/client/get.ts'
import type { Peer, Peers } from '../../../src/network/peers.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { diverse, diverseFirst } from '../../../src/protocol/neighbourhood/diversity.ts'
import { canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import {
  buildGenesis,
  buildNextVersion,
  signIdentityDocument,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { encodeIdentityEnvelope } from '../../../src/protocol/identity/record.ts'
import { verifyIdentityLog, type IdentityLogOutline } from '../../../src/protocol/identity/log.ts'
import { foldShown, isAsNewAs, SeenIdentities } from '../../../src/registry/identities/seen-identities.ts'
import { prefixes } from '../../../src/store/keys.ts'
import { Lab, labProfile } from '../../network/lab.ts'
import { clientOf, modelledPeer, modelledPeers } from '../../network/modelled-peers.ts'
import { keyOf } from '../../protocol/fixtures.ts'
import { FakeWorld } from '../../registry/fake-world.ts'
import { profile } from '../../registry/test-profile.ts'
import { startNode, type TestNode } from '../../registry/test-node.ts'
import { code } from '../../registry/workbench.ts'
import { MemoryStore } from '../../registry/claims/fakes.ts'
import { ManualClock } from '../../time/manual-clock.ts'

const CREATED = '2026-01-01T00:00:00Z'
const [ROTATED_OUT, CURRENT, RECOVERY, ASSERTION] = ['rotated out', 'current', 'recovery', 'assertion'].map(keyOf) as [
  Key,
  Key,
  Key,
  Key
]
type Key = ReturnType<typeof keyOf>

const uri = (text: string): [string] => [`https://${text}.example`]
const next = (former: IdentityDocument, text: string, key: Key, keys: Key[] = []): IdentityDocument =>
  signIdentityDocument(
    buildNextVersion(former, {
      alsoKnownAs: uri(text),
      ...(keys[0] && { updateKeys: [encodeMultikey(keys[0].publicKey)] })
    }),
    key,
    CREATED,
    profile
  )

const GENESIS = signIdentityDocument(
  buildGenesis(
    { keys: [ASSERTION.publicKey], updateKeys: [ROTATED_OUT.publicKey], recoveryKeys: [RECOVERY.publicKey] },
    profile
  ),
  ROTATED_OUT,
  CREATED,
  profile
)
const SECOND = next(GENESIS, 'rotated', ROTATED_OUT, [CURRENT])
const THIRD = next(SECOND, 'third', CURRENT)
/** What a thief of the key that was rotated out can sign. */
const FORK = next(GENESIS, 'thief', ROTATED_OUT)
const LONG_FORK = [GENESIS, FORK]
while (LONG_FORK.length < 20) LONG_FORK.push(next(LONG_FORK.at(-1)!, `thief${LONG_FORK.length}`, ROTATED_OUT))
const RECOVERED = next(GENESIS, 'recovered', RECOVERY)

const recordOf = (...documents: IdentityDocument[]): Uint8Array =>
  encodeIdentityEnvelope({ versions: documents.map(canonicalJsonBytes) })
const logOf = (...documents: IdentityDocument[]): IdentityLogOutline => verifyIdentityLog(documents, profile)
const NEWEST = [GENESIS, SECOND, THIRD]

describe('the log chosen among those that peers show', () => {
  const chosen = (...shown: [IdentityDocument[], number][]): number | string => {
    const best = foldShown(shown.map(([documents, shownBy]) => ({ log: logOf(...documents), shownBy, documents })))!
    return best.documents.at(-1)!.alsoKnownAs![0]!
  }

  it('[an identity shown with a key that was rotated out] is never older, nor of a rarer branch', () => {
    expect(chosen([[GENESIS], 19], [NEWEST, 1])).toEqual(THIRD.alsoKnownAs![0])
    expect(chosen([[GENESIS, SECOND], 10], [NEWEST, 1], [LONG_FORK, 10])).toEqual(THIRD.alsoKnownAs![0])
    expect(chosen([LONG_FORK, 9], [NEWEST, 11])).toEqual(THIRD.alsoKnownAs![0])
    // What most show is theirs; a recovery key undoes it wherever one peer shows that.
    expect(chosen([NEWEST, 9], [LONG_FORK, 11])).toEqual(LONG_FORK.at(-1)!.alsoKnownAs![0])
    expect(chosen([[GENESIS, RECOVERED], 1], [LONG_FORK, 19])).toEqual(RECOVERED.alsoKnownAs![0])
    // The order in which they answer tells nothing, nor does it where as many show either.
    for (const [one, other] of [
      [NEWEST, LONG_FORK],
      [LONG_FORK, NEWEST]
    ] as const)
      expect(chosen([one, 5], [other, 5])).toBe(chosen([NEWEST, 5], [LONG_FORK, 5]))
  })

  it('[an identity shown with a key that was rotated out] is not as new as what was seen before', () => {
    const seen = logOf(...NEWEST)
    for (const older of [[GENESIS], [GENESIS, SECOND], [GENESIS, FORK], LONG_FORK])
      expect(isAsNewAs(logOf(...older), seen)).toBe(false)
    for (const newer of [NEWEST, [...NEWEST, next(THIRD, 'fourth', CURRENT)], [GENESIS, RECOVERED]])
      expect(isAsNewAs(logOf(...newer), seen)).toBe(true)
  })
})

describe('peers that answer first', () => {
  const lab = new Lab(labProfile({ answers_per_prefix: 2, answers_per_wide_prefix: 4 }))

  it('[an identity shown with a key that was rotated out] counts two of a dozen ids of one address', async () => {
    // Twelve of one /24 answer at once, eleven others a little later.
    const all = Array.from({ length: 23 }, (_, index): Peer => ({
      ...modelledPeer(index),
      prefix: index < 12 ? '192.0.2.0/24' : `198.${index}.100.0/24`
    }))
    const [older, newest] = [recordOf(GENESIS), recordOf(...NEWEST)]
    const late = Promise.withResolvers<undefined>()
    const byPrefix: Partial<Peers> = {
      diverse: (list) => diverse(list, lab.profile),
      diverseFirst: (list, count) => diverseFirst(list, count, lab.profile)
    }
    let liars = 0
    const peers = modelledPeers(
      () => all,
      async (peer) => {
        if (all.indexOf(peer) < 12) {
          // Eleven of the twenty that are asked are others.
          if (++liars === 9) setImmediate(() => late.resolve(undefined))
          return { type: 'document', record: older }
        }
        await late.promise
        return { type: 'document', record: newest }
      },
      byPrefix
    )
    const { records, shownBy, isAnswered } = await getDocuments(clientOf(lab, peers), 'kid', GENESIS.id)
    const counts = new Map(records.map((record, index) => [toHex(record), shownBy[index]]))
    expect(counts).toEqual(
      new Map([
        [toHex(older), 2],
        [toHex(newest), 11]
      ])
    )
    expect(isAnswered).toBe(true)
    // Where the others are silent, they are two of thirteen.
    const alone = modelledPeers(
      () => all,
      (peer) => (all.indexOf(peer) < 12 ? { type: 'document', record: older } : 'lost'),
      byPrefix
    )
    expect(await getDocuments(clientOf(lab, alone), 'kid', GENESIS.id)).toMatchObject({
      shownBy: [2],
      isAnswered: false
    })
  })
})

describe('a resolver', () => {
  let dataDir: string
  let world: FakeWorld
  let node: TestNode

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chronym-shown-'))
    const clock = new ManualClock()
    world = new FakeWorld(clock, 5)
    node = await startNode({ world, clock, dataDir, seed: 1 })
  })

  afterEach(async () => {
    await node.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const show = (...records: IdentityDocument[][]): void => {
    for (const [index, peer] of world.peers.entries())
      peer.identities.set(GENESIS.id, recordOf(...records[Math.min(index, records.length - 1)]!))
  }
  const resolved = async (): Promise<unknown> => (await node.registry.resolveIdentity(GENESIS.id)).kid_document

  it('[an identity shown with a key that was rotated out] is refused after a newer one', async () => {
    show([GENESIS], NEWEST)
    expect(await resolved()).toEqual(THIRD)
    for (const older of [[GENESIS], [GENESIS, SECOND], LONG_FORK]) {
      show(older)
      await expect(resolved()).rejects.toThrow(code('SVC-RES-004'))
    }
    show([GENESIS], [GENESIS], [GENESIS], [GENESIS], NEWEST)
    expect(await resolved(), 'one peer that shows it is enough').toEqual(THIRD)
    show([GENESIS, RECOVERED])
    expect(await resolved()).toEqual(RECOVERED)
    show(NEWEST)
    await expect(resolved()).rejects.toThrow(code('SVC-RES-004'))
  })

  it('[an identity shown with a key that was rotated out] by the first answer or by few is not kept', async () => {
    show(LONG_FORK, NEWEST)
    expect(await resolved()).toEqual(THIRD)
    const other = new SeenIdentities(node.store)
    expect(other.get(GENESIS.id)?.versions).toHaveLength(3)
    node.store.delete(`${prefixes.seenIdentities}${GENESIS.id}`)
    node.network.isThin = true
    show(LONG_FORK)
    expect(await resolved()).toEqual(LONG_FORK.at(-1))
    node.network.isThin = false
    show(NEWEST)
    expect(await resolved(), 'which did not bind').toEqual(THIRD)
  })

  it('remembers a bounded number of identities, forgets the oldest first, and none of one version', () => {
    const store = new MemoryStore()
    const seen = new SeenIdentities(store, 16)
    const of = (index: number): IdentityLogOutline => ({
      did: `did:chronym:z${index}` as IdentityLogOutline['did'],
      versions: logOf(GENESIS, SECOND).versions
    })
    seen.see(logOf(GENESIS), 1)
    expect(store.count(prefixes.seenIdentities)).toBe(0)
    for (let index = 0; index < 40; index++) {
      seen.see(of(index), 1000 + index)
      expect(store.count(prefixes.seenIdentities)).toBeLessThanOrEqual(16)
    }
    expect([of(0), of(20), of(39)].map(({ did }) => seen.get(did) !== undefined)).toEqual([false, false, true])
  })
})
