import type { RegistryContext } from './context.ts'
import type { RegistryEvent } from './use-cases.ts'
import type { NameWarning, NameWarningCode } from '../views/own.ts'

const SAY_AGAIN_MS = 24 * 60 * 60 * 1000
/** Logged when they appear, with more detail (standing.ts). */
const TOLD_ELSEWHERE: ReadonlySet<NameWarningCode> = new Set(['contested', 'lost'])

/**
 * Tells what owners of names should know. The log has it when it appears and once a day; the event stream when it
 * appears and ends.
 */
export class NameWarnings {
  readonly #context: RegistryContext
  readonly #emit: (event: RegistryEvent) => void
  readonly #said = new Map<string, { readonly name: string; readonly code: NameWarningCode; readonly atMs: number }>()

  constructor(context: RegistryContext, emit: (event: RegistryEvent) => void) {
    this.#context = context
    this.#emit = emit
  }

  /** `current`: by name, all that holds now. */
  tell(current: ReadonlyMap<string, readonly NameWarning[]>): void {
    const { log, clock } = this.#context
    const standing = new Set<string>()
    for (const [name, warnings] of current) {
      for (const { code, message } of warnings) {
        if (TOLD_ELSEWHERE.has(code)) continue
        const key = `${name} ${code}`
        standing.add(key)
        const said = this.#said.get(key)
        if (said !== undefined && Math.abs(clock.now() - said.atMs) < SAY_AGAIN_MS) continue
        this.#said.set(key, { name, code, atMs: clock.now() })
        log.warn({ name, warning: code }, `${name}: ${message}`)
        if (said === undefined) this.#emit({ type: 'name:warning', detail: { name, warning: code, message } })
      }
    }
    for (const [key, { name, code }] of this.#said) {
      if (standing.has(key)) continue
      this.#said.delete(key)
      log.info({ name, warning: code }, 'a warning about this name no longer holds')
      this.#emit({ type: 'name:warning-over', detail: { name, warning: code } })
    }
  }
}
