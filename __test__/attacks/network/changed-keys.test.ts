/** Two changes of the keys of one claim, at real nodes that see them at different times. */
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { ask } from '../../../src/network/wire/exchange.ts'
import { nextHash } from '../../../src/protocol/claim/changes.ts'
import { acceptedReveal, makeOffer, nextPlace, offerMessage } from '../../../src/protocol/claim/offer.ts'
import { checkCodeOf } from '../../../src/protocol/claim/check-code.ts'
import { decodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import { claimIdOf, encodeReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { recordKey } from '../../../src/protocol/neighbourhood/key-space.ts'
import { type Pin, rulePin } from '../../../src/protocol/resolution/pin.ts'
import { resolveByCode } from '../../../src/registry/resolution/by-code.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../../src/protocol/crypto/change-keys.ts'
import { type KeyPair, sign } from '../../../src/protocol/crypto/ed25519.ts'
import { compareBytes, sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { Lab, type LabNode, saltOf } from '../../network/lab.ts'
import { waitFor } from '../../wait-for.ts'
import { Adversaries, diverseProfile, showing, weighed } from './adversary.ts'

const NAME = 'sold.chronym' as Name
const K = 6
const WORDS = sha256(utf8('change words'))
const apart = (index: number): string => `127.${index + 1}.0.1`

let lab: Lab
let holders: LabNode[]
let daemon: LabNode
let stranger: Node
let first: Reveal
let liars: Adversaries

const changeKey = (index: number) => {
  const of = { name: NAME, index, profileHash: lab.hash }
  return { of, key: changePublicKey(changePoint(WORDS, lab.hash), of) }
}

/** The record after a change from one owner to another; `consented`: with the signature of the former key. */
function changed(reveal: Reveal, from: KeyPair, to: KeyPair, consented = true): Reveal {
  const { index } = nextPlace(reveal, lab.hash)
  const { of, key } = changeKey(index)
  const offer = makeOffer(reveal, { next: nextHash(changeKey(index + 1).key, lab.hash), consented }, to, lab.hash)
  const message = offerMessage(offer, lab.hash)
  return acceptedReveal(reveal, offer, {
    key,
    signature: signAsChangeKey(WORDS, of, message),
    ...(consented && { consent: sign(message, from.secretKey) })
  })
}

/** What a node answers that is sent a record. */
async function put({ network, address }: LabNode, reveal: Reveal): Promise<string> {
  await stranger.dial(multiaddr(address))
  const request = { type: 'put', kind: 'reveal', record: encodeReveal(reveal) } as const
  const answer = await ask(stranger, peerIdFromString(network.status().peer_id), request, lab.profile)
  return answer.type === 'refused' ? answer.code : answer.type
}

const ownersHeld = (nodes: readonly LabNode[]): (Uint8Array | undefined)[] =>
  nodes.map(({ network }) => network.heldHere(NAME)?.claim.pubkey)

const allHold = (nodes: readonly LabNode[], owner: KeyPair): void =>
  expect(ownersHeld(nodes)).toEqual(nodes.map(() => owner.publicKey))

/** Each that may be another buyer, with the hash of the change to that one. */
function buyers(from: KeyPair): { key: KeyPair; reveal: Reveal }[] {
  return Array.from({ length: 8 }, (_, index) => lab.owner(`buyer ${index}`))
    .map((key) => ({ key, reveal: changed(first, from, key) }))
    .sort((left, right) => compareBytes(hashOf(left.reveal), hashOf(right.reveal)))
}

const hashOf = (reveal: Reveal): Uint8Array => nextPlace(reveal, lab.hash).before!

beforeEach(async () => {
  lab = new Lab(diverseProfile(K))
  liars = new Adversaries(lab)
  holders = await lab.addNodes(K, apart)
  stranger = await lab.addStranger()
  daemon = await lab.addNode({ mode: 'light', place: apart(100) })
  first = await waitFor(() =>
    lab.claim(daemon, NAME, lab.owner('seller'), saltOf('first'), nextHash(changeKey(0).key, lab.hash))
  )
  await daemon.network.putReveal(first)
  lab.advance(lab.profile.contest + 1)
  await waitFor(() => {
    lab.advance(1)
    expect(holders.map(({ network }) => network.heldHere(NAME)?.state)).toEqual(holders.map(() => 'settled'))
  })
})

afterEach(async () => {
  await liars.stop()
  await lab.close()
})

describe('a name whose keys change', () => {
  it('[a name sold twice] stays with the first buyer once the contest is over, however low the other hash', async () => {
    const seller = lab.owner('seller')
    const [lowest, ...others] = buyers(seller)
    const sold = others.at(-1)!
    expect(await daemon.network.putReveal(sold.reveal)).toMatchObject({ storedBy: K })
    lab.advance(lab.profile.contest + 1)
    for (const holder of holders) expect(await put(holder, lowest!.reveal)).toBe('changed')
    lab.advance(lab.profile.settle)
    for (const holder of holders) expect(await put(holder, lowest!.reveal)).toBe('changed')
    allHold(holders, sold.key)
    // the former key can neither renew nor publish
    expect(await put(holders[0]!, lab.updated(first, seller, 99))).toBe('stale')
  })

  it('[a thief who uses up all turns] with zones of the stolen seed does not keep the owner from new keys', async () => {
    const [owner, heir] = [lab.owner('seller'), lab.owner('heir')]
    const last = lab.profile.changes.burst + 2
    for (let serial = 2; serial <= last; serial++)
      for (const holder of holders)
        expect(await put(holder, lab.updated(first, owner, serial))).toBe(serial === last ? 'busy' : 'stored')
    expect(await daemon.network.putReveal(changed(first, owner, heir))).toMatchObject({ storedBy: K })
    allHold(holders, heir)
  })

  it('[a name sold twice] to halves of its holders ends with what most of them have', async () => {
    const [one, other] = buyers(lab.owner('seller'))
    // At once: within the contest each holder that hears of the first change from another takes it, as the lower hash.
    const answers = await Promise.all(holders.map((holder, index) => put(holder, (index < 2 ? one! : other!).reveal)))
    expect(answers).toEqual(holders.map(() => 'stored'))
    lab.advance(lab.profile.contest + 1)
    await waitFor(async () => {
      for (const holder of holders.slice(0, 2)) expect(await put(holder, other!.reveal)).toBe('stored')
    })
    allHold(holders, other!.key)
  })

  /** Since when a change by the change words alone is final, as these nodes say. */
  const finalAt = async (nodes: readonly LabNode[]): Promise<number[]> => {
    const { answers } = await daemon.network.getReveals(NAME, undefined, 'everybody')
    const ids = new Set(nodes.map(({ network }) => network.status().peer_id))
    return answers.flatMap(({ peer, notice }) => (ids.has(peer) && notice ? [notice.changes.final] : []))
  }

  it('[a change that grows no older] keeps its age at holders that come later', async () => {
    const [seller, buyer] = [lab.owner('seller'), lab.owner('buyer')]
    expect(await daemon.network.putReveal(changed(first, seller, buyer, false))).toMatchObject({ storedBy: K })
    const [final] = await finalAt(holders)
    expect(await finalAt(holders)).toEqual(holders.map(() => final))
    lab.advance(1_000)
    const newcomer = await lab.addNode({ place: apart(50), bootstrap: lab.nodes.map(({ address }) => address) })
    await lab.stopNode(holders.pop()!)
    await waitFor(async () => {
      lab.advance(120)
      allHold([newcomer], seller)
      expect(await finalAt([newcomer])).toEqual([final])
    })
    // Each serves it once it is final, and no longer tells a notice.
    const nodes = [...holders, newcomer]
    lab.advance(final! - lab.round + 1)
    allHold(nodes, buyer)
    expect(await finalAt(nodes)).toEqual([])
  })

  it('[a thief of the change words] loses to a change that both keys sign, at every holder', async () => {
    const [seller, thief, heir] = ['seller', 'thief', 'heir'].map((who) => lab.owner(who))
    const stolen = changed(first, seller!, thief!, false)
    expect(await daemon.network.putReveal(stolen)).toMatchObject({ storedBy: K })
    expect(await finalAt(holders)).toHaveLength(K)
    lab.advance(lab.profile.settle + 1)
    const rotated = changed(first, seller!, heir!)
    expect(await daemon.network.putReveal(rotated)).toMatchObject({ storedBy: K })
    allHold(holders, heir!)
    expect(await finalAt(holders)).toEqual([])
    for (const wait of [0, lab.profile.settle + 1]) {
      lab.advance(wait)
      for (const holder of holders) expect(await put(holder, stolen)).toBe('changed')
    }
  })

  it('[a thief of the change words] has the name at no resolver until the change is final, and keeps no zone out', async () => {
    const [seller, thief] = [lab.owner('seller'), lab.owner('thief')]
    const stolen = changed(first, seller, thief, false)
    expect(await daemon.network.putReveal(stolen)).toMatchObject({ storedBy: K })
    const { burst } = lab.profile.changes
    for (let serial = 2; serial < burst + 4; serial++)
      expect(await put(holders[0]!, lab.updated(stolen, thief, serial))).toBe(serial > burst + 1 ? 'busy' : 'stored')
    const owners = await lab.addNode({ mode: 'light', place: apart(101) })
    await waitFor(() => expect(owners.network.knownPeers()).toBeGreaterThanOrEqual(K))
    const zone = lab.updated(first, seller, 7)
    expect(await owners.network.putReveal(zone)).toMatchObject({ storedBy: K })
    // One more peer near the name and its code shows the notice as the record that it serves.
    const code = checkCodeOf(first, lab.profile)
    const at = recordKey('reveal', NAME, lab.hash)
    await liars.start(at, 1, () => apart(60), showing(stolen, lab))
    await liars.connect(lab.nodes.map(({ address }) => address))
    const pin: Pin = {
      state: 'firm',
      claim: claimIdOf(first, decodeVdfProof(first.vdf_proof), lab.hash).id,
      pubkey: seller.publicKey,
      newestRound: first.drand_pulse,
      firstRound: first.drand_pulse,
      firmRound: first.drand_pulse
    }
    /** The answers of resolvers by name, with a firm pin and by code. */
    const shown = async () => {
      const { network } = owners
      const voted = weighed(await network.getReveals(NAME, undefined, 'everybody'), lab)
      const time = { now: lab.round, lapse: lab.round }
      const pinned = rulePin(voted, pin, { time, isSecondLook: false, spread: 0 }, lab.profile).result
      const context = {
        profile: lab.profile,
        time: () => ({ ...time, verified: lab.round, fresh: true }),
        network,
        owned: { get: () => undefined },
        memory: { see: () => true }
      }
      const { reveal, notice } = await resolveByCode(context, NAME, code.slice(0, 6))
      return {
        owners: [
          ...[voted, pinned].map((result) => (result.kind === 'owner' ? result.owner.pubkey : result.kind)),
          reveal.pubkey
        ],
        notice: notice && { pubkey: notice.claim.pubkey, final: notice.final }
      }
    }
    const [final] = await finalAt(holders)
    for (const round of [lab.round, final!]) {
      lab.advance(round - lab.round)
      await waitFor(async () =>
        expect(await shown()).toEqual({
          owners: [seller.publicKey, seller.publicKey, seller.publicKey],
          notice: { pubkey: thief.publicKey, final }
        })
      )
    }
    lab.advance(1)
    await waitFor(async () =>
      expect(await shown()).toEqual({
        owners: [thief.publicKey, thief.publicKey, thief.publicKey],
        notice: undefined
      })
    )
  })
})
