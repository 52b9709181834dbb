/** Evaluations through the pool, with the real kernel and discriminants small enough to be quick. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addon } from '../../../src/native/addon.ts'
import { createNativePool } from '../../../src/native/pool/pool.ts'
import type {
  Checkpoint,
  Evaluation,
  EvaluationHandle,
  EvaluationOutcome,
  EvaluationTerms,
  NativePool
} from '../../../src/native/types.ts'
import { bytes } from '../../beacon/quicknet.ts'
import { load } from '../../vdf/chiavdf.ts'

const BITS = 256
const SEED = new Uint8Array(32).fill(7)

/** More squarings than a test ever waits for. */
const ENDLESS = 2 ** 40
/** Saves after every slice. */
const ALWAYS = 0.001

let pool: NativePool

beforeAll(() => {
  pool = createNativePool({ evaluationThreads: 2, auxiliaryThreads: 1 })
})
afterAll(async () => {
  await pool.close()
})

/** The first two arguments of `evaluate`. */
function request(changes: Partial<Evaluation & EvaluationTerms> = {}): [Evaluation, EvaluationTerms] {
  const { checkpointSeconds = 60, memoryBytes, resume, ...evaluation } = changes
  return [
    { seed: SEED, discriminantBits: BITS, iterations: 3000, split: null, ...evaluation },
    { checkpointSeconds, ...(memoryBytes !== undefined && { memoryBytes }), ...(resume !== undefined && { resume }) }
  ]
}

async function prove(given: ReturnType<typeof request>): Promise<Uint8Array> {
  return proofOf(await pool.evaluate(...given, () => undefined).outcome)
}

function proofOf(outcome: EvaluationOutcome): Uint8Array {
  expect(outcome.kind).toBe('proof')
  return (outcome as { proof: Uint8Array }).proof
}

/** What a receiver of checkpoints has on disk: the newest state and all records. */
class Saved {
  state: Uint8Array | undefined
  squarings = 0
  records = Buffer.alloc(0)
  count = 0

  readonly accept = ({ state, appended, appendedFrom, squarings }: Checkpoint): void => {
    // Contiguous by index; a record's size is the kernel's business.
    expect(appendedFrom).toBe(this.count)
    const size = this.count > 0 ? this.records.length / this.count : 128
    this.records = Buffer.concat([this.records, appended])
    this.count += appended.length / size
    this.state = state
    this.squarings = squarings
  }

  get resume(): NonNullable<EvaluationTerms['resume']> {
    // A copy, as from a file: the memory of records is handed over.
    return { state: this.state!, intermediates: Buffer.from(this.records) }
  }
}

