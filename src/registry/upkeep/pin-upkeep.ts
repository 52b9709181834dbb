import { livePin } from '../../protocol/resolution/pin.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { RegistryContext } from '../context.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'
import { isSecret, survey } from '../resolution/survey.ts'

const SECOND_MS = 1000
/** One look at a time, at most 120 an hour where `pin_after` is a day: more than two thousand new names a day. */
const LONGEST_TICK_MS = 30 * SECOND_MS
/** Ticks in `pin_after`, where that is short. */
const TICKS = 20
/** A look that failed, or saw no majority, is repeated after this part of `pin_after`. */
const AGAIN_PART = 24

/**
 * Looks a second time, a day or more later, for owners that were seen once. Those that the same majority names are
 * pinned firmly (docs/protocol/rules.md, 11).
 */
export class PinUpkeep {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  readonly #looks = new RepeatedLook((signal) => this.#look(signal))

  constructor(context: RegistryContext, tasks: ClaimTasks) {
    this.#context = context
    this.#tasks = tasks
  }

  start(): void {
    const { clock, profile } = this.#context
    const tickMs = Math.min(
      LONGEST_TICK_MS,
      Math.max(SECOND_MS, Math.floor((profile.pin_after * profile.beacon.period * SECOND_MS) / TICKS))
    )
    this.#looks.start(clock, tickMs)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  /** Never rejects. */
  async #look(signal: AbortSignal): Promise<void> {
    try {
      const { pins, profile, network } = this.#context
      const time = this.#context.time()
      pins.sweep(time)
      const name = pins.due(time, (pin) => livePin(pin, time, profile) !== undefined) as Name | undefined
      if (name === undefined || network.status().status === 'offline') return
      // Whatever the result, others have their turn first.
      this.#postpone(name)
      if (!isSecret(this.#tasks, name)) await survey(this.#context, name, signal, 'everybody')
    } catch (error) {
      if (!signal.aborted)
        this.#context.log.info(
          { reason: (error as Error).message },
          'an owner could not be looked at a second time; it is tried again by itself'
        )
    }
  }

  #postpone(name: Name): void {
    const { pins, profile } = this.#context
    const pin = pins.get(name)
    if (pin?.state === 'tentative')
      pins.set(name, { ...pin, lookRound: this.#context.time().lapse + Math.ceil(profile.pin_after / AGAIN_PART) })
  }
}
