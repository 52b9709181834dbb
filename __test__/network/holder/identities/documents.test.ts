/**
 * Documents at a holder: how many one name carries. Manifests are accepted for a carried identity and kept as long as
 * it is.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBudget } from '../../../../src/network/budget/budget.ts'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import { DEFAULT_HOLDER_LIMITS, type HolderLimits } from '../../../../src/network/holder/limits.ts'
import {
  buildGenesis,
  signIdentityDocument,
  type IdentityDocument
} from '../../../../src/protocol/identity/document.ts'
import { signIdentityBinding } from '../../../../src/protocol/identity/binding.ts'
import { verifyIdentityLog } from '../../../../src/protocol/identity/log.ts'
import { documentStampSubject, encodeIdentityRecord } from '../../../../src/protocol/identity/record.ts'
import { encodeManifestRecord, signManifest } from '../../../../src/protocol/identity/manifest.ts'
import { parseName } from '../../../../src/protocol/name/names.ts'
import { getDocuments } from '../../../../src/network/client/documents.ts'
import type { Peers } from '../../../../src/network/peers.ts'
import type { GetAnswer } from '../../../../src/network/wire/get.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { recordKey } from '../../../../src/protocol/claim/record-key.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { keys, prefixes } from '../../../../src/store/keys.ts'
import { openStore } from '../../../../src/store/open.ts'
import type { Store } from '../../../../src/store/types.ts'
import { Lab, saltOf } from '../../lab.ts'
import { labHolder } from '../../lab-holder.ts'
import { clientOf, modelledPeer, modelledPeers, type Lost } from '../../modelled-peers.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CREATED = '2026-01-01T00:00:00Z'

let directory: string
let store: Store
let lab: Lab
let elapsed: number
/** What other nodes show, by DID. */
let elsewhere: Map<string, Uint8Array[]>
/** Whether enough of them answer. */
let isAnswered: boolean
let asked: string[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-documents-'))
  store = openStore(join(directory, 'chronym.db'))
  lab = new Lab()
  elapsed = 0
  elsewhere = new Map()
  isAnswered = true
  asked = []
})

afterEach(() => {
  store.close()
  rmSync(directory, { recursive: true, force: true })
})

function holder(limits: Partial<HolderLimits> = {}, peers?: Peers): Holder {
  return labHolder(lab, store, {
    peers: () => peers,
    budget: createBudget(false, () => (elapsed += 1_000_000)),
    limits: { ...DEFAULT_HOLDER_LIMITS, ...limits },
    fetchIdentities: (did) => {
      asked.push(did)
      return Promise.resolve({
        records: elsewhere.get(did) ?? [],
        shownBy: (elsewhere.get(did) ?? []).map(() => 1),
        isAnswered
      })
    }
  })
}

function identityOf(who: string): IdentityDocument {
  const { publicKey, ...key } = lab.owner(who)
  return signIdentityDocument(
    buildGenesis({ keys: [publicKey], updateKeys: [publicKey] }, lab.profile),
    { publicKey, ...key },
    CREATED,
    lab.profile
  )
}

/** The record of an identity with a stamp of now, a binding, or neither. */
function recordOf(
  who: string,
  carrier: 'stamp' | 'nothing' | { name: string; owner: string; firstRound: number } = 'stamp'
): Uint8Array {
  const log = verifyIdentityLog([identityOf(who)], lab.profile)
  if (carrier === 'nothing') return encodeIdentityRecord({ log })
  if (carrier === 'stamp')
    return encodeIdentityRecord({
      log,
      stamp: { round: lab.round, nonce: lab.stamp(documentStampSubject(log.did, lab.round, lab.hash)) }
    })
  const { name, owner, firstRound } = carrier
  return encodeIdentityRecord({
    log,
    binding: signIdentityBinding(
      parseName(name, lab.profile),
      firstRound,
      log.did,
      lab.owner(owner).secretKey,
      lab.hash
    )
  })
}

