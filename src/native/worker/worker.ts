/**
 * What the pool's threads run: one exported function a kind of work. All are synchronous, none throws; see requests.ts.
 */
import {
  addon,
  missingAddon,
  type ChainKey,
  type Discriminant,
  type Evaluation as KernelEvaluation,
  type Verifier
} from '../addon.ts'
import { answer, type Answer, type WorkerCalls } from './requests.ts'
import { runEvaluation } from './evaluate.ts'
import { NativeError, type Evaluation, type EvaluationTerms } from '../types.ts'
import { leadingZeroBits } from '../../protocol/crypto/domain.ts'
import { sha256, u64be } from '../../protocol/encoding/bytes.ts'
import { LruMap } from '../../util/bounded-map.ts'
import { FORM_BYTES, GENERATOR } from '../../vdf/encoding.ts'
import { verifyPulse as verifyPulseWithoutAddon, verifyQuestion } from '../../vdf/verify.ts'
import { Slot } from '../slot.ts'

type Request<K extends keyof WorkerCalls> = WorkerCalls[K]['request']
type Reply<K extends keyof WorkerCalls> = Answer<WorkerCalls[K]['value']>

/** Attempts between two looks at the stop word: some ten milliseconds without the addon. */
const ATTEMPTS_PER_LOOK = 4096
const DEFAULT_MEMORY_BYTES = 256 * 1024 * 1024
/** Discriminants that a thread remembers, a kilobyte each: deriving one costs more than verifying a proof in it. */
const DISCRIMINANTS_KEPT = 256
let verifier: Verifier | undefined
/** A network has one chain key; tests have a few. About 40 KB each. */
const chainKeys = new LruMap<string, ChainKey>(4)

/** Any seed will do for a measurement: all discriminants of a size cost the same. */
const RATE_SEED = new Uint8Array(32).fill(1)
const RATE_STEPS = 500
/** Bytes that fill seeds: the first, and four whose discriminants take 146 strong tests: as many as four on average. */
const PROOF_SEEDS = [1, 4, 9, 19, 22] as const
/** How long proofs are measured at least. */
const PROOFS_MS = 100
/** Nothing of it is proved. */
const RATE_MEMORY_BYTES = 2 ** 20

export function evaluate({
  evaluation: asked,
  terms,
  slot: memory,
  checkpoints
}: Request<'evaluate'>): Reply<'evaluate'> {
  return answer(() => {
    const slot = new Slot(memory)
    if (!slot.begin()) return null
    addon().bePreempted()
    const evaluation = openEvaluation(asked, terms)
    const proof = runEvaluation({
      evaluation,
      slot,
      checkpointMs: terms.checkpointSeconds * 1000,
      savedIntermediates: terms.resume === undefined ? 0 : evaluation.intermediateCount(),
      // Moved, not copied: tens of megabytes after a few seconds of a long evaluation.
      onCheckpoint: (checkpoint) =>
        checkpoints.postMessage(checkpoint, [buffer(checkpoint.state), buffer(checkpoint.appended)]),
      now: () => performance.now()
    })
    return proof ?? null
  })
}

export function verifyProofs({ questions, stop }: Request<'verifyProofs'>): Reply<'verifyProofs'> {
  return answer(() => {
    const startedAt = performance.now()
    const verdicts = verdictsOn(questions, new Uint32Array(stop))
    return { verdicts, milliseconds: performance.now() - startedAt }
  })
}

function verdictsOn(questions: Request<'verifyProofs'>['questions'], stop: Uint32Array): boolean[] {
  if (missingAddon() !== undefined) return verdictsOnBigInt(questions, stop)
  verifier ??= new (addon().Verifier)(DISCRIMINANTS_KEPT)
  return verifier.verify(questions, stop)
}

/** As the addon's Verifier, slowly: fewer verdicts than questions when the stop word is set. */
function verdictsOnBigInt(questions: Request<'verifyProofs'>['questions'], stop: Uint32Array): boolean[] {
  const verdicts: boolean[] = []
  for (const question of questions) {
    if (Atomics.load(stop, 0) !== 0) break
    verdicts.push(verifyQuestion(question))
  }
  return verdicts
}

export function verifyPulse({ publicKey, round, signature }: Request<'verifyPulse'>): Reply<'verifyPulse'> {
  return answer(() =>
    missingAddon() === undefined
      ? chainKeyOf(publicKey).verify(round, signature)
      : verifyPulseWithoutAddon(publicKey, round, signature)
  )
}

export function searchStamp(request: Request<'searchStamp'>): Reply<'searchStamp'> {
  const { prefix, bits, start, attempts } = request
  const stop = new Uint32Array(request.stop)
  return answer(() =>
    missingAddon() === undefined
      ? addon().searchStamp(prefix, bits, start, attempts, stop)
      : searchStampWithoutAddon(request, stop)
  )
}