/** Resolves when the worker has computed something. */
async function begun(handle: EvaluationHandle): Promise<void> {
  while (handle.progress().squarings === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('an evaluation', () => {
  it('ends with a proof that verifies, and only for what it proves', async () => {
    const given = request()
    const proof = await prove(given)
    const question = { seed: SEED, bits: BITS, iterations: 3000, split: null, proof }
    expect(await pool.verifyProof(question)).toBe(true)
    expect(await pool.verifyProof({ ...question, iterations: 3001 })).toBe(false)
    expect(await pool.verifyProof({ ...question, seed: new Uint8Array(32) })).toBe(false)
    for (const index of [0, 1, 50, 99, 100, 150, 199]) {
      const altered = proof.slice()
      altered[index]! ^= 1
      expect(await pool.verifyProof({ ...question, proof: altered })).toBe(false)
    }
    for (const length of [0, 100, 199, 201, 341]) {
      const cut = new Uint8Array(length)
      cut.set(proof.subarray(0, length))
      expect(await pool.verifyProof({ ...question, proof: cut })).toBe(false)
    }
  })

  it('gives the two-segment form when split, which verifies for that split alone', async () => {
    const proof = await prove(request({ split: 2700 }))
    const question = { seed: SEED, bits: BITS, iterations: 3000, proof }
    expect(proof).toHaveLength(341)
    expect(await pool.verifyProof({ ...question, split: 2700 })).toBe(true)
    expect(await pool.verifyProof({ ...question, split: 2701 })).toBe(false)
    expect(await pool.verifyProof({ ...question, split: null })).toBe(false)
  })

  it('reports squarings that never decrease, and a rate', async () => {
    const handle = pool.evaluate(...request({ iterations: ENDLESS }), () => undefined)
    await begun(handle)
    let last = 0
    for (let look = 0; look < 20; look++) {
      const { squarings, phase, squaringsPerSecond } = handle.progress()
      expect(squarings).toBeGreaterThanOrEqual(last)
      expect([phase, squaringsPerSecond > 0]).toEqual(['squaring', true])
      last = squarings
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    handle.stop()
    await handle.outcome
  })

  it('makes the same proof on any number of threads', async () => {
    const given = request({ iterations: 20_000, split: 18_000, memoryBytes: 2 ** 16 })
    const proofs = [1, 2, 3].map(async (provingThreads) => {
      const threads = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1, provingThreads })
      const outcome = await threads.evaluate(...given, () => undefined).outcome
      await threads.close()
      return proofOf(outcome)
    })
    const [one, ...others] = await Promise.all(proofs)
    for (const other of others) expect(other).toEqual(one)
  })

  it('is done when it is proved', async () => {
    const handle = pool.evaluate(...request(), () => undefined)
    await handle.outcome
    expect(handle.progress()).toMatchObject({ phase: 'done', squarings: 3000, phaseProgress: 1 })
  })

  it('fails with a code for what can\u2019t be evaluated', async () => {
    const code = async (changes: Parameters<typeof request>[0]): Promise<unknown> =>
      await pool.evaluate(...request(changes), () => undefined).outcome
    for (const changes of [
      { discriminantBits: 255 },
      { discriminantBits: 4096 },
      { seed: new Uint8Array(1) },
      { iterations: -1 },
      { iterations: 1.5 },
      { split: 3000 },
      { split: 0 }
    ]) {
      expect(await code(changes)).toMatchObject({ kind: 'failed', code: 'INVALID_ARGUMENT' })
    }
  })

  it('runs beside another one and beside checks', async () => {
    const [one, other] = [
      pool.evaluate(...request({ iterations: ENDLESS }), () => undefined),
      pool.evaluate(...request({ iterations: ENDLESS }), () => undefined)
    ]
    await Promise.all([begun(one), begun(other)])
    expect(await pool.measureRate(BITS, 1)).toBeGreaterThan(0)
    one.stop()
    other.stop()
    expect(await Promise.all([one.outcome, other.outcome])).toEqual([{ kind: 'stopped' }, { kind: 'stopped' }])
  })
})

describe('stopping', () => {
  it('ends the native loop, which would go on for days, with a last checkpoint of all that was done', async () => {
    const saved = new Saved()
    const handle = pool.evaluate(...request({ iterations: ENDLESS, discriminantBits: 1024 }), saved.accept)
    await begun(handle)
    handle.stop()
    expect(await handle.outcome).toEqual({ kind: 'stopped' })
    expect(saved.squarings).toBe(handle.progress().squarings)
  })

  it('ends proving on several threads too', async () => {
    const threads = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1, provingThreads: 3 })
    // So little memory makes the proof as long as the squarings: longer than a busy machine keeps us from looking.
    const handle = threads.evaluate(...request({ iterations: 300_000, memoryBytes: 2048 }), () => undefined)
    while (handle.progress().phase === 'squaring') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(handle.progress().phase).toBe('proving')
    handle.stop()
    expect(await handle.outcome).toEqual({ kind: 'stopped' })
    await threads.close()
  })

  it('ends one that still waits for a thread at once', async () => {
    const busy = [1, 2].map(() => pool.evaluate(...request({ iterations: ENDLESS }), () => undefined))
    await Promise.all(busy.map(begun))
    const waiting = pool.evaluate(...request({ iterations: ENDLESS }), () => undefined)
    waiting.stop()
    expect(await waiting.outcome).toEqual({ kind: 'stopped' })
    for (const handle of busy) handle.stop()
    await Promise.all(busy.map((handle) => handle.outcome))
    // The thread that took the withdrawn one up is free again.
    expect(await prove(request({ iterations: 10 }))).toHaveLength(200)
  })

  it('comes with closing the pool', async () => {
    const closing = createNativePool({ evaluationThreads: 1 })
    const saved = new Saved()
    const handle = closing.evaluate(...request({ iterations: ENDLESS }), saved.accept)
    await begun(handle)
    await closing.close()
    expect(await handle.outcome).toEqual({ kind: 'stopped' })
    expect(saved.state).toBeDefined()
  })

  it('comes with a checkpoint that is refused, and says why', async () => {
    const handle = pool.evaluate(...request({ iterations: ENDLESS, checkpointSeconds: ALWAYS }), () => {
      throw new Error('the disk is full')
    })
    expect(await handle.outcome).toEqual({ kind: 'failed', code: 'CHECKPOINT_REFUSED', message: 'the disk is full' })
  })
})

describe('an evaluation that ran', () => {
  it.each([
    ['to its end', {}],
    ['until it was stopped', { iterations: ENDLESS }]
  ])('%s ends its thread: nothing else gives its memory back', async (_how, changes) => {
    const { promise: exited, resolve } = Promise.withResolvers<number>()
    process.once('worker', (worker) => worker.once('exit', resolve))
    const own = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
    try {
      const handle = own.evaluate(...request(changes), () => undefined)
      await begun(handle)
      handle.stop()
      await handle.outcome
      await exited
    } finally {
      await own.close()
    }
  })
})

describe('proofs made by chiavdf', () => {
  it('verify through the pool', async () => {
    const generator = `08${'00'.repeat(99)}`
    const usable = load().filter(({ kind, x_hex }) => kind === '1wesolowski' && x_hex === generator)
    expect(usable.length).toBeGreaterThan(10)
    for (const { seed_hex, disc_bits: bits, discriminant_hex, iterations, y_hex, proof_hex } of usable.slice(0, 12)) {
      const seed = bytes(seed_hex)
      expect(Buffer.from(addon().Discriminant.fromSeed(seed, bits).bytes()).toString('hex')).toBe(discriminant_hex)
      expect(await pool.verifyProof({ seed, bits, iterations, split: null, proof: bytes(y_hex + proof_hex) })).toBe(
        true
      )
    }
  })
})

describe('measuring', () => {
  it('gives squarings per second', async () => {
    expect(await pool.measureRate(BITS, 50)).toBeGreaterThan(0)
  })

  it('estimates an evaluation: its squarings and some proving, less with a second segment', async () => {
    const two = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1, provingThreads: 2 })
    const one = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1, provingThreads: 1 })
    try {
      const size = { discriminantBits: BITS, iterations: 10 ** 9 }
      const [alone, helped, split] = await Promise.all([
        one.plannedWork({ ...size, split: null }),
        two.plannedWork({ ...size, split: null }),
        two.plannedWork({ ...size, split: 9 * 10 ** 8 })
      ])
      expect(alone).toBeGreaterThan(1.03 * size.iterations)
      expect(alone).toBeLessThan(1.2 * size.iterations)
      expect(helped).toBeLessThan(alone)
      expect(split).toBeGreaterThan(size.iterations)
      expect(split).toBeLessThan(1.02 * size.iterations)
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })
})
