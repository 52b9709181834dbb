/**
 * Invariant P11 of docs/protocol/rules.md, 18: a process that is killed at any write of the store, and started again
 * on what it left.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRoundClock } from '../../src/time/clock.ts'
import { createCommitments } from '../../src/network/holder/commitments.ts'
import { roundTimeMs } from '../../src/protocol/time.ts'
import { sha256, toHex, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import { parseProfile, profileHash } from '../../src/protocol/profile/profile.ts'
import { vdfSeed } from '../../src/protocol/claim/proof.ts'
import { decodeContext, decodeDraft, encodeContext, encodeDraft } from '../../src/registry/claims/journal.ts'
import { TaskJournal } from '../../src/registry/claims/journal.ts'
import { TaskLedger, type Task } from '../../src/registry/claims/ledger.ts'
import { hasEnded, newTask, nextPhase } from '../../src/registry/claims/task.ts'
import { keyOf, LOCAL } from '../protocol/fixtures.ts'
import { MemoryStore } from '../registry/claims/fakes.ts'
import { ManualClock } from '../time/manual-clock.ts'
import { CASES } from './cases.ts'

const PROFILE = parseProfile({ ...LOCAL, id: 'crashes', stamp_bits: 0 })
const HASH = profileHash(PROFILE)

class Killed extends Error {}

/** A disk whose process dies at the n-th moment before or after a write. */
class Disk extends MemoryStore {
  #left = Infinity

  constructor() {
    super()
    const moment = (): void => {
      if (this.#left <= 0 || --this.#left === 0) throw new Killed()
    }
    this.onWrite = moment
    this.onWritten = moment
  }

  override setAside(key: string): never {
    throw new Error(`${key} cannot be read`)
  }

  /** A new life, which ends at that moment. */
  live(moments: number): void {
    this.#left = moments
  }
}

/** Whether it lived to the end. */
function survives(life: () => void): boolean {
  try {
    life()
    return true
  } catch (error) {
    if (error instanceof Killed) return false
    throw error
  }
}

/** Moments until each death; the last life is not cut short. */
const deaths = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 })

