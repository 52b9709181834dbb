/** Names that are asked for with the check code of a claim. */
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeVdfProof, encodeVdfProof } from '../../../src/protocol/claim/proof.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { checkCode, checkCodeOf, formatCodedName } from '../../../src/protocol/claim/check-code.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { roundTimeMs } from '../../../src/protocol/time.ts'
import { profile } from '../test-profile.ts'
import { asker, bench, owner, registered, rival } from '../scene.ts'
import { ALICE, code, SECOND, withZone } from '../workbench.ts'

const HASH = profileHash(profile)

let ours: Reveal
let theirs: Reveal

const coded = (reveal: Reveal, characters = 6): string =>
  formatCodedName(ALICE as Name, checkCodeOf(reveal, profile).slice(0, characters))!

/** Signs again as the owner, with another serial, or another output of the first link: proofs are not looked into. */
function changed(reveal: Reveal, serial: number, output?: Uint8Array): Reveal {
  const proof = decodeVdfProof(reveal.vdf_proof)
  if (output !== undefined) proof.proof = Uint8Array.from([...output, ...proof.proof.subarray(100)])
  return withZone({ ...reveal, vdf_proof: encodeVdfProof(proof) }, serial)
}

beforeEach(async () => {
  ours = await registered(owner)
  theirs = await rival()
})

