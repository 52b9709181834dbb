/** Workers and daemons of a farm in processes of their own, and what they compute. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Evaluator } from '../../src/evaluations/evaluator.ts'
import { type Place, thisMachine } from '../../src/evaluations/places.ts'
import type { Farm } from '../../src/farm/farm.ts'
import type { Evaluation, NativePool, ProofQuestion } from '../../src/native/types.ts'
import type { FarmTimes } from '../../src/farm/link.ts'

const BITS = 512
/** Some tenths of a second. */
export const ITERATIONS = 60_000

export function planOf(seed: number, iterations = ITERATIONS): Evaluation {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, seed)
  return { seed: bytes, discriminantBits: BITS, iterations, split: null }
}

export function questionOf({ discriminantBits: bits, ...others }: Evaluation, proof: Uint8Array): ProofQuestion {
  return { ...others, bits, proof }
}

type Parts = ConstructorParameters<typeof Evaluator>[0]

/** An evaluation of no task. */
export function evaluationWith(
  parts: Pick<Parts, 'directory' | 'place' | 'checkpointSeconds' | 'log'> & Partial<Parts>
): Evaluator {
  return new Evaluator({
    about: {},
    signal: new AbortController().signal,
    hasBegun: () => false,
    begins: () => undefined,
    pause: () => delay(20),
    cannotSave: () => undefined,
    ...parts
  })
}

/** Places for evaluations of no task: what the farm has from before, then slots here, then the room of the farm. */
export class Places {
  readonly #pool: Place
  readonly #farm: Farm
  readonly #slots: () => number
  readonly #taken = { here: 0, away: 0 }

  constructor(pool: Pick<NativePool, 'evaluate'>, farm: Farm, slots: () => number) {
    this.#pool = thisMachine(pool)
    this.#farm = farm
    this.#slots = slots
  }

  /** Once one has room. */
  async place(evaluation: Evaluation, signal?: AbortSignal): Promise<Place> {
    for (;;) {
      const mayGo = this.#farm.accepts(evaluation)
      const isHeld = mayGo && (await this.#farm.holds(evaluation))
      signal?.throwIfAborted()
      if (!isHeld && this.#taken.here < this.#slots()) return this.#counted(this.#pool, 'here')
      if (isHeld || (mayGo && this.#taken.away < this.#farm.room())) return this.#counted(this.#farm, 'away')
      await delay(20)
    }
  }

  #counted(place: Place, where: 'here' | 'away'): Place {
    this.#taken[where]++
    const ended = (): void => {
      this.#taken[where]--
    }
    return {
      begin: async (...given) => {
        const handle = await place.begin(...given).catch((error: unknown) => {
          ended()
          throw error
        })
        if (handle === undefined) ended()
        else void handle.outcome.then(ended)
        return handle
      }
    }
  }
}

interface FarmArguments {
  readonly url: string
  readonly network: string
  readonly times: FarmTimes
}

export interface WorkerArguments extends FarmArguments {
  readonly name: string
  /** Of a `SteppedPool`; null: nowhere. Left out: it squares on threads of its own. */
  readonly heldAt?: number | null
}

export interface DaemonArguments extends FarmArguments {
  readonly directory: string
  /** Evaluations at once. */
  readonly tasks: number
  readonly checkpointSeconds: number
  readonly iterations: number
}

/** Of all processes of this machine alike: orders what several of them say. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

export class FarmProcess {
  readonly process: ChildProcess
  /** Infinity while it runs. */
  killedMs = Infinity

  constructor(script: string, args: FarmArguments) {
    const path = new URL(script, import.meta.url).pathname
    this.process = spawn(process.execPath, [path, JSON.stringify(args)], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void {
    this.process.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return
    const exited = once(this.process, 'exit')
    this.process.kill('SIGKILL')
    await exited
    this.killedMs = monotonicMs()
  }
}

/** One evaluation that a worker took up; times are {@link monotonicMs}. */
export interface Stretch {
  readonly job: string
  readonly worker: FarmProcess
  /** When it got the message, before it looked for what was saved. */
  readonly takenMs: number
  readonly from: number
  /** As far as it was heard. */
  to: number
  readonly reached: { readonly ms: number; readonly squarings: number }[]
  /** Its last save that was done. */
  saved: { readonly beganMs: number; readonly squarings: number } | undefined
}

export class WorkerProcess extends FarmProcess {
  readonly stretches: Stretch[] = []
  /** What else it said. */
  readonly said: string[] = []

  constructor(args: WorkerArguments) {
    super('worker-process.ts', args)
    let takenMs = 0
    let savesMs = 0
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      const { message, job, squarings, ms } = JSON.parse(line) as Record<'message' | 'job', string> &
        Record<'squarings' | 'ms', number>
      const last = this.stretches.at(-1)
      if (message === 'takes') takenMs = ms
      else if (message === 'begins')
        this.stretches.push({
          ...{ job, worker: this, takenMs, from: squarings, to: squarings },
          ...{ reached: [{ ms, squarings }], saved: undefined }
        })
      else if (message === 'at' && last !== undefined) {
        last.to = Math.max(last.to, squarings)
        last.reached.push({ ms, squarings })
      } else if (message === 'saves') savesMs = ms
      else if (message === 'saved' && last !== undefined) last.saved = { beganMs: savesMs, squarings }
      else this.said.push(message)
    })
  }
}
