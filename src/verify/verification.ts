/**
 * What the verifier answers, what it needs of the machine, and how it runs checks one after the other until one fails.
 */
import { verifyPulse, verifyQuestion, type VdfQuestion } from '../vdf/verify.ts'
import { ProtocolError } from '../protocol/errors.ts'

/** What does the arithmetic: the addon, or BigInt in plain TypeScript. */
export type Backend = 'native' | 'bigint'

/** Both are pure: the same question has the same answer, and nothing is read or sent. */
export interface Engine {
  readonly backend: Backend
  readonly verifyVdf: (question: VdfQuestion) => boolean
  /** Whether the chain of that key (96 bytes, on G2) signed the round (48 bytes, on G1). */
  readonly verifyPulse: (publicKey: Uint8Array, round: number, signature: Uint8Array) => boolean
}

/** The engine in plain TypeScript, for browsers and where no addon loads. */
export const bigintEngine: Engine = { backend: 'bigint', verifyVdf: verifyQuestion, verifyPulse }

export interface Check {
  readonly rule: string
  /** What the rule asks, in words. */
  readonly title: string
  /** Null: not reached, since an earlier one failed. */
  readonly passed: boolean | null
  /** What was found; empty where it was not reached. */
  readonly detail: string
}

/** How many of the longer checks are done. */
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

export interface Step {
  readonly rule: string
  readonly title: string
}

/** Why a check failed, where no error of the protocol says it. `rule` names another step than the one that runs. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly rule: string | undefined

  constructor(detail: string, rule?: string) {
    super(detail)
    this.rule = rule
  }
}

/**
 * Runs `check`, which reports each step that has passed and throws ProtocolError or Refusal at the one that fails.
 * Steps that it did not report before are those that passed in silence.
 */
export async function runSteps<T>(
  steps: readonly Step[],
  backend: Backend,
  check: (passed: (rule: string, detail: string) => void) => T | Promise<T>
): Promise<Verification<T>> {
  const found = new Map<string, string>()
  const listed = (failing: number, detail: string): readonly Check[] =>
    steps.map(({ rule, title }, index) => ({
      rule,
      title,
      passed: index < failing ? true : index === failing ? false : null,
      detail: index < failing ? (found.get(rule) ?? 'holds') : index === failing ? detail : ''
    }))
  let at = 0
  const passed = (rule: string, detail: string): void => {
    found.set(rule, detail)
    at = steps.findIndex((step) => step.rule === rule) + 1
  }
  try {
    const value = await check(passed)
    return { valid: true, checks: listed(steps.length, ''), value, backend }
  } catch (error) {
    if (!(error instanceof ProtocolError || error instanceof Refusal)) throw error
    const named = error instanceof Refusal ? error.rule : undefined
    const failing = named === undefined ? at : steps.findIndex(({ rule }) => rule === named)
    const detail = error instanceof ProtocolError ? error.detail : error.message
    return {
      valid: false,
      checks: listed(failing, detail),
      problem: { rule: steps[failing]!.rule, detail },
      backend
    }
  }
}
