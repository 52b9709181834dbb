import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Lab, saltOf, type LabNode } from '../network/lab.ts'
import { highestSerial } from '../../src/protocol/claim/claim.ts'
import { parseName } from '../../src/protocol/name/names.ts'
import { buildGenesis, signIdentityDocument } from '../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../src/protocol/identity/log.ts'
import { signIdentityBinding, documentStampSubject, encodeIdentityRecord } from '../../src/protocol/identity/record.ts'
import { encodeManifestRecord, signManifest } from '../../src/protocol/identity/manifest.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { keys } from '../../src/store/keys.ts'
import { waitFor } from '../wait-for.ts'

let lab: Lab
let first: LabNode
let second: LabNode
let third: LabNode

beforeAll(async () => {
  lab = new Lab()
  ;[first, second, third] = (await lab.addNodes(3)) as [LabNode, LabNode, LabNode]
})

afterAll(() => lab.close())

/** What each node itself holds of a name: state and owner. */
async function heldBy(
  name: string,
  nodes: readonly LabNode[] = lab.nodes
): Promise<{ state: string; owner: string | undefined; payload: string | undefined }[]> {
  return Promise.all(
    nodes.map(async ({ network }) => {
      const own = (await network.getReveals(name)).answers.find(({ self }) => self)!
      return {
        state: own.state,
        owner: own.reveal && toHex(own.reveal.pubkey),
        payload: own.reveal && Buffer.from(own.reveal.payload).toString()
      }
    })
  )
}

async function statesOf(name: string): Promise<string[]> {
  return (await heldBy(name)).map(({ state }) => state)
}

async function ownersOf(name: string): Promise<(string | undefined)[]> {
  return (await heldBy(name)).map(({ owner }) => owner)
}

/** Lets rounds pass until every node has asked, and has settled the name. */
async function settled(name: string): Promise<void> {
  await waitFor(async () => {
    lab.advance(1)
    expect(await statesOf(name)).toEqual(all('settled'))
  })
}

function all<T>(value: T): T[] {
  return lab.nodes.map(() => value)
}

