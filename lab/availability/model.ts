/**
 * Modelled time, pulses and proofs of the measured network: rounds pass on command and nothing is squared. All else is
 * the daemon's code.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { VerifiedPulse } from '../../src/beacon/types.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../src/protocol/identity/judge-documents.ts'
import { roundTimeMs, pulseRandomness } from '../../src/protocol/time.ts'
import { concatBytes, equalBytes, sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { NodeParts } from '../../bench/network/node.ts'

/** The round that the network begins at. */
export const FIRST_ROUND = 1_000_000

/** The event loop counts as quiet when it was busy for less than this part of the last look. */
const QUIET_BUSY = 0.5
const LOOK_MS = 40

/** How long to wait for running work before the next step of time. */
const LONGEST_MS = 20_000

export interface Model extends Pick<Required<NodeParts>, 'beacon' | 'pool' | 'clock' | 'timers' | 'elapsed'> {
  /** Advances to that round: all receive its pulse, due timers run once, and their work ends before this resolves. */
  pass(round: number): Promise<void>
}

export function createModel(profile: NetworkProfile): Model {
  let round = FIRST_ROUND
  const beganMs = roundTimeMs(FIRST_ROUND, profile.beacon)
  const nowMs = (): number => roundTimeMs(round, profile.beacon)
  const listeners = new Set<(pulse: VerifiedPulse) => void>()
  const timers = new Set<{ readonly milliseconds: number; dueMs: number; readonly action: () => void }>()
  return {
    clock: nowMs,
    // Budgets refill by rounds and by milliseconds.
    elapsed: () => performance.now() + nowMs() - beganMs,
    beacon: {
      latest: () => modelledPulse(round),
      verify: (pulse) => Promise.resolve(equalBytes(pulse.signature, modelledPulse(pulse.round).signature)),
      on(_event, listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    },
    pool: {
      judgeIdentity: async (record, profile) => judgeIdentity(record, profile),
      judgeManifest: async (record, profile) => judgeManifest(record, profile),
      judgeSpeaker: async (manifest, identity, profile) => judgeSpeaker(manifest, identity, profile),
      verifyProof: ({ seed, iterations, proof }) => Promise.resolve(equalBytes(proof, modelledProof(seed, iterations)))
    },
    timers: {
      every(milliseconds, action) {
        const timer = { milliseconds, dueMs: nowMs() + milliseconds, action }
        timers.add(timer)
        return () => timers.delete(timer)
      }
    },
    async pass(next) {
      round = next
      for (const listener of listeners) listener(modelledPulse(round))
      for (const timer of timers) {
        if (timer.dueMs > nowMs()) continue
        timer.dueMs = nowMs() + timer.milliseconds
        timer.action()
      }
      await quiet()
    }
  }
}

export function modelledPulse(round: number): VerifiedPulse {
  const signature = concatBytes(sha256(utf8('pulse'), u64be(round)), new Uint8Array(16))
  return { round, signature, randomness: pulseRandomness(signature) }
}

/** 200 bytes, as a proof of one segment has, that only this seed and number of squarings give. */
export function modelledProof(seed: Uint8Array, iterations: number): Uint8Array {
  return concatBytes(...Array.from({ length: 7 }, (_, part) => sha256(seed, u64be(iterations), u64be(part)))).subarray(
    0,
    200
  )
}

/** Resolves when the event loop has little to do, in 20 s at most. */
async function quiet(): Promise<void> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    const before = performance.eventLoopUtilization()
    await delay(LOOK_MS)
    if (performance.eventLoopUtilization(before).utilization < QUIET_BUSY || performance.now() > end) return
  }
}
