import { addon, type Discriminant, missingAddon } from '../../native/addon.ts'
import { answer } from '../../native/worker/requests.ts'
import { NativeError, type EvaluationHandle, type NativePool } from '../../native/types.ts'
import { LruMap } from '../../util/bounded-map.ts'
import { discriminantFromBytes, discriminantFromSeed } from '../../vdf/discriminant.ts'
import { encodeForm } from '../../vdf/encoding.ts'
import { generator } from '../../vdf/form.ts'
import { toBytesBe } from '../../vdf/integers.ts'
import { verifyProof } from '../../vdf/verify.ts'
import type { Evaluation, Kernel, ProofClaim, Verdict } from './kernel.ts'

/** The command line keeps no checkpoints: its evaluations live as long as the process. */
const NO_CHECKPOINT_SECONDS = 86_400
/** Proofs of one file often share a discriminant, and deriving one costs more than the check. */
const KEPT_DISCRIMINANTS = 64

async function openPool(auxiliaryThreads = 1): Promise<NativePool> {
  const { createNativePool } = await import('../../native/pool/pool.ts')
  return createNativePool({ evaluationThreads: 1, auxiliaryThreads })
}

/** An evaluation of the pool as a promise of its proof. */
export function evaluationOf(handle: EvaluationHandle): Evaluation {
  return {
    progress: () => handle.progress(),
    stop: () => handle.stop(),
    proof: handle.outcome.then((outcome) => {
      switch (outcome.kind) {
        case 'proof':
          return outcome.proof
        case 'stopped':
          return undefined
        case 'failed':
          throw new NativeError(outcome.code as NativeError['code'], outcome.message)
      }
    })
  }
}

class NativeKernel implements Kernel {
  readonly #addon = addon()
  readonly #discriminants = new LruMap<string, Discriminant>(KEPT_DISCRIMINANTS)
  readonly #threads: number
  #pool: Promise<NativePool> | undefined

  constructor(threads: number) {
    this.#threads = threads
  }

  get backend(): string {
    return this.#addon.backend()
  }

  get steps(): string {
    return this.#addon.steps()
  }

  /** Checks on the calling thread: nothing else waits for it. */
  verify(claim: ProofClaim): Promise<Verdict> {
    const { source, bits, iterations, x, depth, proof } = claim
    const checked = answer(() =>
      this.#addon.verifyProof(this.#discriminant(source, bits), x ?? null, iterations, proof, depth)
    )
    // What the kernel calls a wrong argument is here part of the claim: a composite discriminant, a start that
    // is not a form.
    if (!checked.ok && checked.code !== 'INVALID_ARGUMENT')
      return Promise.reject(new NativeError(checked.code, checked.message))
    if (!checked.ok) return Promise.resolve({ valid: false, reason: checked.message })
    return Promise.resolve(checked.value ? { valid: true } : { valid: false, reason: 'the proof does not prove this' })
  }

  discriminant(seed: Uint8Array, bits: number): Promise<Uint8Array> {
    return Promise.resolve(this.#discriminant({ seed }, bits).bytes())
  }

  evaluate(question: Parameters<Kernel['evaluate']>[0]): Promise<Evaluation> {
    return this.#open().then((pool) =>
      evaluationOf(pool.evaluate({ ...question, checkpointSeconds: NO_CHECKPOINT_SECONDS }, () => undefined))
    )
  }

  async measureRate(bits: number, milliseconds: number, threads: number): Promise<number> {
    const pool = await this.#open()
    const rates = await Promise.all(Array.from({ length: threads }, () => pool.measureRate(bits, milliseconds)))
    return rates.reduce((sum, rate) => sum + rate, 0)
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close()
  }

  #open(): Promise<NativePool> {
    this.#pool ??= openPool(this.#threads)
    return this.#pool
  }

  #discriminant(source: ProofClaim['source'], bits: number): Discriminant {
    const key =
      'seed' in source
        ? `${bits}:${Buffer.from(source.seed).toString('hex')}`
        : Buffer.from(source.discriminant).toString('hex')
    let found = this.#discriminants.get(key)
    if (found === undefined) {
      found =
        'seed' in source
          ? this.#addon.Discriminant.fromSeed(source.seed, bits)
          : this.#addon.Discriminant.fromBytes(source.discriminant)
      this.#discriminants.set(key, found)
    }
    return found
  }
}

/** Opens a pool for one command and ends its threads whatever happens. */
export async function withPool<T>(use: (pool: NativePool) => Promise<T>): Promise<T> {
  const pool = await openPool()
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}

/**
 * Loads the kernel, hands it to `use`, and ends its threads whatever happens. Without an addon the kernel verifies on
 * BigInt, and evaluations reject with ADDON_MISSING. Throws NativeError ADDON_UNAVAILABLE.
 *
 * @param threads the most that `measureRate` is asked for
 */
export async function withKernel<T>(use: (kernel: Kernel) => Promise<T>, threads = 1): Promise<T> {
  const kernel = missingAddon() === undefined ? new NativeKernel(threads) : portableKernel
  try {
    return await use(kernel)
  } finally {
    await kernel.close()
  }
}

const unable = (): Promise<never> =>
  Promise.reject(missingAddon() ?? new NativeError('ADDON_MISSING', 'The native addon is missing.'))

export const portableKernel: Kernel = {
  backend: 'bigint',
  steps: 'none',
  verify: (claim) => Promise.resolve(verdictOf(claim)),
  discriminant: (seed, bits) => Promise.resolve(toBytesBe(discriminantFromSeed(seed, bits).magnitude, bits / 8)),
  evaluate: unable,
  measureRate: unable,
  close: () => Promise.resolve()
}

function verdictOf({ source, bits, iterations, x, depth, proof }: ProofClaim): Verdict {
  try {
    const discriminant =
      'seed' in source ? discriminantFromSeed(source.seed, bits) : discriminantFromBytes(source.discriminant)
    const start = x ?? encodeForm(generator(discriminant), discriminant)
    const valid = verifyProof(discriminant, start, BigInt(iterations), proof, depth)
    return valid ? { valid } : { valid, reason: 'the proof does not prove this' }
  } catch (error) {
    // a discriminant that is none is part of the claim here
    if (error instanceof RangeError) return { valid: false, reason: error.message }
    throw error
  }
}
