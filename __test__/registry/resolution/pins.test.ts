/** Names that the user pins by check codes. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as v from 'valibot'
import { claimOf } from '../../../src/protocol/claim/claim.ts'
import { checkCodeOf, formatCodedName } from '../../../src/protocol/claim/check-code.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { Pins } from '../../../src/registry/stored/pins.ts'
import { PinListSchema } from '../../../src/views/pin.ts'
import { FakeWorld } from '../fake-world.ts'
import { profile } from '../test-profile.ts'
import type { TestNode } from '../test-node.ts'
import { bench, owner, registered, rival, start } from '../scene.ts'
import { ALICE, code } from '../workbench.ts'

let asker: TestNode
let ours: Reveal
let theirs: Reveal

const codeOf = (reveal: Reveal): string => checkCodeOf(reveal, profile)
const coded = (reveal: Reveal, characters = 6): string =>
  formatCodedName(ALICE as Name, codeOf(reveal).slice(0, characters))!
const ownerOf = async (): Promise<Uint8Array> => (await asker.registry.resolve(ALICE)).reveal.pubkey

/** Most peers show a rival; one has the owner's record. */
beforeEach(async () => {
  ours = await registered(owner)
  theirs = await rival()
  for (const peer of bench.world.peers.slice(1)) peer.reveals.set(ALICE, { state: 'settled', reveal: theirs })
  asker = await start(undefined, 2)
})

describe('a code that the user gave', () => {
  it('decides what the bare name means, at once and after a restart, until it is forgotten', async () => {
    expect(await ownerOf()).toEqual(theirs.pubkey)
    expect(asker.registry.kept(ALICE)).toBeDefined()
    const forgotten: (string | undefined)[] = []
    const end = asker.registry.onForgotten((name) => forgotten.push(name))
    expect(asker.registry.pinCodes([coded(ours)])).toEqual({ pinned: [ALICE], known: 0 })
    end()
    expect(forgotten, 'the DNS server has a copy of what was kept').toEqual([ALICE])
    expect(asker.registry.kept(ALICE)).toBeUndefined()
    expect(await asker.registry.lookUp(ALICE)).toMatchObject({ resolved: { reveal: ours, confidence: 'proven' } })
    expect(asker.registry.kept(ALICE)).toMatchObject({ reveal: ours })
    await asker.close()
    asker = await bench.start({ self: undefined, seed: 2, store: asker.store })
    expect(await ownerOf()).toEqual(ours.pubkey)
    asker.registry.forgetPin(ALICE)
    expect(await ownerOf()).toEqual(theirs.pubkey)
    expect(() => asker.registry.pinCodes([])).not.toThrow()
  })

  it('is listed with what was seen of other names, in place of what was seen of its own, and forgotten with it', async () => {
    await bench.registered(undefined, 'bob.chronym')
    await asker.registry.resolve('bob.chronym')
    await asker.registry.resolve(ALICE)
    asker.registry.pinCodes([coded(ours, 8)])
    const pins = asker.registry.pins()
    expect(v.parse(PinListSchema, pins)).toEqual(pins)
    expect(pins).toMatchObject([
      { name: ALICE, coded_name: coded(ours, 8), check_code: codeOf(ours).slice(0, 8), state: 'given', owner: null },
      { name: 'bob.chronym', state: 'tentative' }
    ])
    expect(asker.registry.pins(ALICE)).toHaveLength(1)
    asker.registry.forgetPin(ALICE)
    expect(asker.registry.pins()).toMatchObject([{ name: 'bob.chronym' }])
  })

  it('grows with a longer one, and stays with a shorter one', () => {
    asker.registry.pinCodes([coded(ours, 8)])
    expect(asker.registry.pinCodes([coded(ours, 6)])).toEqual({ pinned: [], known: 1 })
    expect(asker.registry.pinCodes([`${ALICE} ${codeOf(ours)}`])).toEqual({ pinned: [ALICE], known: 0 })
    expect(asker.registry.pins()).toMatchObject([{ check_code: codeOf(ours) }])
  })

  it('follows the name after a space where the label has no room for it', () => {
    const long = `${'a'.repeat(60)}.chronym`
    asker.registry.pinCodes([`${long} 7KQ2MX`])
    expect(asker.registry.pins()).toMatchObject([{ name: long, coded_name: null, check_code: '7kq2mx' }])
  })
})

describe('codes that contradict what is known are refused, and none of the list is pinned:', () => {
  const refused = (codes: readonly string[], message: RegExp, kind = 'SVC-PIN-002'): void => {
    const before = asker.registry.pins()
    const path = `codes/${codes.length - 1}`
    expect(() => asker.registry.pinCodes(codes)).toThrow(
      expect.objectContaining({ code: kind, errors: [{ path, message: expect.stringMatching(message) as string }] })
    )
    expect(asker.registry.pins()).toEqual(before)
  }

  it('another one given before', () => {
    asker.registry.pinCodes([coded(ours)])
    refused(['bob--7kq2mx.chronym', coded(theirs)], /is pinned with the code/)
  })

  it('the code of a firm pin, and not of a tentative one', () => {
    const { id, pubkey, newestRound } = claimOf(theirs, ALICE as Name, profile)
    const seen = { claim: id, pubkey, code: codeOf(theirs), newestRound, firstRound: newestRound }
    new Pins(asker.store, profile).set(ALICE, { ...seen, state: 'firm', firmRound: newestRound })
    refused([coded(ours)], /known as settled has the code/)
    expect(asker.registry.pinCodes([coded(theirs)])).toMatchObject({ pinned: [ALICE] })
    asker.registry.forgetPin(ALICE)
    new Pins(asker.store, profile).set(ALICE, {
      ...seen,
      state: 'tentative',
      lookRound: newestRound + profile.pin_after
    })
    expect(asker.registry.pinCodes([coded(ours)])).toMatchObject({ pinned: [ALICE] })
  })

  it('a name of this daemon', async () => {
    asker = await bench.start({ seed: 1, self: 'peer-0', world: new FakeWorld(bench.clock, 2) })
    await bench.registered(asker)
    refused([coded(theirs)], /is a name of this daemon, with the code/)
  })

  it('two of one name', () => refused([coded(ours), coded(theirs)], /is given two codes/))

  it('the configuration, which alone changes its own', async () => {
    asker = await bench.start({ self: undefined, seed: 5, codes: [coded(ours)] })
    refused([coded(theirs)], /pins\.codes of the configuration has the code/)
    expect(asker.registry.pinCodes([coded(ours)])).toEqual({ pinned: [], known: 1 })
    expect(asker.registry.pins()).toMatchObject([{ state: 'configured', since: null }])
    expect(() => asker.registry.forgetPin(ALICE)).toThrow(code('SVC-PIN-002'))
  })

  it('a name without a code, or with none that can be one', () => {
    refused(['bob--7kq2mx.chronym', ALICE], /must follow the name/, 'SVC-NAM-001')
    refused(['alice--7kq.chronym'], /not a check code/, 'SVC-NAM-001')
    refused([`${coded(ours)} 7kq2mx`], /beside it is the code 7kq2mx/, 'SVC-NAM-001')
  })
})

it('a dry run pins nothing, and so does a look-up by code', async () => {
  expect(asker.registry.pinCodes([coded(ours)], true)).toEqual({ pinned: [ALICE], known: 0 })
  await asker.registry.resolve(coded(ours))
  expect(asker.registry.pins()).toEqual([])
  expect(await ownerOf()).toEqual(theirs.pubkey)
})
