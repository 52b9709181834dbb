/** A holder with names and documents of its own making. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { createBudget } from '../../../../src/network/budget/budget.ts'
import type { Holder } from '../../../../src/network/holder/holder.ts'
import { DEFAULT_HOLDER_LIMITS, type HolderLimits } from '../../../../src/network/holder/capacity.ts'
import {
  buildGenesis,
  signIdentityDocument,
  type IdentityDocument
} from '../../../../src/protocol/identity/document.ts'
import {
  signIdentityBinding,
  documentStampSubject,
  encodeIdentityRecord
} from '../../../../src/protocol/identity/record.ts'
import { verifyIdentityLog } from '../../../../src/protocol/identity/log.ts'
import { encodeManifestRecord, signManifest } from '../../../../src/protocol/identity/manifest.ts'
import { parseName } from '../../../../src/protocol/name/names.ts'
import type { Peers } from '../../../../src/network/peers.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { prefixes } from '../../../../src/store/keys.ts'
import { openStore } from '../../../../src/store/open.ts'
import type { Store } from '../../../../src/store/types.ts'
import { Lab, saltOf } from '../../lab.ts'
import { labHolder } from '../../lab-holder.ts'
import { modelledPeer, modelledPeers } from '../../modelled-peers.ts'
import { temporary } from '../../../temporary.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CREATED = '2026-01-01T00:00:00Z'

export let store: Store
export let lab: Lab
let elapsed: number

/** The peers, for a test to change. */
export const others = {
  /** What other nodes show, by DID. */
  elsewhere: new Map<string, Uint8Array[]>(),

  /** Whether enough of them answer. */
  isAnswered: true,

  asked: [] as string[]
}

beforeEach(() => {
  store = openStore(join(temporary(), 'chronym.db'))
  lab = new Lab()
  elapsed = 0
  Object.assign(others, { elsewhere: new Map(), isAnswered: true, asked: [] })
})

afterEach(() => store.close())

export function holder(limits: Partial<HolderLimits> = {}, peers?: Peers): Holder {
  return labHolder(lab, store, {
    peers: () => peers,
    budget: createBudget(false, () => (elapsed += 1_000_000)),
    limits: { ...DEFAULT_HOLDER_LIMITS, ...limits },
    fetchIdentities: (did) => {
      others.asked.push(did)
      return Promise.resolve({
        records: others.elsewhere.get(did) ?? [],
        shownBy: (others.elsewhere.get(did) ?? []).map(() => 1),
        isAnswered: others.isAnswered
      })
    }
  })
}

export function identityOf(who: string): IdentityDocument {
  const { publicKey, ...key } = lab.owner(who)
  return signIdentityDocument(
    buildGenesis({ keys: [publicKey], updateKeys: [publicKey] }, lab.profile),
    { publicKey, ...key },
    CREATED,
    lab.profile
  )
}

/** The record of an identity with a stamp of now, a binding, or neither. */
export function recordOf(
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

export function manifestOf(who: string): Uint8Array {
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

export async function offer(target: Holder, kind: 'kid' | 'manifest', record: Uint8Array): Promise<string> {
  const answer = await target.put(kind, record, { peer: 'peer', prefix: 'p' })
  return answer.type === 'refused' ? answer.code : answer.type
}

/** What each of several people gets for such a document, one after the other. */
export async function offerAll(
  target: Holder | (() => Holder),
  kind: 'kid' | 'manifest',
  people: readonly string[],
  documentOf: (who: string) => Uint8Array = manifestOf
): Promise<string[]> {
  const answers: string[] = []
  for (const who of people)
    answers.push(await offer(typeof target === 'function' ? target() : target, kind, documentOf(who)))
  return answers
}

/** What other nodes show of these people. */
export function shownElsewhere(people: readonly string[], recordOfEach: (who: string) => Uint8Array = recordOf): void {
  others.elsewhere = new Map(people.map((who) => [identityOf(who).id, [recordOfEach(who)]]))
}

/** A carrier far away is there, then cannot be reached, then has gone: how many documents are left each time. */
export async function expectLeft(target: Holder, hold: (holding: Holding) => void, left: () => number): Promise<void> {
  for (const [state, expected] of [
    ['it', 1],
    ['no line', 1],
    ['nothing', 0]
  ] as const) {
    hold(state)
    await target.documents.dropUnkept()
    expect([state, left()]).toEqual([state, expected])
  }
}

export const held = (): number => store.count(prefixes.manifests)

/** A name held here; gives what binds an identity to it. */
export async function heldName(
  target: Holder,
  owner: string
): Promise<{ name: string; owner: string; firstRound: number }> {
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
 * A name of another neighbourhood, and those who should hold it: as the test says, they do, hold nothing, or can mostly
 * not be reached.
 */
export function farawayName(): {
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
