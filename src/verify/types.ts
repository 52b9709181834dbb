/** What the verifier answers, and what it needs of the machine. */
import type { VdfQuestion } from '../vdf/verify.ts'

/** What does the arithmetic: the addon, or BigInt in plain TypeScript. */
export type Backend = 'native' | 'bigint'

/** Both are pure: the same question has the same answer, and nothing is read or sent. */
export interface Engine {
  readonly backend: Backend
  readonly verifyVdf: (question: VdfQuestion) => boolean
  /** Whether the chain of that key (96 bytes, on G2) signed the round (48 bytes, on G1). */
  readonly verifyPulse: (publicKey: Uint8Array, round: number, signature: Uint8Array) => boolean
}

export interface Check {
  readonly rule: string
  /** What the rule asks, in words. */
  readonly title: string
  /** Null: not reached, since an earlier one failed. */
  readonly passed: boolean | null
  /** What was found; empty where it was not reached. */
  readonly detail: string
}

/** Of the longer checks: how many of them are done. */
export interface Progress {
  readonly rule: 'pulse' | 'proof'
  readonly done: number
  readonly of: number
}

/** The outcome. An invalid thing is an answer, not an error. */
export interface Verification<T> {
  readonly valid: boolean
  /** In the order in which they were made. */
  readonly checks: readonly Check[]
  /** The first that failed. */
  readonly problem?: { readonly rule: string; readonly detail: string }
  /** What the bytes say, when valid. */
  readonly value?: T
  readonly backend: Backend
}