function searchStampWithoutAddon(
  { prefix, bits, start, attempts }: Request<'searchStamp'>,
  stop: Uint32Array
): WorkerCalls['searchStamp']['value'] {
  for (let nonce = start; nonce < start + attempts; nonce++) {
    if (nonce % ATTEMPTS_PER_LOOK === 0 && Atomics.load(stop, 0) !== 0) return { next: nonce }
    if (leadingZeroBits(sha256(prefix, u64be(nonce))) >= bits) return { nonce, next: nonce + 1 }
  }
  return { next: start + attempts }
}

export function plannedWork({
  discriminantBits,
  iterations,
  split,
  threads
}: Request<'plannedWork'>): Reply<'plannedWork'> {
  return answer(() => {
    const { Evaluation } = addon()
    const discriminant = discriminantOf(RATE_SEED, discriminantBits)
    const evaluation = new Evaluation(discriminant, null, iterations, split, DEFAULT_MEMORY_BYTES)
    evaluation.setThreads(threads)
    return evaluation.remaining()
  })
}

export function measureRate({ bits, milliseconds }: Request<'measureRate'>): Reply<'measureRate'> {
  return answer(() => {
    const { Evaluation } = addon()
    const stop = new Uint32Array(1)
    const evaluation = new Evaluation(
      discriminantOf(RATE_SEED, bits),
      null,
      Number.MAX_SAFE_INTEGER,
      null,
      RATE_MEMORY_BYTES
    )
    // The first squarings are of tiny forms, and warm the caches.
    evaluation.advance(2 * RATE_STEPS, stop)
    const before = evaluation.squarings()
    const startedAt = performance.now()
    do evaluation.advance(RATE_STEPS, stop)
    while (performance.now() - startedAt < milliseconds)
    return ((evaluation.squarings() - before) * 1000) / (performance.now() - startedAt)
  })
}

export function measureProof({ bits }: Request<'measureProof'>): Reply<'measureProof'> {
  return answer(() => {
    // Once before, since the first builds tables and chooses among instructions.
    const [first, ...seeds] = PROOF_SEEDS
    verdictOnGenerators(first, bits)
    // The thread's own time: other work on the machine doesn't count in it. Linux counts it in ticks of up to 10 ms.
    const before = process.threadCpuUsage()
    for (let proofs = seeds.length; ; proofs += seeds.length) {
      for (const seed of seeds) verdictOnGenerators(seed, bits)
      const { user, system } = process.threadCpuUsage(before)
      if (user + system >= 1000 * PROOFS_MS) return (user + system) / 1000 / proofs
    }
  })
}

/** Nothing is remembered. */
function verdictOnGenerators(seed: number, bits: number): void {
  const proof = new Uint8Array(2 * FORM_BYTES)
  proof[0] = proof[FORM_BYTES] = GENERATOR
  const question = { seed: new Uint8Array(32).fill(seed), bits, iterations: 2 ** 20, split: null, proof }
  if (missingAddon() === undefined) new (addon().Verifier)(1).verify([question], new Uint32Array(1))
  else verifyQuestion(question)
}

function openEvaluation(
  { seed, discriminantBits, iterations, split }: Evaluation,
  { memoryBytes, resume }: EvaluationTerms
): KernelEvaluation {
  const { Evaluation } = addon()
  const discriminant = discriminantOf(seed, discriminantBits)
  if (resume === undefined)
    return new Evaluation(discriminant, null, iterations, split, memoryBytes ?? DEFAULT_MEMORY_BYTES)
  const evaluation = Evaluation.resume(discriminant, resume.state, resume.intermediates)
  release(resume.intermediates)
  if (evaluation.iterations() !== iterations || evaluation.split() !== split) {
    throw new NativeError(
      'INVALID_CHECKPOINT',
      `the checkpoint is of an evaluation of ${evaluation.iterations()} ` +
        `squarings, split at ${String(evaluation.split())}`
    )
  }
  return evaluation
}

/** Frees memory at once: the kernel has a copy, and an idle heap triggers no garbage collection. */
function release({ buffer: memory }: Uint8Array): void {
  if (memory instanceof ArrayBuffer) memory.transfer(0)
}

/** What the addon returns has an ArrayBuffer of its own. */
function buffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer as ArrayBuffer
}

function discriminantOf(seed: Uint8Array, bits: number): Discriminant {
  return addon().Discriminant.fromSeed(seed, bits)
}

function chainKeyOf(bytes: Uint8Array): ChainKey {
  const id = Buffer.from(bytes).toString('base64')
  let key = chainKeys.get(id)
  if (key === undefined) {
    key = new (addon().ChainKey)(bytes)
    chainKeys.set(id, key)
  }
  return key
}