function manifestOf(who: string): Uint8Array {
  const document = identityOf(who)
  const unsigned = {
    id: document.id,
    kid_version: 1,
    version: 1,
    capabilities: [],
    validFrom: CREATED,
    validUntil: new Date(Date.parse(CREATED) + 300 * DAY_MS).toISOString()
  }
  return encodeManifestRecord(
    signManifest(unsigned, document.assertionMethod![0]!, lab.owner(who).secretKey, CREATED, lab.profile)
  )
}

async function offer(target: Holder, kind: 'kid' | 'manifest', record: Uint8Array): Promise<string> {
  const answer = await target.put(kind, record, { peer: 'peer', prefix: 'p' })
  return answer.type === 'refused' ? answer.code : answer.type
}

const held = (): number => store.count(prefixes.manifests)

/** A name held here; gives what binds an identity to it. */
async function heldName(target: Holder, owner: string): Promise<{ name: string; owner: string; firstRound: number }> {
  const name = `${owner}.chronym`
  const commitment = lab.commitment(name, lab.owner(owner), saltOf(owner))
  target.commit(commitment, lab.stamp(commitment), 'p')
  lab.advance(lab.profile.min_commit)
  const firstRound = lab.round
  await target.put('reveal', encodeReveal(lab.reveal(name, lab.owner(owner), { p: firstRound, salt: saltOf(owner) })), {
    peer: 'peer',
    prefix: 'p'
  })
  return { name, owner, firstRound }
}

type Holding = 'it' | 'nothing' | 'no line'

/**
 * A name of another neighbourhood and its holders. As the test says, they hold it, hold nothing, or are mostly
 * unreachable.
 */
function farawayName(): {
  peers: Peers
  carrier: { name: string; owner: string; firstRound: number }
  hold: (holding: Holding) => void
} {
  const name = lab.reveal('faraway.chronym', lab.owner('alice'), { p: lab.round })
  const claim = lab.claimId(name)
  let holding: Holding = 'it'
  const others = [0, 1, 2].map((index) => modelledPeer(index))
  const peers = modelledPeers(
    () => others,
    (peer) => {
      // One of them is there in any case: it does not know.
      if (holding === 'no line' && peer !== others[0]) return 'lost'
      return holding === 'it'
        ? { type: 'entry', state: 'settled', claim, record: encodeReveal(name) }
        : { type: 'none' }
    }
  )
  const hold = (now: Holding): void => {
    holding = now
  }
  return { peers, carrier: { name: name.name, owner: 'alice', firstRound: lab.round }, hold }
}

