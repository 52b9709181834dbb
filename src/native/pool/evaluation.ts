/** The owner's side of an evaluation: follows a worker's long call, forwards its checkpoints, stops it. */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { failure, type Call, type WorkerCalls } from '../worker/requests.ts'
import { Slot } from '../slot.ts'
import type { Checkpoint, EvaluationHandle, EvaluationOutcome } from '../types.ts'

export interface RunningEvaluation extends EvaluationHandle {
  /** Sets the number of threads it may use, from its next slice on. */
  allot(threads: number): void
}

export function startEvaluation(
  asked: Pick<WorkerCalls['evaluate']['request'], 'evaluation' | 'terms'>,
  onCheckpoint: (checkpoint: Checkpoint) => void,
  call: Call
): RunningEvaluation {
  const slot = new Slot()
  const { port1: checkpoints, port2: workerSide } = new MessageChannel()
  const { promise: outcome, resolve } = Promise.withResolvers<EvaluationOutcome>()
  let refusal: EvaluationOutcome | undefined
  let ended = false

  const receive = (checkpoint: Checkpoint): void => {
    if (ended || refusal !== undefined) return
    try {
      onCheckpoint(checkpoint)
    } catch (error) {
      refusal = { kind: 'failed', code: 'CHECKPOINT_REFUSED', message: failure(error).message }
      slot.stop()
    }
  }
  /** The last messages of the worker are in the port's queue by now, but perhaps not delivered. */
  const receiveRest = (): void => {
    for (let entry; (entry = receiveMessageOnPort(checkpoints)) !== undefined;) receive(entry.message as Checkpoint)
  }
  const end = (result: EvaluationOutcome): void => {
    if (ended) return
    ended = true
    checkpoints.close()
    resolve(result)
  }

  checkpoints.on('message', receive)
  const transfer = [workerSide, ...ownMemory(asked.terms.resume?.intermediates)]
  call('evaluate', { ...asked, slot: slot.memory, checkpoints: workerSide }, transfer).then(
    (proof) => {
      receiveRest()
      end(refusal ?? (proof === null ? { kind: 'stopped' } : { kind: 'proof', proof }))
    },
    (error: unknown) => {
      receiveRest()
      const { code, message } = failure(error)
      end(refusal ?? { kind: 'failed', code, message })
    }
  )

  return {
    progress() {
      const { phase, squarings, phaseProgress, remaining, squaringsPerSecond } = slot.read()
      return { phase, squarings, phaseProgress, remaining, squaringsPerSecond }
    },
    allot: (threads) => slot.allot(threads),
    stop() {
      slot.stop()
      // Still waiting for a thread: nothing was computed, and the thread has nothing to say.
      if (slot.withdraw()) end({ kind: 'stopped' })
    },
    outcome
  }
}

/** The memory of `bytes` if it is theirs alone: small buffers share one of `Buffer.poolSize`. */
function ownMemory(bytes: Uint8Array | undefined): ArrayBuffer[] {
  if (bytes === undefined || !(bytes.buffer instanceof ArrayBuffer) || bytes.buffer.byteLength <= Buffer.poolSize)
    return []
  return [bytes.buffer]
}

/**
 * Threads of each of `evaluations`, including its own; `total` in all, or one each where there are more evaluations
 * than that.
 */
export function shareThreads(total: number, evaluations: number): number[] {
  const spare = Math.max(0, total - evaluations)
  return Array.from(
    { length: evaluations },
    (_, index) => 1 + Math.floor(spare / evaluations) + (index < spare % evaluations ? 1 : 0)
  )
}
