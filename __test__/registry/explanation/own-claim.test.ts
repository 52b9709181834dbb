import { describe, expect, it } from 'vitest'
import { until } from '../claims/fakes.ts'
import { ALICE, DAY, SECOND } from '../workbench.ts'

import { KEY, RIVAL_KEY, bench, owner, registered, rival, explained } from '../scene.ts'

describe('a name of this daemon', () => {
  it('is explained with its claim, renewal and receipts to those who may see them', async () => {
    const reveal = await registered(owner)
    const explanation = await explained(owner, { withOwn: true })
    expect(explanation.verdict).toMatch(/belongs to this daemon: 4 of 4 votes/)
    expect(explanation.own).toMatchObject({
      name: { name: ALICE, renewal: { state: 'off' } },
      claim: { owner: KEY, pulse_round: reveal.drand_pulse, renewals: 0 },
      receipts: {
        pulse_round: reveal.drand_pulse,
        receipts: bench.world.peers.map(({ id }) => ({
          peer: id,
          seen_round: expect.any(Number),
          signature: '00'.repeat(64)
        }))
      },
      tasks: [{ kind: 'register', status: 'completed' }]
    })
    expect(explanation.own!.receipts!.commitment).toBe(explanation.own!.claim!.commitment)
    expect(explanation.notes.join('\n')).toContain(
      `5 of 5 receipts that peers have signed say that they saw the commitment of this claim before its pulse, round ${reveal.drand_pulse}.`
    )
    expect(explanation.held_here).toMatchObject({ state: 'settled', owner: KEY, stub: false })
    expect(explanation.notes.join('\n')).toMatch(
      /own store holds a claim; it is settled, and a claim has been there since 2026-/
    )
    expect(explanation.answers.filter(({ vote }) => !vote)).toMatchObject([{ self: true }])
  })

  it('is not thin where everybody else agrees, though its own store has no vote', async () => {
    for (const peer of bench.world.peers.slice(2)) peer.away = true
    await registered(owner)
    expect(await explained(owner)).toMatchObject({
      resolves: 'settled',
      asked: { peers: 2 },
      verdict: expect.stringMatching(/1 of 1 votes; its lease/)
    })
  })

  it('shows nothing of that to strangers', async () => {
    await registered(owner)
    expect((await explained(owner)).own).toBeNull()
  })

  it('that nobody else holds is still told to be ours', async () => {
    await registered(owner)
    for (const peer of bench.world.peers.slice(1)) peer.reveals.delete(ALICE)
    expect((await explained(owner)).verdict).toBe(
      'This daemon has a claim of alice.chronym, but none of the other peers that answered holds its record; it is sent again by itself.'
    )
    bench.clock.set(bench.clock.now() + 8.5 * DAY)
    expect((await explained(owner)).verdict).toBe(
      'Nobody owns alice.chronym: the claim of this daemon has lapsed, and none of the 4 peers that answered holds a record of it.'
    )
  })

  it('that the peers give to another key does not belong to this daemon', async () => {
    await registered(owner)
    bench.holdEverywhere(await rival())
    const explanation = await explained(owner, { withOwn: true })
    expect(explanation.verdict).toContain(`belongs to the key ${RIVAL_KEY}`)
    expect(explanation.own!.claim!.owner).toBe(KEY)
  })

  it('shows a renewal under way and the warnings', async () => {
    await registered(owner)
    owner.pool.instant = false
    bench.clock.set(bench.clock.now() + 6.5 * DAY)
    const { task_id } = await owner.registry.renew(ALICE, {})
    await until(() => owner.tasks.get(task_id)!.phase === 'evaluate')
    owner.tasks.pause(task_id)
    const { notes } = await explained(owner, { withOwn: true })
    expect(notes.join('\n')).toContain(`A renewal of it is under way here: task ${task_id}, phase evaluate, paused.`)
    expect(notes.join('\n')).toMatch(/Warning: Its renewal is paused/)
  })
})

describe('a registration under way', () => {
  it('[looking a name up announces it] is explained to its owner without asking for the name', async () => {
    owner.pool.instant = false
    const { task_id } = await owner.registry.register(ALICE, {})
    await bench.clock.advance(4 * SECOND)
    await until(() => owner.tasks.get(task_id)!.phase === 'evaluate')
    const explanation = await explained(owner, { withOwn: true })
    expect(explanation).toMatchObject({
      rule: 'blinded',
      state: 'registering',
      owner: null,
      own: { name: null, claim: null, receipts: { receipts: { length: 5 } }, tasks: [{ task_id, phase: 'evaluate' }] }
    })
    expect(explanation.verdict).toBe(
      'This daemon is registering alice.chronym (phase evaluate). None of the 5 peers that answered holds a claim of it.'
    )
    expect(explanation.notes.join('\n')).toMatch(
      /5 of 5 receipts that peers have signed say that they saw the commitment before its pulse/
    )
    expect(owner.network.sent.some((message) => message.startsWith('get'))).toBe(false)
    // Nor is it for those who may not know of it; to them it is a name that nobody holds.
    bench.world.peers[4]!.reveals.set(ALICE, { state: 'settled', reveal: await rival() })
    const anonymous = await explained(owner)
    expect(anonymous).toMatchObject({
      rule: 'nobody-holds-it',
      state: 'none',
      error: { code: 'SVC-RES-002' },
      own: null,
      asked: { peers: 5, answered: 4 }
    })
    expect(anonymous.verdict).toBe('Nobody owns alice.chronym: none of the 4 peers that answered holds a record of it.')
    expect(owner.network.sent.some((message) => message.startsWith('get'))).toBe(false)
    bench.holdEverywhere(await rival())
    expect((await explained(owner, { withOwn: true })).verdict).toMatch(
      /5 of the 5 peers that answered hold a claim of it\.$/
    )
    expect(await explained(owner), 'nothing is left to hide').toMatchObject({
      rule: 'majority',
      owner: RIVAL_KEY,
      own: null
    })
  })
})