describe('a name', () => {
  it('[one name that carries any number of documents] carries four of each kind; more need stamps', async () => {
    const target = holder({ stamped: 1 })
    const binding = await heldName(target, 'mallory')
    const people = Array.from({ length: 6 }, (_, index) => `person ${index}`)
    const answers: string[] = []
    for (const who of people) answers.push(await offer(target, 'kid', recordOf(who, binding)))
    expect(answers).toEqual(['stored', 'stored', 'stored', 'stored', 'full', 'full'])
    // What a stamp has brought in, the name cannot keep.
    expect(await offer(target, 'kid', recordOf('person 4'))).toBe('stored')
    expect(await offer(target, 'kid', recordOf('person 4', binding))).toBe('full')
    expect(await offer(target, 'kid', recordOf('person 0', binding)), 'what it carries already is no more').toBe(
      'stored'
    )

    elsewhere = new Map(people.map((who) => [identityOf(who).id, [recordOf(who, binding)]]))
    const manifests: string[] = []
    for (const who of people) manifests.push(await offer(target, 'manifest', manifestOf(who)))
    expect(manifests, 'the last one as those of stamps, of which one is kept beside').toEqual([
      'stored',
      'stored',
      'stored',
      'stored',
      'full',
      'full'
    ])
  })

  it('carries four of each kind, however often the node restarts', async () => {
    const binding = await heldName(holder(), 'mallory')
    const people = Array.from({ length: 6 }, (_, index) => `person ${index}`)
    const answers: string[] = []
    for (const who of people) answers.push(await offer(holder(), 'kid', recordOf(who, binding)))
    expect(answers).toEqual(['stored', 'stored', 'stored', 'stored', 'full', 'full'])
    elsewhere = new Map(people.map((who) => [identityOf(who).id, [recordOf(who, binding)]]))
    const manifests: string[] = []
    for (const who of people) manifests.push(await offer(holder({ stamped: 0 }), 'manifest', manifestOf(who)))
    expect(manifests).toEqual(['stored', 'stored', 'stored', 'stored', 'full', 'full'])

    elsewhere = new Map()
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await holder().documents.dropUnkept()
    expect(
      [held(), store.count(prefixes.carried('kid')), store.count(prefixes.carried('manifest'))],
      'what is dropped counts no more'
    ).toEqual([0, 0, 0])
  })

  it('carries as many identities, and no fewer, once another name was to carry one of them and could not', async () => {
    const target = holder()
    const [one, other] = [await heldName(target, 'mallory'), await heldName(target, 'trudy')]
    for (let index = 0; index < 4; index++)
      expect(await offer(target, 'kid', recordOf(`person ${index}`, one))).toBe('stored')
    for (let index = 4; index < 8; index++)
      expect(await offer(target, 'kid', recordOf(`person ${index}`, other))).toBe('stored')
    expect(await offer(target, 'kid', recordOf('person 0', other))).toBe('full')
    expect(
      await offer(target, 'kid', recordOf('person 8', one)),
      'the one that was refused under another name is still carried by this'
    ).toBe('full')
  })

  it('carries four of those that a node held before it counted', async () => {
    const binding = await heldName(holder(), 'mallory')
    for (let index = 0; index < 6; index++) {
      await offer(holder(), 'kid', recordOf(`person ${index}`, binding))
      for (const key of store.keys(prefixes.carried('kid'))) store.delete(key)
    }
    expect(store.count(prefixes.identities)).toBe(6)
    const target = holder()
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), target.documents.count()]).toEqual([4, 4])
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), target.documents.count()]).toEqual([0, 0])
  })

  it('are counted as they come and go, without asking the store', async () => {
    const target = holder()
    const binding = await heldName(target, 'mallory')
    const count = (): number[] => [target.documents.count(), store.count(prefixes.identities) + held()]
    for (const who of ['one', 'two']) {
      // A second time it replaces what is there.
      for (let times = 0; times < 2; times++) await offer(target, 'kid', recordOf(who, binding))
      for (let times = 0; times < 2; times++) await offer(target, 'manifest', manifestOf(who))
    }
    expect(count()).toEqual([4, 4])
    expect(holder().documents.count(), 'a node that starts').toBe(4)
    const asked = vi.spyOn(store, 'count')
    expect(target.count()).toBe(5)
    expect(asked).not.toHaveBeenCalled()
    lab.advance(lab.profile.lease + lab.profile.grace + 1)
    await target.documents.dropUnkept()
    expect(count()).toEqual([0, 0])
  })
})

describe('an identity', () => {
  it('stays while the distant holders of its name are unreachable, and goes once they lost the name', async () => {
    const { peers, carrier, hold } = farawayName()
    const target = holder({}, peers)
    expect(await offer(target, 'kid', recordOf('alice', carrier))).toBe('stored')
    for (const [state, left] of [
      ['it', 1],
      ['no line', 1],
      ['nothing', 0]
    ] as const) {
      hold(state)
      await target.documents.dropUnkept()
      expect([state, store.count(prefixes.identities)]).toEqual([state, left])
    }
  })
})

