/** Changes of the keys of names, from the offer to the record that peers hold. */
import { describe, expect, it } from 'vitest'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import type { Did } from '../../../src/protocol/identity/did.ts'
import { decodeIdentityEnvelope, verifyIdentityBinding } from '../../../src/protocol/identity/record.ts'
import { keys } from '../../../src/store/keys.ts'
import { until } from '../claims/fakes.ts'
import { checkCodeOf } from '../../../src/protocol/claim/check-code.ts'
import { acceptedReveal, offerMessage, parseOffer } from '../../../src/protocol/claim/offer.ts'
import { decodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import { changesIn } from '../../../src/protocol/claim/reveal.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../../src/protocol/crypto/change-keys.ts'
import { sign } from '../../../src/protocol/crypto/ed25519.ts'
import { nameKey } from '../../../src/protocol/crypto/keys.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { roundTimeMs } from '../../../src/protocol/time.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { bytesOf } from '../../protocol/fixtures.ts'
import { settle } from '../../time/manual-clock.ts'
import { NOTICE_FINAL } from '../fake-network.ts'
import type { TestNode } from '../test-node.ts'
import { profile } from '../test-profile.ts'
import { ALICE, code, copyOf, publish, SECOND, useWorkbench, ZONE } from '../workbench.ts'

const HASH = profileHash(profile)
const NAME = parseName(ALICE, profile)

/** What the command line sends for an offer: signed by these change words. */
function authority(offer: string, words: string) {
  const parsed = parseOffer(offer)
  const of = { name: NAME, index: parsed.index, profileHash: HASH }
  return {
    key: changePublicKey(changePoint(bytesOf(words), HASH), of),
    signature: signAsChangeKey(bytesOf(words), of, offerMessage(parsed, HASH))
  }
}

describe('the keys of a name', () => {
  const bench = useWorkbench()
  const withWords = async (words: string, options: Parameters<typeof bench.start>[0] = {}): Promise<TestNode> => {
    const node = await bench.start(options)
    node.registry.setChangePoint(changePoint(bytesOf(words), HASH))
    return node
  }
  const rotate = async (node: TestNode, words = 'words', alone = false) => {
    const { offer } = await node.registry.offerFor(ALICE, alone)
    return node.registry.acceptOffer(offer, authority(offer, words))
  }
  const stateAt = (node: TestNode) => node.registry.ownedNames().find(({ name }) => name === ALICE)?.state

  it('rotate: the claim, its code, its zone and its renewals go on with a new key', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    await publish(node, ZONE)
    const before = bench.held()
    expect(await rotate(node)).toEqual({ stored_by: 5, of: 5 })
    const after = bench.held()
    expect(after.pubkey).not.toEqual(before.pubkey)
    expect(after.payload).toEqual(before.payload)
    expect(checkCodeOf(after, profile)).toBe(checkCodeOf(before, profile))
    expect(await node.registry.keysOf(ALICE)).toMatchObject({
      own: true,
      changes: 1,
      changes_left: 15,
      consented: true
    })
    const whole = checkCodeOf(after, profile)
    expect(await node.registry.keysOf(`alice--${whole.slice(0, 6)}.chronym`)).toMatchObject({ name: ALICE })
    await expect(node.registry.keysOf(`${ALICE} 000000`)).rejects.toMatchObject({
      code: 'SVC-RES-005',
      extensions: { check_code: '000000', shown: [whole] }
    })
    await publish(node, { records: {} })
    await bench.renewed(node)
    expect(bench.held().pubkey).toEqual(after.pubkey)
    expect(stateAt(node)).toBe('live')
  })
  it('rotate while a renewal is under way, which goes on with the new key', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    const { task_id } = await node.registry.renew(ALICE, {})
    await rotate(node)
    expect(await bench.finish(node, task_id)).toMatchObject({ status: 'completed', error: null })
    const { pubkey, vdf_proof: proof } = bench.held()
    expect([changesIn(bench.held()), decodeVdfProof(proof).chain?.length]).toEqual([1, 1])
    expect(await node.registry.keysOf(ALICE)).toMatchObject({ own: true, pubkey: toHex(pubkey), renewals: 1 })
  })
  it('are said not to be final, until most holders call them so', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    const asker = await bench.start({ seed: 2, self: 'peer-1' })
    expect(await asker.registry.resolve(ALICE)).not.toHaveProperty('keysPending')
    await rotate(node)
    asker.registry.forget(ALICE)
    expect(await asker.registry.resolve(ALICE)).toMatchObject({ keysPending: true })
    expect(await asker.registry.keysOf(ALICE)).toMatchObject({ final: false })
    expect(asker.network.breadths.at(-1)).toBe('everybody')
    const { notes } = await asker.registry.explain(ALICE)
    expect(notes).toContainEqual(expect.stringContaining('not final'))
    const coded = `${ALICE} ${checkCodeOf(bench.held(), profile).slice(0, 6)}`
    expect(await asker.registry.resolve(coded)).toMatchObject({ confidence: 'proven', keysPending: true })
  })
  it('are not remembered by a look with the code while they are not final: the record before them is shown again', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    const before = bench.held()
    await rotate(node)
    const asker = await bench.start({ seed: 2, self: 'peer-1' })
    const coded = `${ALICE} ${checkCodeOf(before, profile).slice(0, 6)}`
    expect(await asker.registry.resolve(coded)).toMatchObject({ keysPending: true })
    for (const peer of bench.world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: before })
    asker.registry.forget(ALICE)
    expect((await asker.registry.resolve(ALICE)).reveal).toEqual(before)
    expect((await asker.registry.resolve(coded)).reveal).toEqual(before)
  })
  it('are those that most holders name, also where one keeps no record any more', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    const other = await withWords('other words', { seed: 2, self: 'peer-1' })
    const asker = await bench.start({ seed: 3, self: undefined })
    asker.network.atCodes = ({ id }) => id === 'peer-1' || id === 'peer-4'
    const before = bench.held()
    const [ours, sold] = await Promise.all(
      [node, other].map(async ({ registry }) => {
        const { offer } = await registry.offerFor(ALICE, false)
        const message = offerMessage(parseOffer(offer), HASH)
        const consent = sign(message, nameKey(new Uint8Array(32).fill(1), HASH, NAME).secretKey)
        return acceptedReveal(before, parseOffer(offer), { ...authority(offer, 'words'), consent })
      })
    )
    const soon = 10 ** 6
    for (const [named, final, at] of [
      [sold!, Infinity, null],
      [sold!, soon, new Date(roundTimeMs(soon + 1, profile.beacon)).toISOString()],
      [ours!, 0, null]
    ] as const) {
      const changes = { head: claimOf(named, NAME, profile).changes[0]!.hash, final }
      for (const [index, { reveals }] of bench.world.peers.entries())
        reveals.set(
          ALICE,
          index === 4
            ? { state: 'settled', reveal: named, isStub: true, changes }
            : { state: 'settled', reveal: index < 2 ? ours! : sold!, changes }
        )
      asker.registry.forget(ALICE)
      expect((await asker.registry.resolve(ALICE)).reveal.pubkey).toEqual(named.pubkey)
      expect(await asker.registry.keysOf(ALICE)).toMatchObject({
        final: named === ours,
        final_at: at,
        final_votes: named === ours ? 3 : 0,
        votes: 5,
        other_keys: 2,
        coded: { final_votes: named === ours ? 2 : 0, votes: 2 },
        equivocation: false,
        claimed_at: new Date(roundTimeMs(claimOf(before, NAME, profile).firstRound, profile.beacon)).toISOString(),
        final_after_seconds: {
          both: Math.max(profile.contest, profile.settle) * profile.beacon.period,
          alone: 2 * profile.grace * profile.beacon.period
        }
      })
      const { answers, notes } = await asker.registry.explain(ALICE)
      expect(answers.at(-1)!.owner).toBe(toHex(named.pubkey))
      const other = toHex((named === ours ? sold! : ours!).pubkey)
      expect(notes).toContain(`Of the peers that hold this claim 2 show it with other keys, such as ${other}.`)
    }
  })
  it('sign for the identities that the name carries, once they have changed', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    const { did } = await node.registry.createKid({ name: ALICE })
    const bindingHolds = (): boolean => {
      const { binding } = decodeIdentityEnvelope(node.store.get(keys.ownIdentity(did))!, profile)
      return verifyIdentityBinding(binding!, did as Did, claimOf(bench.held(), NAME, profile), HASH)
    }
    expect(bindingHolds()).toBe(true)
    await rotate(node)
    expect(bindingHolds()).toBe(false)
    for (let minute = 0; minute < 2; minute++) await bench.clock.advance(60 * SECOND)
    await until(bindingHolds)
  })
  describe('with one signature', () => {
    /** A claim from before its owner had change words, with the notice that names them. */
    const noticed = async (): Promise<TestNode> => {
      const node = await bench.start()
      await bench.registered(node)
      node.registry.setChangePoint(changePoint(bytesOf('words'), HASH))
      expect(await node.registry.keysOf(ALICE)).toMatchObject({ change_key: false, notice: null })
      const { offer, consented } = await node.registry.offerFor(ALICE, false)
      expect(consented).toBe(false)
      expect(await node.registry.acceptOffer(offer, {})).toEqual({ stored_by: 5, of: 5 })
      return node
    }
    const notices = () => bench.world.peers.map((peer) => peer.reveals.get(ALICE)!.notice)
    const look = async (): Promise<void> => {
      for (let minute = 0; minute < 3; minute++) await bench.clock.advance(60 * SECOND)
      await settle()
    }

    it('wait beside the present ones, which go on publishing: zones and renewals reach both', async () => {
      const node = await noticed()
      const [before, final] = [bench.held(), new Date(roundTimeMs(NOTICE_FINAL + 1, profile.beacon)).toISOString()]
      expect(changesIn(before)).toBe(0)
      const [notice] = notices()
      expect(await node.registry.keysOf(ALICE)).toMatchObject({
        own: true,
        changes: 0,
        final: true,
        change_key: true,
        notice: { pubkey: toHex(notice!.pubkey), own: true, final_at: final, votes: 4 }
      })
      const resolved = await node.registry.resolve(ALICE)
      expect(resolved).toMatchObject({ reveal: { pubkey: before.pubkey }, notice: { finalAt: final } })
      expect(resolved).not.toHaveProperty('keysPending')
      await publish(node, ZONE)
      await look()
      expect(bench.held().pubkey).toEqual(before.pubkey)
      for (const each of notices()) expect(each!.payload).toEqual(bench.held().payload)
      await bench.renewed(node)
      await look()
      for (const each of notices()) expect(each).toMatchObject({ drand_pulse: bench.held().drand_pulse })
      expect(stateAt(node)).toBe('live')
      // once it is final, the daemon goes on with the new key
      for (const peer of bench.world.peers)
        peer.reveals.set(ALICE, { state: 'settled', reveal: peer.reveals.get(ALICE)!.notice! })
      await look()
      expect(node.registry.ownedNames()).toMatchObject([{ state: 'live', warnings: [] }])
      await publish(node, { records: {} })
      expect(bench.held().pubkey).toEqual(notice!.pubkey)
    })
    it('are sent again after a crash, by the words of a backup of this daemon too', async () => {
      const node = await noticed()
      const store = copyOf(node)
      await node.close()
      for (const peer of bench.world.peers) delete peer.reveals.get(ALICE)!.notice
      await bench.start({ store })
      await look()
      expect(notices().every((notice) => notice !== undefined)).toBe(true)
    })
    it('are followed by a change that both of them sign, which waits with them', async () => {
      const node = await noticed()
      await rotate(node)
      for (const notice of notices()) expect(changesIn(notice!)).toBe(2)
      expect(changesIn(bench.held())).toBe(0)
    })
    it('are those of somebody else: the owner is told, goes on publishing, and ends it with both keys', async () => {
      const owner = await withWords('words')
      await bench.registered(owner)
      const thief = await withWords("thief's words", { seed: 3, self: 'peer-2' })
      await rotate(thief, 'words', true)
      await look()
      expect(owner.registry.ownedNames()).toMatchObject([{ state: 'changing', warnings: [{ code: 'changing' }] }])
      expect(await owner.registry.keysOf(ALICE)).toMatchObject({ own: true, notice: { own: false } })
      await publish(owner, ZONE)
      await rotate(owner)
      await look()
      expect(stateAt(owner)).toBe('live')
      expect(notices()).toEqual(notices().map(() => undefined))
      expect(await owner.registry.keysOf(ALICE)).toMatchObject({ changes: 1, consented: true, own: true, notice: null })
    })
    it('are given up where peers hold others that both keys signed', async () => {
      await noticed()
      for (const peer of bench.world.peers) delete peer.reveals.get(ALICE)!.notice
      bench.refuseEverywhere('changed')
      await look()
      bench.refuseEverywhere(undefined)
      await look()
      expect(notices()).toEqual(notices().map(() => undefined))
    })
  })
  it('are taken over by another daemon, which finds the name by itself; the former one lets go of it', async () => {
    const seller = await withWords('words')
    await bench.registered(seller)
    const buyer = await withWords("buyer's words", { seed: 2, self: 'peer-1' })
    const { offer } = await buyer.registry.offerFor(ALICE, false)
    expect(buyer.registry.adoptions()).toMatchObject([{ id: ALICE, state: 'looking' }])
    // The owner may take its time: that is nothing to worry about.
    expect(await buyer.registry.adopt(ALICE)).toMatchObject({
      state: 'offered',
      detail: expect.stringContaining('no acceptance of its owner yet')
    })
    await seller.registry.acceptOffer(offer, authority(offer, 'words'))
    expect(stateAt(seller)).toBe('changed')
    for (let second = 0; second < 30; second++) {
      await bench.clock.advance(SECOND)
      await settle()
    }
    expect(stateAt(buyer)).toBe('live')
    await publish(buyer, ZONE)
    await expect(seller.registry.publishZone(ALICE)).rejects.toThrow(code('SVC-OWN-001'))
    expect(() => seller.registry.saveZone(ALICE, ZONE)).toThrow(code('SVC-OWN-001'))
    expect(seller.registry.ownedNames()).toMatchObject([
      { renewal: { state: 'impossible' }, warnings: [{ code: 'changed' }] }
    ])
    // and back again, by the same act
    const { offer: back } = await seller.registry.offerFor(ALICE, false)
    await buyer.registry.acceptOffer(back, authority(back, "buyer's words"))
    expect(changesIn(bench.held())).toBe(2)
  })
  it('are sold once most peers call that final, and the name is listed so until its former owner releases it', async () => {
    const seller = await withWords('words')
    await bench.registered(seller)
    const buyer = await withWords("buyer's words", { seed: 2, self: 'peer-1' })
    const events: string[] = []
    seller.registry.subscribe(({ type }) => events.push(type))
    const { offer } = await buyer.registry.offerFor(ALICE, false)
    await seller.registry.acceptOffer(offer, authority(offer, 'words'))
    const sold = bench.held()
    const { hash: head } = claimOf(sold, NAME, profile).changes[0]!
    const becomes = async (node: TestNode, state: string): Promise<void> => {
      for (let minute = 0; minute < 3; minute++) await bench.clock.advance(60 * SECOND)
      await until(() => stateAt(node) === state)
    }
    for (const { reveals } of bench.world.peers)
      reveals.set(ALICE, { state: 'settled', reveal: sold, changes: { head, final: Infinity } })
    await becomes(buyer, 'live')
    expect(stateAt(seller)).toBe('changed')
    for (const { reveals } of bench.world.peers)
      reveals.set(ALICE, { state: 'settled', reveal: sold, changes: { head, final: 0 } })
    await becomes(seller, 'sold')
    expect(seller.network.breadths).toContain('everybody')
    expect(events).toContain('name:sold')
    expect(seller.network.own.get(ALICE)).toBeUndefined()
    // Its new owner may change the keys again, which is not final at first.
    for (const { reveals } of bench.world.peers)
      reveals.set(ALICE, { state: 'settled', reveal: sold, changes: { head, final: Infinity } })
    for (let minute = 0; minute < 3; minute++) await bench.clock.advance(60 * SECOND)
    await settle()
    expect(stateAt(seller)).toBe('sold')

    const { store } = seller
    await seller.close()
    const again = await bench.start({ store })
    const to = toHex(sold.pubkey)
    expect(again.registry.ownedNames()).toMatchObject([
      {
        name: ALICE,
        state: 'sold',
        sold: { to, at: new Date(roundTimeMs(1, profile.beacon)).toISOString() },
        renewal: { state: 'impossible' },
        warnings: [{ code: 'sold', message: expect.stringMatching(`${to}.*chronym release ${ALICE}`) }]
      }
    ])
    const refusal = code('SVC-OWN-002', { message: expect.stringContaining(to) })
    expect(() => again.registry.saveZone(ALICE, ZONE)).toThrow(refusal)
    expect(() => again.registry.takeBack(ALICE)).toThrow(refusal)
    await expect(again.registry.publishZone(ALICE)).rejects.toThrow(refusal)
    await expect(again.registry.renew(ALICE, {})).rejects.toThrow(refusal)
    // a rotation as to one of its own daemons, with the change words of the new one
    await expect(rotate(again, "buyer's words")).rejects.toThrow(refusal)
    await expect(again.registry.register(ALICE, {})).rejects.toThrow(
      code('SVC-REG-001', { message: expect.stringContaining(`chronym release ${ALICE}`) })
    )
    // by code neither, where nobody answers
    bench.world.peers[0]!.reveals.delete(ALICE)
    for (const peer of bench.world.peers) peer.away = true
    await expect(again.registry.resolve(`${ALICE} ${checkCodeOf(sold, profile)}`)).rejects.toThrow(code('SVC-RES-001'))
    for (const peer of bench.world.peers) peer.away = false

    // bought back it is ours as before, and no other daemon is blamed
    const { offer: back } = await again.registry.offerFor(ALICE, false)
    await buyer.registry.acceptOffer(back, authority(back, "buyer's words"))
    await becomes(again, 'live')
    expect(again.registry.ownedNames()).toMatchObject([{ warnings: [] }])
    expect(again.registry.ownedNames()[0]).not.toHaveProperty('sold')
  })
  it('of a sold name that is released leave the list, with its draft, and the name can be bought again', async () => {
    const seller = await withWords('words')
    await bench.registered(seller)
    seller.registry.saveZone(ALICE, ZONE)
    const buyer = await withWords("buyer's words", { seed: 2, self: 'peer-1' })
    const { offer } = await buyer.registry.offerFor(ALICE, false)
    await seller.registry.acceptOffer(offer, authority(offer, 'words'))
    const sold = bench.held()
    const { hash: head } = claimOf(sold, NAME, profile).changes[0]!
    for (const { reveals } of bench.world.peers)
      reveals.set(ALICE, { state: 'settled', reveal: sold, changes: { head, final: 0 } })
    for (let minute = 0; minute < 3; minute++) await bench.clock.advance(60 * SECOND)
    await until(() => stateAt(seller) === 'sold')
    expect(seller.registry.release(ALICE)).toMatchObject({ name: ALICE, state: 'sold' })
    expect([seller.registry.ownedNames(), seller.registry.drafts()]).toEqual([[], []])
    expect(() => seller.registry.release(ALICE)).toThrow(code('SVC-OWN-001'))
    const { offer: back } = await seller.registry.offerFor(ALICE, false)
    await buyer.registry.acceptOffer(back, authority(back, "buyer's words"))
    for (let second = 0; second < 30; second++) {
      await bench.clock.advance(SECOND)
      await settle()
    }
    await until(() => stateAt(seller) === 'live')
  })
  it('are not lost to their new owner while most peers still show the record before the change', async () => {
    const seller = await withWords('words')
    await bench.registered(seller)
    const before = bench.held()
    const buyer = await withWords("buyer's words", { seed: 2, self: 'peer-1' })
    const { offer } = await buyer.registry.offerFor(ALICE, false)
    await seller.registry.acceptOffer(offer, authority(offer, 'words'))
    await buyer.registry.adopt(ALICE)
    for (const peer of bench.world.peers) peer.reveals.set(ALICE, { state: 'settled', reveal: before })
    for (let minute = 0; minute < 3; minute++) await bench.clock.advance(60 * SECOND)
    await settle()
    expect(stateAt(buyer)).toBe('live')
    await publish(buyer, ZONE)
  })
  it('stay changed after a crash before the peers had the record', async () => {
    const node = await withWords('words')
    await bench.registered(node)
    bench.refuseEverywhere('busy')
    await expect(rotate(node)).rejects.toThrow(code('SVC-PUB-002'))
    bench.refuseEverywhere(undefined)
    const store = copyOf(node)
    await node.close()
    const again = await bench.start({ store })
    expect(changesIn(again.network.own.get(ALICE) ?? bench.held())).toBe(0)
    await publish(again, ZONE)
    expect(await again.registry.keysOf(ALICE)).toMatchObject({ changes: 1, own: true })
  })

  describe('do not change', () => {
    it('without change words (SVC-CHG-001)', async () => {
      const node = await bench.start()
      await bench.registered(node)
      await expect(node.registry.offerFor(ALICE, false)).rejects.toThrow(code('SVC-CHG-001'))
      expect(node.registry.changeWords()).toEqual({ point: null, profile_hash: toHex(HASH) })
      node.registry.setChangePoint(changePoint(bytesOf('words'), HASH))
      expect(node.registry.changeWords()).toMatchObject({ point: toHex(changePoint(bytesOf('words'), HASH)) })
      expect(() => node.registry.setChangePoint(new Uint8Array(32))).toThrow(code('SVC-REQ-001'))
    })
    it('by an offer that is damaged, of another record, or without the change key (SVC-CHG-002)', async () => {
      const node = await withWords('words')
      await bench.registered(node)
      const { offer } = await node.registry.offerFor(ALICE, false)
      const refused = async (text: string, given = authority(offer, 'words') as object): Promise<void> =>
        expect(node.registry.acceptOffer(text, given)).rejects.toThrow(code('SVC-CHG-002'))
      await refused('chronym:offer/AAAA')
      await refused(offer, {})
      await publish(node, ZONE)
      await refused(offer)
      expect(changesIn(bench.held())).toBe(0)
    })
    it('by other change words (SVC-CHG-002)', async () => {
      const node = await withWords('words')
      await bench.registered(node)
      await expect(rotate(node, 'other words')).rejects.toThrow(
        code('SVC-CHG-002', { message: expect.stringContaining('not the change words') })
      )
    })
    it('more than sixteen times (SVC-CHG-003)', async () => {
      const node = await withWords('words')
      await bench.registered(node)
      for (let change = 0; change < 16; change++) await rotate(node)
      expect(await node.registry.keysOf(ALICE)).toMatchObject({ changes: 16, changes_left: 0 })
      await expect(rotate(node)).rejects.toThrow(code('SVC-CHG-003'))
      await publish(node, ZONE)
    })
    it('where peers hold another change (SVC-CHG-004)', async () => {
      const node = await withWords('words')
      await bench.registered(node)
      bench.refuseEverywhere('changed')
      await expect(rotate(node)).rejects.toThrow(code('SVC-CHG-004'))
    })
    it('by a daemon that lacks the signing key (SVC-OWN-001)', async () => {
      const owner = await withWords('words')
      await bench.registered(owner)
      const other = await withWords('words', { seed: 3, self: 'peer-2' })
      await expect(rotate(other)).rejects.toThrow(code('SVC-OWN-001'))
    })
  })
})
