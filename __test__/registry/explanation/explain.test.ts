import { describe, expect, it } from 'vitest'
import { parseProfile } from '../../../src/protocol/profile/profile.ts'
import { type Reveal } from '../../../src/protocol/claim/reveal.ts'
import { FakeWorld } from '../fake-world.ts'
import { profile } from '../test-profile.ts'
import { ALICE, DAY, withZone } from '../workbench.ts'
import { KEY, RIVAL_KEY, bench, owner, asker, start, registered, rival, explained } from '../scene.ts'

const withText = (reveal: Reveal, serial: number, text: string): Reveal =>
  withZone(reveal, serial, { records: { '@': [{ type: 'TXT', value: `"${text}"` }] } })

describe('a name that', () => {
  it('nobody holds is nobody’s', async () => {
    expect(await explained(asker)).toMatchObject({
      verdict: 'Nobody owns alice.chronym: none of the 5 peers that answered holds a record of it.',
      rule: 'nobody-holds-it',
      state: 'none',
      owner: null,
      lease: null,
      resolves: null,
      error: { code: 'SVC-RES-002' },
      candidates: [],
      own: null
    })
  })

  it('is asked of peers whose prefixes only an owner sees', async () => {
    const seen = async (withOwn: boolean) => (await asker.registry.explain(ALICE, { withOwn })).answers[1]
    expect(await seen(false)).toMatchObject({ distance: 0.25, prefix: null })
    const shown = await seen(true)
    expect(shown).toMatchObject({ distance: 0.25, prefix: shown!.peer })
  })

  it('is settled belongs to its owner, who is remembered', async () => {
    await registered(owner)
    const first = await explained(asker)
    expect(first).toMatchObject({
      rule: 'majority',
      state: 'settled',
      owner: KEY,
      resolves: 'settled',
      error: null,
      candidates: [{ owner: KEY, votes: 5, settled_votes: 5, serial: 1 }]
    })
    expect(first.verdict).toMatch(
      new RegExp(`^alice\\.chronym belongs to the key ${KEY}: 5 of 5 votes; its lease runs until 2026-01-08T.*Z\\.$`)
    )
    expect(first.notes[0]).toBe(
      '5 of 5 asked have answered. The network has about 5 nodes; all of them should hold it.'
    )
    const { since, second_look: secondLook } = first.pin!
    expect(first.pin).toMatchObject({ owner: KEY, state: 'tentative', rival: null })
    expect(first.notes).toContainEqual(
      `Seen as the settled owner once, at ${since}: the same as now. A second look after ${secondLook} makes that firm, where it finds the same; until then it binds nobody.`
    )
    bench.clock.set(Date.parse(secondLook!))
    bench.world.peers[4]!.silent = 'late'
    expect((await explained(asker)).pin).toMatchObject({ state: 'tentative' })
    bench.world.peers[4]!.silent = undefined
    const firm = await explained(asker)
    expect(firm.pin).toMatchObject({
      owner: KEY,
      state: 'firm',
      since,
      second_look: null,
      until: first.lease!.grace_end
    })
    expect(firm.notes).toContainEqual(
      `Remembered as the settled owner, seen twice since ${since}: the same as now. No other is believed before ${first.lease!.grace_end}.`
    )
  })

  it.each([
    ['fresh', 'fresh', 'provisional', /contest is still open/],
    ['settling', 'settling', 'provisional', /still settling/],
    ['provisional', 'provisional', 'provisional', /has seen its commitment in time/]
  ] as const)('is held as %s is said to be %s', async (held, state, resolves, note) => {
    bench.holdEverywhere(await registered(owner), held)
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      state,
      resolves,
      rule: held === 'provisional' ? 'provisional-only' : 'majority',
      pin: null
    })
    expect(explanation.notes.join('\n')).toMatch(note)
    expect(explanation.verdict.includes('all of them provisional')).toBe(held === 'provisional')
  })

  it('too few vouch for is said to be thin; who was silent is named, with the reason', async () => {
    const reveal = await registered(owner)
    bench.holdEverywhere(undefined)
    bench.world.peers[0]!.reveals.set(ALICE, { state: 'settled', reveal })
    bench.world.peers[2]!.silent = 'no-answer'
    bench.world.peers[3]!.silent = 'busy'
    bench.world.peers[4]!.silent = 'late'
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      resolves: 'thin',
      asked: {
        peers: 5,
        answered: 2,
        silent: [
          { peer: 'peer-2', reason: 'no-answer' },
          { peer: 'peer-3', reason: 'busy' },
          { peer: 'peer-4', reason: 'late' }
        ]
      },
      pin: null
    })
    expect(explanation.verdict).toContain('1 of 1 votes, from fewer peers than should hold it')
    expect(explanation.notes[0]).toBe(
      '2 of 5 asked have answered (1 gave no answer, 1 had too much to do, 1 took so long that nobody waited). 1 of the answers had no vote. The network has about 5 nodes; all of them should hold it.'
    )
    expect(explanation.notes[1]).toMatch(/^At most half of the peers that should know agree/)
    expect(explanation.answers.map(({ vote }) => vote)).toEqual([true, false])
  })

  it('too few diverse peers could vouch for is said to be thin, with the numbers and the cure', async () => {
    const young = parseProfile({ ...profile, answers_per_prefix: 2, answers_per_wide_prefix: 4 })
    await registered(
      await bench.start({ self: 'peer-0', seed: 1, profile: young, registry: { automaticRenewal: () => false } })
    )
    const late = await bench.start({
      self: undefined,
      seed: 2,
      profile: young,
      registry: { automaticRenewal: () => false }
    })
    Object.assign(late.network, { leftOut: 3, fewest: young.k })
    expect(late.registry.networkStatus().diversity).toMatchObject({ peers: 5, missing: { peers: 6 }, enough: false })
    const explanation = await explained(late)
    expect(explanation).toMatchObject({
      state: 'settled',
      resolves: 'thin',
      asked: { peers: 5, answered: 5, left_out: 3 },
      candidates: [{ votes: 5 }],
      pin: null
    })
    expect(explanation.notes.slice(0, 3)).toEqual([
      '5 of 5 asked have answered. The network has about 5 nodes; all of them should hold it.',
      '3 further peers near the name do not count: at most 2 of one /24 (IPv6: /32) ' +
        'and 4 of one /16 (IPv6: /24) have a vote, and those by IPv6 only where IPv4 leaves places. ' +
        'One machine may pass for many.',
      'Too few diverse peers: 5 could vote, and 11 have to agree before an answer is more than thin. `chronym status` says what is missing. ' +
        'The cure: more peers of other networks (`--bootstrap`) or, for a few machines, a profile for them (docs/network.md, "A young network").'
    ])
    for (let index = 5; index < 11; index++) bench.world.peers.push({ ...bench.world.peers[0]!, id: `peer-${index}` })
    late.network.leftOut = 1
    const grown = await explained(late)
    expect(grown).toMatchObject({ resolves: 'settled', asked: { peers: 11, answered: 11, left_out: 1 } })
    expect(grown.notes.join('\n')).not.toContain('Too few')
    expect(grown.notes[1]).toMatch(/^1 further peer near the name does not count:/)
  })

  it('no owner has a majority of is contested', async () => {
    const [ours, theirs] = [await registered(owner), await rival()]
    bench.world.peers.forEach((peer, index) =>
      peer.reveals.set(ALICE, { state: 'fresh', reveal: index % 2 === 0 ? ours : theirs })
    )
    bench.world.peers[4]!.reveals.delete(ALICE)
    expect(await explained(asker)).toMatchObject({
      verdict: 'alice.chronym is contested: 2 against 2 votes, and none has more than half.',
      rule: 'no-majority',
      state: 'contested',
      owner: null,
      lease: null,
      error: { code: 'SVC-RES-004' },
      candidates: [{ votes: 2 }, { votes: 2 }]
    })
    await expect(asker.registry.resolve(ALICE)).rejects.toMatchObject({
      code: 'SVC-RES-004',
      extensions: { candidates: [{ votes: 2 }, { votes: 2 }] }
    })
  })

  it('most peers hold as provisional, while one names another owner, is contested', async () => {
    const [ours, theirs] = [await registered(owner), await rival()]
    for (let index = 5; index < 20; index++)
      bench.world.peers.push({ ...bench.world.peers[0]!, id: `peer-${index}`, reveals: new Map() })
    bench.holdEverywhere(ours, 'provisional')
    bench.world.peers[0]!.reveals.set(ALICE, { state: 'settled', reveal: theirs })
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      verdict:
        'alice.chronym is contested: 19 peers hold a claim that has not settled, and 1 of the others name another owner.',
      rule: 'provisional-majority',
      state: 'contested',
      owner: null,
      error: { code: 'SVC-RES-004' },
      candidates: [
        { owner: KEY, votes: 19 },
        { owner: RIVAL_KEY, votes: 1 }
      ]
    })
    expect(explanation.answers.every(({ vote }) => vote)).toBe(true)
  })

  it('peers give to another than the remembered owner is contested', async () => {
    await registered(owner)
    await asker.registry.resolve(ALICE)
    bench.clock.set(Date.parse((await explained(asker)).pin!.second_look!))
    expect((await explained(asker)).pin).toMatchObject({ state: 'firm' })
    bench.holdEverywhere(await rival())
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      rule: 'pin',
      state: 'contested',
      owner: null,
      error: { code: 'SVC-RES-004' },
      pin: { owner: KEY },
      candidates: [{ owner: RIVAL_KEY, votes: 5 }]
    })
    expect(explanation.verdict).toMatch(/another claim than the one this daemon has known as settled/)
    expect(explanation.notes.join('\n')).toMatch(
      new RegExp(
        `Remembered as the settled owner, seen twice since .*: the key ${KEY} with the check code [0-9a-z]{12}\\. That is why`
      )
    )
  })

  it('peers give to another than they did shortly before is contested, with both owners', async () => {
    await registered(owner)
    await asker.registry.resolve(ALICE)
    bench.holdEverywhere(await rival())
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      rule: 'two-majorities',
      state: 'contested',
      owner: null,
      error: { code: 'SVC-RES-004' },
      pin: { owner: RIVAL_KEY, state: 'tentative', rival: KEY },
      candidates: [{ owner: RIVAL_KEY, votes: 5 }]
    })
    expect(explanation.error!.message).toContain(
      `name the key ${RIVAL_KEY} as the owner of alice.chronym, and named ${KEY} shortly before`
    )
    expect(explanation.verdict).toBe(
      `alice.chronym is contested: the peers now name the key ${RIVAL_KEY}, and shortly before most of them named another one. Unless that changes again it is contested until ${explanation.pin!.contested_until}.`
    )
    expect(explanation.notes.join('\n')).toContain(`Seen as the settled owner before: the key ${KEY}; since`)
    bench.clock.set(Date.parse(explanation.pin!.contested_until!))
    expect(await explained(asker)).toMatchObject({
      rule: 'majority',
      owner: RIVAL_KEY,
      resolves: 'settled',
      pin: { owner: RIVAL_KEY, state: 'firm', rival: null, contested_until: null }
    })
  })

  it('is given in an older record only is not believed', async () => {
    const reveal = await registered(owner)
    bench.holdEverywhere(withZone(reveal, 5))
    await asker.registry.resolve(ALICE)
    bench.holdEverywhere(reveal)
    asker.registry.forget(ALICE)
    await expect(asker.registry.resolve(ALICE)).rejects.toThrow(/older/)
    const explanation = await explained(asker)
    expect(explanation).toMatchObject({
      rule: 'older-than-seen',
      state: 'contested',
      resolves: null,
      error: { code: 'SVC-RES-004' }
    })
    expect(explanation.verdict).toMatch(
      /^Most peers hold alice\.chronym for the key .* older than one that this daemon has seen before, and is not believed\.$/
    )
  })

  it('has a lease that ended does not resolve, and after the grace is free', async () => {
    await registered(owner)
    bench.clock.set(bench.clock.now() + 7.5 * DAY)
    const grace = await explained(asker)
    expect(grace).toMatchObject({ state: 'grace', resolves: null, error: { code: 'SVC-RES-003' } })
    expect(grace.verdict).toMatch(
      /5 of 5 votes; its lease ended at 2026-01-08T.*, so it does not resolve, and until 2026-01-09T.* only that key may renew it\.$/
    )
    bench.clock.set(bench.clock.now() + DAY)
    const dead = await explained(asker)
    expect(dead).toMatchObject({ state: 'dead', resolves: null, error: { code: 'SVC-RES-002' }, pin: null })
    expect(dead.verdict).toMatch(
      /^alice\.chronym is free: the claim of the key .* which 5 of 5 peers still hold, ended with its grace at 2026-01-09T/
    )
  })

  it('has two payloads of one serial is told as an equivocation, seen between the answers or noted in the own store', async () => {
    const reveal = await registered(owner)
    bench.holdEverywhere(withText(reveal, 7, 'one'))
    bench.world.peers[4]!.reveals.set(ALICE, { state: 'settled', reveal: withText(reveal, 7, 'two') })
    const explanation = await explained(asker)
    expect(explanation.equivocation).toMatchObject({ serial: 7, pulse_round: reveal.drand_pulse })
    expect(new Set(explanation.equivocation!.payload_hashes).size).toBe(2)
    expect(explanation.notes.join('\n')).toMatch(/two different payloads with serial 7/)
    bench.holdEverywhere(reveal)
    owner.network.noted.set(ALICE, {
      equivocation: { round: 9, serial: 3, payloadHashes: [new Uint8Array(32), new Uint8Array(32).fill(1)] }
    })
    expect((await explained(owner)).equivocation).toMatchObject({ serial: 3, pulse_round: 9 })
  })
})

describe('a node that knows no other', () => {
  it('says that it has asked itself alone', async () => {
    const alone = new FakeWorld(bench.clock, 1)
    const node = await start('peer-0', 5, alone)
    node.network.isWhole = true
    expect(await explained(node)).toMatchObject({
      verdict: 'Nobody owns alice.chronym: this daemon holds no record of it, and knows no other node to ask.',
      notes: ['No other node is known: this daemon searched only its own store.']
    })
    await registered(node, alone)
    const explanation = await explained(node)
    expect(explanation.verdict).toMatch(/belongs to this daemon: 1 of 1 votes/)
    expect(explanation.notes.join(' ')).not.toMatch(/no vote/)
  })
})

describe('explaining', () => {
  it('is SVC-RES-001 when nobody can be asked', async () => {
    await asker.registry.setMode('offline')
    await expect(explained(asker)).rejects.toMatchObject({ code: 'SVC-RES-001' })
  })
})