describe('identities of names that others hold', () => {
  it('are asked about four at the same time and 128 a round, and in the end every one is', async () => {
    for (let index = 0; index < 130; index++) {
      const who = `person ${index}`
      store.put(
        keys.identity(recordKey('kid', identityOf(who).id, lab.hash)),
        recordOf(who, { name: `far-${index}.chronym`, owner: who, firstRound: 1 })
      )
    }
    const lookedUp: Uint8Array[] = []
    let underWay = 0
    const peers = modelledPeers(
      () => [modelledPeer(0)],
      () => 'lost',
      {
        async closest(preimage) {
          lookedUp.push(preimage)
          expect(++underWay).toBeLessThanOrEqual(4)
          await setImmediate()
          underWay--
          return [modelledPeer(0)]
        }
      }
    )
    const target = holder({}, peers)
    await target.documents.dropUnkept()
    expect(lookedUp).toHaveLength(128)
    await target.documents.dropUnkept()
    expect(new Set(lookedUp.map(toHex)).size).toBe(130)
    expect(store.count(prefixes.identities), 'nobody could be asked').toBe(130)
  })
})

describe('a manifest', () => {
  it('goes with the identity that it speaks for, not at its own end', async () => {
    const target = holder()
    expect([
      await offer(target, 'kid', recordOf('alice')),
      await offer(target, 'manifest', manifestOf('alice'))
    ]).toEqual(['stored', 'stored'])
    lab.advance(lab.profile.document_refresh)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), held()]).toEqual([1, 1])
    expect(asked, 'what is held here is not asked for').toEqual([])
    lab.advance(1)
    await target.documents.dropUnkept()
    expect([store.count(prefixes.identities), held()]).toEqual([0, 0])
  })

  it('stays while the identity is kept elsewhere, and as long as nobody can be asked', async () => {
    const target = holder()
    const { id } = identityOf('alice')
    elsewhere.set(id, [recordOf('alice')])
    expect(await offer(target, 'manifest', manifestOf('alice'))).toBe('stored')
    lab.advance(lab.profile.document_refresh)
    await target.documents.dropUnkept()
    expect(held()).toBe(1)
    lab.advance(1)
    elsewhere = new Map()
    isAnswered = false
    await target.documents.dropUnkept()
    expect(held()).toBe(1)
    elsewhere = new Map([[id, [recordOf('alice', 'nothing')]]])
    await target.documents.dropUnkept()
    expect(held(), 'the only one that answers shows one that nothing carries').toBe(1)
    isAnswered = true
    elsewhere = new Map([[id, [recordOf('alice', 'nothing'), new Uint8Array([1]), recordOf('bob'), recordOf('alice')]]])
    await target.documents.dropUnkept()
    expect(held(), 'one of those who answer has it with a new stamp').toBe(1)
    elsewhere = new Map([[id, [recordOf('alice', 'nothing'), recordOf('bob')]]])
    await target.documents.dropUnkept()
    expect(held()).toBe(0)
  })

  it("stays while the holders of its identity's name are unreachable, and goes once they lost the name", async () => {
    const { peers, carrier, hold } = farawayName()
    const target = holder({}, peers)
    const { id } = identityOf('alice')
    elsewhere.set(id, [recordOf('alice', carrier)])
    expect(await offer(target, 'manifest', manifestOf('alice'))).toBe('stored')
    for (const [state, left] of [
      ['it', 1],
      ['no line', 1],
      ['nothing', 0]
    ] as const) {
      hold(state)
      await target.documents.dropUnkept()
      expect([state, held()]).toEqual([state, left])
    }
  })

  it('is neither refused nor dropped for forged records of its identity, while the carried one is shown', async () => {
    const { peers, carrier } = farawayName()
    const target = holder({}, peers)
    const { id } = identityOf('alice')
    const local = await heldName(target, 'bob')
    const padded = ['nothing' as const, ...[0, 1, 2, 3].map((firstRound) => ({ ...local, firstRound }))].map((each) =>
      recordOf('alice', each)
    )
    elsewhere.set(id, [...padded, recordOf('alice', carrier)])
    expect(await offer(target, 'manifest', manifestOf('alice'))).toBe('stored')
    const elsewhereToo = [0, 1, 2, 3].map((firstRound) => recordOf('alice', { ...carrier, firstRound }))
    elsewhere.set(id, [...elsewhereToo, recordOf('alice', carrier)])
    await target.documents.dropUnkept()
    expect(held(), 'more than are asked about').toBe(1)
  })

  it('is not taken for an identity that nothing carries, though somebody shows it', async () => {
    const target = holder()
    elsewhere.set(identityOf('alice').id, [recordOf('alice', 'nothing')])
    expect(await offer(target, 'manifest', manifestOf('alice'))).toBe('unbound')
    isAnswered = false
    elsewhere.clear()
    expect(await offer(target, 'manifest', manifestOf('alice')), 'while those who would know are silent').toBe('busy')
    // Nor do four of them hide the one that is carried.
    const padded = [0, 1, 2, 3, 4].map((firstRound) =>
      recordOf('alice', { name: 'nobodys.chronym', owner: 'alice', firstRound })
    )
    elsewhere.set(identityOf('alice').id, [...padded, recordOf('alice')])
    expect(await offer(target, 'manifest', manifestOf('alice'))).toBe('stored')
  })

  it('displaces nothing within a limit without a name; with a name it is accepted beside them', async () => {
    const target = holder({ stamped: 1 })
    for (const who of ['alice', 'bob']) elsewhere.set(identityOf(who).id, [recordOf(who)])
    expect([
      await offer(target, 'manifest', manifestOf('alice')),
      await offer(target, 'manifest', manifestOf('bob'))
    ]).toEqual(['stored', 'full'])
    expect(await offer(holder({ bytes: 1 }), 'manifest', manifestOf('bob'))).toBe('full')

    elsewhere.set(identityOf('carol').id, [recordOf('carol', await heldName(target, 'carol'))])
    expect(await offer(target, 'manifest', manifestOf('carol'))).toBe('stored')
  })

  it('costs no more than 32 questions a round, and in the end every one is asked about', async () => {
    const people = Array.from({ length: 40 }, (_, index) => `person ${index}`)
    const target = holder()
    for (const who of people) elsewhere.set(identityOf(who).id, [recordOf(who)])
    for (const who of people) expect(await offer(target, 'manifest', manifestOf(who))).toBe('stored')
    asked = []
    await target.documents.dropUnkept()
    expect(asked).toHaveLength(32)
    await target.documents.dropUnkept()
    expect([asked.length, new Set(asked).size]).toEqual([64, 40])
    elsewhere = new Map()
    await target.documents.dropUnkept()
    await target.documents.dropUnkept()
    expect(held()).toBe(0)
  })
})

describe('looking for the identity of a manifest', () => {
  it('tells that there is none only once more than half of those who should hold it have answered', async () => {
    const found = async (...answers: readonly (GetAnswer | Lost)[]): Promise<unknown> => {
      const others = answers.map((answer, index) => ({ ...modelledPeer(index), answer }))
      const peers = modelledPeers(
        () => others,
        ({ answer }) => answer
      )
      return getDocuments(clientOf(lab, peers), 'kid', identityOf('alice').id)
    }
    const record = recordOf('alice')
    const [none, document]: GetAnswer[] = [{ type: 'none' }, { type: 'document', record }]
    expect(await found(none!, none!, 'lost', { type: 'busy' })).toEqual({ records: [], shownBy: [], isAnswered: false })
    expect(await found(none!, none!, 'lost')).toEqual({ records: [], shownBy: [], isAnswered: true })
    expect(await found(document!, 'lost', 'lost')).toEqual({ records: [record], shownBy: [1], isAnswered: false })
  })
})
