/** The thread of overhead.ts: the pool's loop around an evaluation, with bare squarings after each of its slices. */
import type { MessagePort } from 'node:worker_threads'
import { addon } from '../../src/native/addon.ts'
import { answer, type Answer, type WorkerCalls } from '../../src/native/worker/requests.ts'
import { runEvaluation } from '../../src/native/worker/evaluate.ts'
import { Slot, type SlotProgress } from '../../src/native/slot.ts'

/** Milliseconds on the clock and microseconds of the thread's processor time. */
interface Times {
  readonly clockMs: number
  readonly cpuUs: number
}

/** As many squarings by a task and by the bare loop, one after the other. */
export interface Turns {
  readonly squarings: number
  readonly task: Times
  readonly bare: Times
}

/** The argument of `evaluate`, and where each pair of turns is posted, and null after the last. */
type TurnsRequest = WorkerCalls['evaluate']['request'] & {
  readonly turns: MessagePort
  readonly memoryBytes: number
}

/**
 * As worker.ts's, but for the turns. A task's turn is all that the thread does between two bare turns: a slice, its
 * progress, a checkpoint when due. A bare turn is one call of the kernel.
 */
export function evaluate({
  evaluation: { seed, discriminantBits, iterations },
  terms: { checkpointSeconds },
  slot: memory,
  checkpoints,
  turns,
  memoryBytes
}: TurnsRequest): Answer<Uint8Array | null> {
  return answer(() => {
    const { Discriminant, Evaluation } = addon()
    const discriminant = Discriminant.fromSeed(seed, discriminantBits)
    const begin = (): InstanceType<typeof Evaluation> =>
      new Evaluation(discriminant, null, iterations, null, memoryBytes)
    const bare = begin()
    const slot = new TurnSlot(
      memory,
      (count, stop) => {
        bare.advance(count, stop)
      },
      turns
    )
    if (!slot.begin()) return null
    const proof = runEvaluation({
      evaluation: begin(),
      slot,
      checkpointMs: checkpointSeconds * 1000,
      savedIntermediates: 0,
      onCheckpoint: (checkpoint) => {
        checkpoints.postMessage(checkpoint, [
          checkpoint.state.buffer as ArrayBuffer,
          checkpoint.appended.buffer as ArrayBuffer
        ])
      },
      now: () => performance.now()
    })
    return proof ?? null
  })
}

/** Squares as much again, bare, whenever a slice is over. Posts null after the last squaring. */
class TurnSlot extends Slot {
  readonly #bare: (squarings: number, stop: Uint32Array) => void
  readonly #turns: MessagePort
  readonly #never = new Uint32Array(1)
  #squarings = 0
  #turn: Times | undefined

  constructor(memory: SharedArrayBuffer, bare: (squarings: number, stop: Uint32Array) => void, turns: MessagePort) {
    super(memory)
    this.#bare = bare
    this.#turns = turns
  }

  override publish(progress: SlotProgress): void {
    super.publish(progress)
    if (progress.phase !== 'squaring') {
      this.#turns.postMessage(null)
      return
    }
    const squarings = progress.squarings - this.#squarings
    this.#squarings = progress.squarings
    const between = times()
    this.#bare(squarings, this.#never)
    const end = times()
    if (this.#turn !== undefined)
      this.#turns.postMessage({
        squarings,
        task: since(this.#turn, between),
        bare: since(between, end)
      } satisfies Turns)
    this.#turn = times()
  }
}

function times(): Times {
  const { user, system } = process.threadCpuUsage()
  return { clockMs: performance.now(), cpuUs: user + system }
}

function since(before: Times, after: Times): Times {
  return { clockMs: after.clockMs - before.clockMs, cpuUs: after.cpuUs - before.cpuUs }
}