describe('a name with a code', () => {
  it('is its claim, whatever most peers say, and however thin', async () => {
    for (const peer of bench.world.peers.slice(1)) peer.reveals.set(ALICE, { state: 'settled', reveal: theirs })
    expect((await asker.registry.resolve(ALICE)).reveal.pubkey).toEqual(theirs.pubkey)
    expect(await asker.registry.resolve(coded(ours))).toMatchObject({ reveal: ours, confidence: 'proven' })
    expect(await asker.registry.resolve(coded(theirs, 26))).toMatchObject({ reveal: theirs, confidence: 'proven' })
    expect((await asker.registry.publicZone(coded(ours))).source).toBe('network')
    // Behind a space too, for labels without room for it: the longer of the two counts, where they agree.
    const apart = `${ALICE} ${checkCodeOf(ours, profile).slice(0, 8)}`
    expect(await asker.registry.resolve(apart)).toMatchObject({ reveal: ours, confidence: 'proven' })
    expect(asker.registry.kept(apart)).toMatchObject({ reveal: ours })
    await expect(asker.registry.resolve(`${coded(ours)} ${checkCodeOf(theirs, profile)}`)).rejects.toMatchObject({
      code: 'SVC-NAM-001',
      message: expect.stringContaining('give the right one') as string
    })
    const explained = await asker.registry.explain(coded(ours))
    const { id } = claimOf(ours, ALICE as Name, profile)
    expect(explained).toMatchObject({
      rule: 'check-code',
      state: 'proven',
      resolves: 'proven',
      owner: toHex(ours.pubkey),
      claim_id: toHex(id),
      lease: { end: new Date(roundTimeMs(ours.drand_pulse + profile.lease, profile.beacon)).toISOString() },
      candidates: [{ owner: toHex(theirs.pubkey) }]
    })
    expect(explained.verdict).toMatch(/Without the code, peers name another claim/)
    expect(explained.notes[0]).toMatch(/^Without the code: alice.chronym belongs to the key/)
  })

  it('pins nobody: a link on a page must not change what the bare name means here', async () => {
    await asker.registry.resolve(coded(theirs)).catch(() => undefined)
    await asker.registry.resolve(coded(ours))
    expect(asker.registry.pins()).toEqual([])
  })

  it('shows the newest record of its claim that anybody shows', async () => {
    bench.world.peers[3]!.reveals.set(ALICE, { state: 'provisional', reveal: changed(ours, 9) })
    expect((await asker.registry.publicZone(coded(ours))).zone.serial).toBe(9)
  })

  it('[an older record shown again] is refused where a newer one was seen', async () => {
    bench.world.peers[3]!.reveals.set(ALICE, { state: 'settled', reveal: changed(ours, 9) })
    await asker.registry.resolve(coded(ours))
    bench.world.peers[3]!.reveals.set(ALICE, { state: 'settled', reveal: ours })
    asker.registry.forget(ALICE)
    await expect(asker.registry.resolve(coded(ours))).rejects.toThrow(code('SVC-RES-004'))
  })

  it('[a code that is typed wrong] says so, and never falls back to the bare name', async () => {
    const wrong = 'alice--zzzzzz.chronym'
    await expect(asker.registry.resolve(wrong)).rejects.toMatchObject({
      code: 'SVC-RES-005',
      message: expect.stringContaining(checkCodeOf(ours, profile).slice(0, 6)) as string,
      extensions: { check_code: 'zzzzzz' }
    })
    expect(await asker.registry.explain(wrong)).toMatchObject({
      state: 'unconfirmed',
      owner: null,
      lease: null,
      resolves: null,
      error: { code: 'SVC-RES-005' },
      candidates: [{ owner: toHex(ours.pubkey) }]
    })
    await expect(asker.registry.resolve('bob--zzzzzz.chronym')).rejects.toThrow(code('SVC-RES-006'))
    await expect(asker.registry.resolve('alice--zzz.chronym')).rejects.toThrow(code('SVC-NAM-001'))
    await expect(asker.registry.resolve('www--zzzzzz.chronym')).rejects.toThrow(code('SVC-RES-002'))
    await expect(owner.registry.register(coded(ours), {})).rejects.toThrow(code('SVC-NAM-001'))
  })

  it('[two claims with one code] is contested, until a longer code tells them apart', async () => {
    const seen = new Map<string, Uint8Array>()
    let pair: [Uint8Array, Uint8Array] | undefined
    for (let tried = 0; pair === undefined; tried++) {
      const output = new Uint8Array(100)
      new DataView(output.buffer).setUint32(0, tried)
      const short = checkCode(ALICE, output, HASH).slice(0, 6)
      const other = seen.get(short)
      if (other !== undefined) pair = [other, output]
      seen.set(short, output)
    }
    const [first, second] = [changed(ours, 2, pair[0]), changed(theirs, 2, pair[1])]
    expect(coded(first)).toBe(coded(second))
    bench.world.peers.forEach((peer, index) =>
      peer.reveals.set(ALICE, { state: 'settled', reveal: index === 0 ? first : second })
    )
    await expect(asker.registry.resolve(coded(first))).rejects.toMatchObject({
      code: 'SVC-RES-004',
      extensions: { candidates: [{}, {}] }
    })
    expect((await asker.registry.resolve(coded(first, 26))).reveal).toEqual(first)
    expect((await asker.registry.resolve(coded(second, 26))).reveal).toEqual(second)
  })

  it('[a dead claim shown to a newcomer] ends with the lease of its claim', async () => {
    const end = roundTimeMs(ours.drand_pulse + profile.lease, profile.beacon)
    bench.clock.set(end + 10 * SECOND)
    await expect(asker.registry.resolve(coded(ours))).rejects.toThrow(code('SVC-RES-003'))
    bench.clock.set(roundTimeMs(ours.drand_pulse + profile.lease + profile.grace + 60, profile.beacon))
    asker.registry.forget(ALICE)
    await expect(asker.registry.resolve(coded(ours))).rejects.toThrow(code('SVC-RES-006'))
  })

  it('is known from the own record alone, where no peer answers, and never from the record of another', async () => {
    await owner.registry.setMode('offline')
    expect(await owner.registry.resolve(coded(ours))).toMatchObject({ source: 'own', confidence: 'proven' })
    await expect(owner.registry.resolve(coded(theirs))).rejects.toThrow(code('SVC-RES-001'))
    await asker.registry.setMode('offline')
    await expect(asker.registry.resolve(coded(ours))).rejects.toThrow(code('SVC-RES-001'))
  })

  it('goes on from what was known until its lease ends, where those asked hide it later or show another', async () => {
    await asker.registry.resolve(coded(ours))
    for (const held of [undefined, theirs]) {
      for (const { reveals } of bench.world.peers) {
        reveals.clear()
        if (held !== undefined) reveals.set(ALICE, { state: 'settled', reveal: held })
      }
      await bench.clock.advance(7200 * SECOND)
      for (let look = 0; look < 2; look++)
        expect(await asker.registry.resolve(coded(ours))).toMatchObject({ reveal: ours, confidence: 'proven' })
      const error = held === undefined ? 'SVC-RES-006' : 'SVC-RES-005'
      await expect(asker.registry.lookUp(coded(ours))).resolves.toMatchObject({ failure: { code: error } })
    }
    bench.clock.set(roundTimeMs(ours.drand_pulse + profile.lease + 60, profile.beacon))
    await expect(asker.registry.resolve(coded(ours))).rejects.toThrow(code('SVC-RES-005'))
  })

  it('is asked for again once its owner published', async () => {
    await asker.registry.resolve(coded(ours))
    bench.holdEverywhere(changed(ours, 7))
    asker.network.emit({ type: 'record:stored', detail: { kind: 'reveal', id: ALICE, state: 'settled' } })
    expect((await asker.registry.publicZone(coded(ours))).zone.serial).toBe(7)
  })

  it('may be given by the configuration: then the bare name means this claim alone', async () => {
    for (const peer of bench.world.peers.slice(1)) peer.reveals.set(ALICE, { state: 'settled', reveal: theirs })
    const node = await bench.start({ self: undefined, seed: 4, codes: [coded(ours)] })
    expect(await node.registry.resolve(ALICE)).toMatchObject({ reveal: ours, confidence: 'proven' })
    expect(await node.registry.resolve(coded(theirs))).toMatchObject({ reveal: theirs })
    expect(await node.registry.explain(ALICE)).toMatchObject({ resolves: 'proven' })
    bench.world.peers[0]!.reveals.delete(ALICE)
    node.registry.forget(ALICE)
    await expect(node.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-005'))
  })

  it.each([
    ['alice.chronym', /a check code must follow/],
    ['alice--7kq.chronym', /not a check code/],
    ['alice.other', /ends with/]
  ])('%s in the configuration is refused at the start', async (text, message) => {
    await expect(bench.start({ self: undefined, seed: 4, codes: [text] })).rejects.toMatchObject({
      code: 'SVC-CFG-001',
      message: expect.stringMatching(message) as string
    })
  })

  it('is shown with each name of this daemon', () => {
    const whole = checkCodeOf(ours, profile)
    expect(owner.registry.ownedNames()).toMatchObject([{ check_code: whole, coded_name: coded(ours) }])
  })
})