describe('three nodes', () => {
  it('commit, store and resolve a name: what one puts, a third one gets', async () => {
    const alice = lab.owner('alice')
    const committed = await lab.commit(first, 'alice.chronym', alice)
    expect(committed.of).toBe(3)
    expect(committed.receipts.map(({ seenRound }) => seenRound)).toEqual(all(lab.round))
    expect(new Set(committed.receipts.map(({ peer }) => peer)).size).toBe(3)

    lab.advance(lab.profile.min_commit)
    const reveal = lab.reveal('alice.chronym', alice, { p: lab.round })
    expect(await first.network.putReveal(reveal)).toEqual({ storedBy: 3, of: 3, refusals: [] })

    const found = await third.network.getReveals('alice.chronym')
    expect(found.asked).toBe(3)
    expect(found.answers.length).toBeGreaterThanOrEqual(2)
    for (const answer of found.answers) expect(answer).toMatchObject({ state: 'fresh', reveal })
  })

  it('keep the round at which they saw a commitment first, however often it is sent', async () => {
    const commitment = lab.commitment('again.chronym', lab.owner('alice'))
    const seen = lab.round
    await first.network.commit('again.chronym', commitment, lab.stamp(commitment))
    lab.advance(7)
    const again = await second.network.commit('again.chronym', commitment, lab.stamp(commitment))
    expect(again.receipts.map(({ seenRound }) => seenRound)).toEqual(all(seen))
  })

  it('give no receipt for a commitment without the work', async () => {
    const commitment = lab.commitment('lazy.chronym', lab.owner('alice'))
    const nonce = lab.stamp(commitment)
    nonce[0] = nonce[0]! ^ 0xff
    expect(await first.network.commit('lazy.chronym', commitment, nonce)).toEqual({ receipts: [], of: 3 })
  })

  it('replace a record by a newer one of its owner, and answer an older one with `stale`', async () => {
    const owner = lab.owner('newer')
    const reveal = await lab.claim(first, 'newer.chronym', owner)
    await first.network.putReveal(reveal)
    const newer = lab.updated(reveal, owner, 2)
    expect(await second.network.putReveal(newer)).toEqual({ storedBy: 3, of: 3, refusals: [] })
    expect(new Set((await heldBy('newer.chronym')).map(({ payload }) => payload))).toEqual(
      new Set([Buffer.from(newer.payload).toString()])
    )

    const outcome = await third.network.putReveal(lab.updated(reveal, owner, 1))
    expect(outcome.refusals.map(({ code }) => code)).toEqual(['stale', 'stale', 'stale'])
    // All of them have the newer one, which another node made with our seed: nothing of ours is held.
    expect(outcome).toMatchObject({ storedBy: 0, of: 3 })
    expect(new Set((await heldBy('newer.chronym')).map(({ payload }) => payload))).toEqual(
      new Set([Buffer.from(newer.payload).toString()])
    )
  })

  it('[a serial ahead of time] takes a name from its owner for one round', async () => {
    const owner = lab.owner('robbed')
    const reveal = await lab.claim(first, 'robbed.chronym', owner)
    await first.network.putReveal(reveal)
    const highest = highestSerial({ verified: lab.round }, lab.profile)
    const [jumped, next] = [lab.updated(reveal, owner, highest), lab.updated(reveal, owner, highest + 1)]
    expect(await second.network.putReveal(jumped)).toMatchObject({ storedBy: 3, refusals: [] })
    const early = await first.network.putReveal(next)
    expect(early.storedBy).toBe(0)
    expect(early.refusals.map(({ code }) => code)).toEqual(['ahead', 'ahead', 'ahead'])

    lab.advance(1)
    expect(await first.network.putReveal(next)).toEqual({ storedBy: 3, of: 3, refusals: [] })
    const stolen = await second.network.putReveal(lab.updated(reveal, owner, Number.MAX_SAFE_INTEGER))
    expect(stolen.refusals.map(({ code }) => code)).toEqual(['ahead', 'ahead', 'ahead'])
    const payload = Buffer.from(next.payload).toString()
    expect((await heldBy('robbed.chronym')).map((held) => held.payload)).toEqual(all(payload))
  })

  it('hold a claim whose commitment nobody saw only provisionally', async () => {
    const reveal = lab.reveal('unseen.chronym', lab.owner('alice'), { p: lab.round })
    await first.network.putReveal(reveal)
    expect(await statesOf('unseen.chronym')).toEqual(all('provisional'))
  })

  it('settle a contest for the lower (p, tie) on every node, whichever came first', async () => {
    const [early, later] = [lab.owner('early'), lab.owner('later')]
    for (const order of ['early first', 'later first', 'at once'] as const) {
      const name = `${order.replace(' ', '-')}.chronym`
      for (const owner of [early, later]) await lab.commit(first, name, owner)
      lab.advance(lab.profile.min_commit)
      const lower = lab.reveal(name, early, { p: lab.round })
      lab.advance(1)
      const higher = lab.reveal(name, later, { p: lab.round })
      if (order === 'early first') {
        await first.network.putReveal(lower)
        const refused = await second.network.putReveal(higher)
        expect(refused.refusals.map(({ code }) => code)).toEqual(['contest', 'contest', 'contest'])
        expect(refused.storedBy).toBe(0)
      } else if (order === 'later first') {
        await second.network.putReveal(higher)
        expect(await first.network.putReveal(lower)).toMatchObject({ storedBy: 3 })
      } else {
        await Promise.all([first.network.putReveal(lower), second.network.putReveal(higher)])
      }
      expect(await ownersOf(name)).toEqual(all(toHex(early.publicKey)))
    }
  })

  it('decide claims of one round by their tie', async () => {
    const owners = [lab.owner('one'), lab.owner('two')]
    for (const owner of owners) await lab.commit(first, 'tied.chronym', owner)
    lab.advance(lab.profile.min_commit)
    const [one, two] = owners.map((owner) => lab.reveal('tied.chronym', owner, { p: lab.round }))
    await Promise.all([first.network.putReveal(one!), third.network.putReveal(two!)])
    const winners = await ownersOf('tied.chronym')
    expect(new Set(winners).size).toBe(1)
    // Offered again in the other order, the same one wins.
    await third.network.putReveal(two!)
    await first.network.putReveal(one!)
    expect(await ownersOf('tied.chronym')).toEqual(winners)
  })

  it('let no claim win after the contest: fresh, settling, and settled in time by agreement', async () => {
    const [owner, rival] = [lab.owner('owner'), lab.owner('rival')]
    const commitment = lab.commitment('settle.chronym', rival)
    await first.network.commit('settle.chronym', commitment, lab.stamp(commitment))
    const rivals = lab.reveal('settle.chronym', rival, { p: lab.round + 1 })
    lab.advance(1)
    await first.network.putReveal(await lab.claim(first, 'settle.chronym', owner))
    expect(await statesOf('settle.chronym')).toEqual(all('fresh'))

    lab.advance(lab.profile.contest + 1)
    expect(await statesOf('settle.chronym')).toEqual(all('settling'))
    // The rival's p is lower and its commitment was seen: it comes too late all the same.
    expect((await second.network.putReveal(rivals)).refusals.map(({ code }) => code)).toEqual([
      'taken',
      'taken',
      'taken'
    ])

    lab.advance(lab.profile.settle)
    await settled('settle.chronym')
    const { proofsVerified } = lab
    expect((await second.network.putReveal(rivals)).refusals.map(({ code }) => code)).toEqual([
      'taken',
      'taken',
      'taken'
    ])
    expect(lab.proofsVerified).toBe(proofsVerified)
    expect(await ownersOf('settle.chronym')).toEqual(all(toHex(owner.publicKey)))
  })

  it('say whether a name is taken', async () => {
    await first.network.putReveal(await lab.claim(first, 'taken.chronym', lab.owner('alice')))
    const taken = await third.network.probe('taken.chronym')
    expect(taken.asked).toBe(3)
    expect(taken.answers.map(({ state }) => state)).toEqual(all('fresh'))
    // Peers that list it are asked for the record: a listing proves nothing.
    expect(
      taken.answers.some(
        ({ claim }) => claim !== undefined && toHex(claim.pubkey) === toHex(lab.owner('alice').publicKey)
      )
    ).toBe(true)
    const free = await third.network.probe('free.chronym')
    expect(free.answers.map(({ state }) => state)).toEqual(all('none'))
  })

  it('take up a burst of changes of one name, then the newest when its turn comes', async () => {
    const owner = lab.owner('busy')
    const reveal = await lab.claim(first, 'busy.chronym', owner)
    await first.network.putReveal(reveal)
    const { burst, interval } = lab.profile.changes
    for (let serial = 2; serial < 2 + burst; serial++)
      expect(await first.network.putReveal(lab.updated(reveal, owner, serial))).toMatchObject({ storedBy: 3 })
    await first.network.putReveal(lab.updated(reveal, owner, 50))
    const last = lab.updated(reveal, owner, 51)
    const outcome = await first.network.putReveal(last)
    // Our own store takes our own changes; the others wait.
    expect(outcome.storedBy).toBe(1)
    expect(outcome.refusals.map(({ code }) => code)).toEqual(['busy', 'busy'])
    lab.advance(interval)
    await waitFor(async () => {
      expect((await heldBy('busy.chronym')).map(({ payload }) => payload)).toEqual(
        all(Buffer.from(last.payload).toString())
      )
    })
  })

  it('refuse what is not valid before it is sent, naming the rule', async () => {
    const owner = lab.owner('alice')
    const reveal = lab.reveal('forged.chronym', owner, { p: lab.round })
    const forged = { ...reveal, payload: new Uint8Array([1]) }
    const outcome = await first.network.putReveal(forged)
    expect(outcome).toMatchObject({
      storedBy: 0,
      refusals: [{ code: 'invalid', detail: expect.stringContaining('signature') as string }]
    })
    expect(first.store.get(keys.ownRecord('reveal', 'forged.chronym'))).toBeUndefined()
  })

  it('keep an identity that a live name carries, its newer versions, and its manifest', async () => {
    const [owner, update, assertion] = [lab.owner('kid'), lab.owner('update'), lab.owner('assertion')]
    const reveal = await lab.claim(first, 'kid.chronym', owner)
    await first.network.putReveal(reveal)
    const created = new Date(lab.nowMs()).toISOString()
    const genesis = buildGenesis({ keys: [assertion.publicKey], updateKeys: [update.publicKey] }, lab.profile)
    const document = signIdentityDocument(genesis, update, created, lab.profile)
    const log = verifyIdentityLog([document], lab.profile)

    expect(
      (await first.network.putIdentity(log.did, encodeIdentityRecord({ log }))).refusals.map(({ code }) => code)
    ).toEqual(['unbound', 'unbound', 'unbound'])

    const binding = signIdentityBinding(
      parseName('kid.chronym', lab.profile),
      reveal.drand_pulse,
      log.did,
      owner.secretKey,
      lab.hash
    )
    const bound = encodeIdentityRecord({ log, binding })
    expect(await first.network.putIdentity(log.did, bound)).toEqual({ storedBy: 3, of: 3, refusals: [] })
    expect((await third.network.getIdentity(log.did)).records).toEqual([bound])

    const until = new Date(lab.nowMs() + 24 * 3600 * 1000).toISOString()
    const manifest = signManifest(
      { id: log.did, kid_version: 1, version: 1, capabilities: [], validFrom: created, validUntil: until },
      document.assertionMethod![0]!,
      assertion.secretKey,
      created,
      lab.profile
    )
    const record = encodeManifestRecord(manifest)
    expect(await second.network.putManifest(log.did, record)).toEqual({ storedBy: 3, of: 3, refusals: [] })
    expect((await third.network.getManifest(log.did)).records).toEqual([record])
  })

  it('keep an identity that no name carries for the stamp on it', async () => {
    const update = lab.owner('stamped')
    const document = signIdentityDocument(
      buildGenesis({ keys: [], updateKeys: [update.publicKey] }, lab.profile),
      update,
      new Date(lab.nowMs()).toISOString(),
      lab.profile
    )
    const log = verifyIdentityLog([document], lab.profile)
    const nonce = lab.stamp(documentStampSubject(log.did, lab.round, lab.hash))
    expect(
      await first.network.putIdentity(log.did, encodeIdentityRecord({ log, stamp: { round: lab.round, nonce } }))
    ).toMatchObject({ storedBy: 3 })
  })

  it('have what they held after a restart', async () => {
    const reveal = await lab.claim(first, 'restart.chronym', lab.owner('alice'), saltOf('restart'))
    await first.network.putReveal(reveal)
    const { directory } = third
    await lab.stopNode(third)
    third = await lab.addNode({ directory })
    await lab.connected()
    const [own] = (await third.network.getReveals('restart.chronym')).answers.filter(({ self }) => self)
    expect(own).toMatchObject({ state: 'fresh', reveal })
    expect(third.network.status().records).toBe(first.network.status().records)
  })

  it('have the winning claim although one slept from before it came until long after it settled', async () => {
    const name = 'asleep.chronym'
    const [early, later] = [lab.owner('early'), lab.owner('later')]
    for (const owner of [early, later]) await lab.commit(first, name, owner)
    lab.advance(lab.profile.min_commit)
    const lower = lab.reveal(name, early, { p: lab.round })
    lab.advance(1)
    await first.network.putReveal(lab.reveal(name, later, { p: lab.round }))
    expect(await ownersOf(name)).toEqual(all(toHex(later.publicKey)))
    const { directory } = third
    await lab.stopNode(third)
    expect(await first.network.putReveal(lower)).toMatchObject({ storedBy: 2 })
    lab.advance(lab.profile.settle + 1)
    await settled(name)

    third = await lab.addNode({ directory })
    await lab.connected()
    expect(await heldBy(name, [third])).toMatchObject([{ state: 'settling', owner: toHex(later.publicKey) }])
    await settled(name)
    expect(await ownersOf(name)).toEqual(all(toHex(early.publicKey)))
  })

  it('bring a node that joins later up to date, with the states the others agree on', async () => {
    const reveal = await lab.claim(first, 'joiner.chronym', lab.owner('alice'))
    await first.network.putReveal(reveal)
    lab.advance(lab.profile.contest + 1)
    const joiner = await lab.addNode()
    await lab.connected()
    expect(await heldBy('joiner.chronym', [joiner])).toMatchObject([{ state: 'none' }])
    // An hour and a half: by then every node has handed over.
    lab.advance(5_400)
    await waitFor(async () => {
      expect(await heldBy('joiner.chronym', [joiner])).toMatchObject([
        { state: 'settling', owner: toHex(reveal.pubkey) }
      ])
    })
    await lab.stopNode(joiner)
  })

  it('forget a name when its lease and grace are over, and let another key have it', async () => {
    const name = 'dead.chronym'
    await first.network.putReveal(await lab.claim(first, name, lab.owner('alice')))
    lab.advance(lab.profile.lease + lab.profile.grace + 3)
    expect(await statesOf(name)).toEqual(all('none'))
    const bob = lab.owner('bob')
    expect(await second.network.putReveal(await lab.claim(second, name, bob))).toMatchObject({ storedBy: 3 })
    expect(await ownersOf(name)).toEqual(all(toHex(bob.publicKey)))
  })
})