describe('killed at any write', () => {
  it('P11: a peer remembers every receipt that it has sent, with the same s', () => {
    const steps = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('receive' as const),
          which: fc.nat(7),
          prefix: fc.constantFrom('a', 'b')
        })
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('time' as const),
          rounds: fc.integer({ min: 1, max: PROFILE.commit_keep })
        })
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) }
    )
    const commitment = (index: number): Uint8Array => sha256(utf8('C'), u64be(index))
    fc.assert(
      fc.property(
        fc.array(fc.array(steps, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }),
        deaths,
        fc.boolean(),
        (lives, moments, isRoomy) => {
          const disk = new Disk()
          let round = 1000
          const sent = new Map<number, { seen: number; lastSent: number }>()
          const open = () => {
            const clock = createRoundClock(
              { latest: () => ({ round, signature: new Uint8Array(48), randomness: new Uint8Array(32) }) },
              PROFILE,
              disk,
              () => roundTimeMs(round, PROFILE.beacon)
            )
            return createCommitments(disk, PROFILE, clock, isRoomy ? undefined : { total: 3, perPrefix: 2 })
          }
          for (const [index, life] of lives.entries()) {
            disk.live(moments[index] ?? Infinity)
            survives(() => {
              const held = open()
              const waiting: (() => void)[] = []
              for (const step of life) {
                if (step.kind === 'time') round += step.rounds
                else if (step.kind === 'forget') held.forget()
                else if (step.kind === 'receive') {
                  const received = held.receive(commitment(step.which), u64be(0), step.prefix)
                  const lastSent = round
                  if ('seen' in received) waiting.push(() => sent.set(step.which, { seen: received.seen, lastSent }))
                } else {
                  held.flush()
                  // Receipts go out when this returns.
                  for (const send of waiting.splice(0)) send()
                }
              }
            })
            disk.live(Infinity)
            const again = open()
            for (const [which, receipt] of sent) {
              const { seen } = again.facts(commitment(which))
              // Only what the rules drop is not remembered: a full table, or nothing sent for commit_keep (less the
              // eighth by which writes are put off).
              const mayBeGone = !isRoomy || round > receipt.lastSent + (PROFILE.commit_keep * 7) / 8 - 1
              if (!mayBeGone) expect(seen, `C ${which} of round ${receipt.seen} at ${round}`).toBe(receipt.seen)
              // Dropped, and come again before the process died: no receipt names an earlier round than the table.
              if (seen !== receipt.seen) sent.delete(which)
              if (seen !== undefined) expect(seen).toBeGreaterThanOrEqual(receipt.seen)
            }
          }
        }
      ),
      CASES
    )
  })

  it('P11: an owner goes on with the same (C, salt, p), and signs one reveal', () => {
    const key = keyOf('owner')
    fc.assert(
      fc.property(deaths, fc.infiniteStream(fc.nat(9)), (moments, chance) => {
        const disk = new Disk()
        const world = {
          commitments: new Set<string>(),
          squared: new Set<string>(),
          plans: new Set<string>(),
          reveals: new Set<string>()
        }
        let round = 1000
        let salts = 0
        const draw = (): number => chance.next().value as number
        const commitmentOf = (salt: Uint8Array): Uint8Array =>
          commitmentHash('alice.chronym', key.publicKey, salt, HASH)

        const live = (): void => {
          const journal = new TaskJournal(disk)
          const ledger = new TaskLedger(journal, new ManualClock(), () => 0)
          for (const { state, lastEventId } of journal.load())
            ledger.apply(ledger.hold(state, lastEventId), { type: 'restarted' })
          let task = ledger.all().next().value as Task | undefined
          if (task === undefined) {
            const state = newTask({ id: 'task', name: 'alice.chronym', kind: 'register', order: 1, iterations: 10 }, 0)
            journal.save({ state, lastEventId: 0 })
            task = ledger.hold(state, 0)
          }
          for (let steps = 0; !hasEnded(task.state); steps++) {
            round += draw()
            if (steps < 20 && draw() === 0) ledger.apply(task, { type: 'interrupted' })
            ledger.apply(task, { type: 'started' })
            advance(task, ledger)
          }
        }

        /** One step of a claim, in the order in which the daemon takes them: on disk first, then the world. */
        const advance = (task: Task, ledger: TaskLedger): void => {
          const { state } = task
          switch (nextPhase(state)) {
            case 'commit': {
              if (state.draft === null) {
                const salt = sha256(utf8('salt'), u64be(salts++))
                ledger.apply(task, {
                  type: 'drafted',
                  draft: encodeDraft({ salt, nonce: u64be(0), sentRound: round, pulseRound: null })
                })
              }
              const draft = decodeDraft(task.state.draft!)
              world.commitments.add(toHex(commitmentOf(draft.salt)))
              if (draw() < 3) return
              ledger.apply(task, {
                type: 'committed',
                draft: encodeDraft({ ...draft, pulseRound: round + PROFILE.min_commit })
              })
              return
            }
            case 'pulse': {
              const { salt, pulseRound } = decodeDraft(state.draft!)
              const pulse = sha256(u64be(pulseRound!))
              const seed = vdfSeed({ commitment: commitmentOf(salt), round: pulseRound!, randomness: pulse }, HASH)
              ledger.apply(task, {
                type: 'planned',
                plan: {
                  evaluation: { seed, discriminantBits: 1024, iterations: 10, split: null },
                  deadlineMs: null,
                  context: encodeContext({ salt, pulseRound: pulseRound!, pulse })
                }
              })
              return
            }
            case 'evaluate': {
              const { evaluation, context } = state.plan!
              const { seed } = evaluation
              const { salt, pulseRound } = decodeContext(context)
              world.squared.add(toHex(seed))
              world.plans.add(`${toHex(commitmentOf(salt))} ${toHex(salt)} ${pulseRound}`)
              ledger.apply(task, { type: 'advanced', phase: 'evaluate', squarings: draw(), phaseProgress: 0 })
              if (draw() < 5) return
              ledger.apply(task, { type: 'proved', proof: sha256(utf8('proof'), seed) })
              return
            }
            case 'reveal': {
              if (state.reveal === null)
                ledger.apply(task, { type: 'signed', reveal: sha256(utf8('reveal'), state.proof!, u64be(round)) })
              world.reveals.add(toHex(task.state.reveal!))
              if (draw() < 5) return
              ledger.apply(task, { type: 'published' })
            }
          }
        }

        for (const each of [...moments, Infinity]) {
          disk.live(each)
          if (survives(live)) break
        }
        const [plan] = world.plans
        expect([world.commitments.size, world.squared.size, world.plans.size, world.reveals.size]).toEqual([1, 1, 1, 1])
        expect(plan!.startsWith([...world.commitments][0]!)).toBe(true)
      }),
      CASES
    )
  })
})
