/** Requests between nodes in virtual time. */
import type { AnswerTo, Answer, Request } from '../../../src/network/wire/messages.ts'
import { AskError } from '../../../src/network/wire/exchange.ts'
import { REQUEST_TIMEOUT_MS } from '../../../src/network/wire/frame.ts'
import type { Timeline } from '../world/timeline.ts'
import type { NodePort } from '../ports.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'

/** Where an answer has come, whether it is still waited for or not. */
type Arrived<N> = (at: N, request: Request, answer: Answer, from: N) => void

export class Transport<N extends NodePort> {
  readonly #timeline: Timeline
  readonly #faults: Faults<N>
  readonly #ledger: Ledger
  readonly #arrived: Arrived<N>

  constructor(timeline: Timeline, faults: Faults<N>, ledger: Ledger, arrived: Arrived<N>) {
    this.#timeline = timeline
    this.#faults = faults
    this.#ledger = ledger
    this.#arrived = arrived
  }

  /** Whether a connection between the two can be made now. */
  reaches(from: N, to: N): boolean {
    return from.isAwake && to.isAwake && !this.#faults.isCut(from, to)
  }

  /** Rejects with AskError ten seconds later where no answer comes, or with the signal's reason. */
  ask<R extends Request>(from: N, to: N, request: R, signal?: AbortSignal): Promise<AnswerTo<R>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error)
        return
      }
      let isOpen = true
      const end = (how: () => void): void => {
        if (!isOpen) return
        isOpen = false
        timeout.cancel()
        signal?.removeEventListener('abort', aborted)
        how()
      }
      const aborted = (): void => end(() => reject(signal!.reason as Error))
      const timeout = this.#timeline.after(REQUEST_TIMEOUT_MS, () =>
        end(() => {
          // As `dropUnreachable` of src/network/routing: a peer whose connection is open stays in the table.
          if (!this.reaches(from, to)) from.view.lost(to)
          reject(new AskError(`${to.peer.peer} gave no answer`))
        })
      )
      signal?.addEventListener('abort', aborted, { once: true })
      this.#ledger.message(from.isAttacker, request)
      const answered = (answer: Answer | undefined): void => {
        if (answer === undefined || !this.reaches(to, from)) return
        this.#ledger.message(to.isAttacker, answer)
        if (this.#faults.isLost()) return
        this.#timeline.after(this.#faults.delayMs(to, from), () => {
          this.#arrived(from, request, answer, to)
          end(() => resolve(answer))
        })
      }
      const copies = this.#faults.isDuplicated() ? 2 : 1
      for (let copy = 0; copy < copies; copy++) {
        if (this.#faults.isLost()) continue
        this.#timeline.after(this.#faults.delayMs(from, to), () => {
          if (this.reaches(from, to)) void to.answer(request, from).then(answered)
        })
      }
    })
  }
}
