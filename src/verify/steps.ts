/** Runs checks one after the other until one fails. */
import { ProtocolError } from '../protocol/errors.ts'
import type { Backend, Check, Verification } from './types.ts'

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
