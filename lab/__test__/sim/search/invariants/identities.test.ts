/** What the watcher of identity logs calls broken: P6, by holders that do not hear each other. */
import { describe, expect, it } from 'vitest'
import { IdentityInvariants, supersedes } from '../../../../sim/search/invariants/identities.ts'
import type { Violation } from '../../../../sim/search/invariants/violation.ts'
import {
  heldDocuments,
  holding,
  identityRecord,
  multikeys,
  sendDocument,
  Signer
} from '../../../../sim/people/identity.ts'
import { DAY_MS, HOUR_MS, World } from '../../../../sim/world/world.ts'

const log = (hashes: string, recoveries = '') => ({
  hashes: Array.from(hashes),
  recoveries: Array.from(hashes, (hash) => recoveries.includes(hash))
})

/** An owner recovers while half of the holders are cut off for so long. Holders by log, and violations, two days later. */
async function recoveryWhile(cutDays: number): Promise<{ recovered: number; of: number; violations: Violation[] }> {
  const world = new World('identities')
  for (let index = 0; index < 30; index++) world.addNode()
  const client = world.addClient()
  const owner = new Signer(world)
  const genesis = owner.genesis()
  const by = { stamp: { round: world.round(), nonce: new Uint8Array(8) } }
  const watcher = new IdentityInvariants(world)
  const look = (): void => {
    watcher.look()
    world.timeline.after(HOUR_MS, look)
  }
  look()
  const recovered = [genesis, owner.next(genesis, { updateKeys: multikeys(new Signer(world).update) }, owner.recovery)]
  const live = async (): Promise<void> => {
    await sendDocument(client, 'kid', genesis.id, identityRecord(world, [genesis], by))
    const away = heldDocuments(world, 'kid', genesis.id).filter((_, index) => index % 2 === 1)
    world.faults.cut((node) => (cutDays > 0 && away.some((each) => each.node === node) ? 1 : 0))
    await sendDocument(client, 'kid', genesis.id, identityRecord(world, recovered, by))
    await world.sleep(cutDays * DAY_MS)
    world.faults.cut(undefined)
  }
  world.timeline.after(0, () => void live())
  await world.timeline.runUntil(world.timeline.nowMs + (cutDays + 2) * DAY_MS)
  const { count, of } = holding(world, recovered)
  return { recovered: count, of, violations: watcher.violations }
}

describe('P6', () => {
  it('is kept by holders that hear each other', async () => {
    expect(await recoveryWhile(0)).toEqual({ recovered: 20, of: 20, violations: [] })
  })

  it('is broken where half of the holders lack a recovery for more than a day, and all have it once they meet', async () => {
    expect(await recoveryWhile(2)).toMatchObject({ recovered: 20, of: 20, violations: [{ rule: 'P6' }] })
  })

  it('asks for the longer log of a branch, and for the branch of the one recovery', () => {
    expect([supersedes(log('abc'), log('ab')), supersedes(log('ab'), log('abc'))]).toEqual([true, false])
    expect([supersedes(log('ax', 'x'), log('abc')), supersedes(log('abc'), log('ax', 'x'))]).toEqual([true, false])
    // Where both have one, or neither, the log that was seen first stays.
    expect([supersedes(log('ax', 'x'), log('ab', 'b')), supersedes(log('ax'), log('ab'))]).toEqual([false, false])
    expect(supersedes(log('ab'), log('ab'))).toBe(false)
  })
})
