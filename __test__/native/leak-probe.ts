/**
 * Calls each function of the addon many times, in rounds, and prints by how much the process grew in the round in which it grew
 * least, in bytes, as JSON: a leak shows in every round, the engine's own growth does not. Run with --expose-gc.
 * `turning` returns to the event loop now and then, as the workers for checks do; `busy` never does, as an evaluation doesn't.
 */
import { addon } from '../../src/native/addon.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/dev-beacon.ts'

/** Calls a round; fewer of those that compute for milliseconds. */
const MANY = 15_000
const FEW = 30
/** The first rounds warm caches and heaps up. */
const WARM_ROUNDS = 2
const MEASURED_ROUNDS = 4

const native = addon()
const stop = new Uint32Array(new SharedArrayBuffer(4))
const seed = new Uint8Array(32).fill(3)
const discriminant = native.Discriminant.fromSeed(seed, 64)
const key = new native.ChainKey(new Uint8Array(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex')))
const evaluation = new native.Evaluation(discriminant, null, 2 ** 40, null, 2 ** 20)
evaluation.advance(10_000, stop)
const done = new native.Evaluation(discriminant, null, 10, null, 2 ** 20)
done.advance(1000, stop)
const proof = done.proof()!

const verifier = new native.Verifier(10)
const questions = [proof, proof.subarray(1)].map((each) => ({ seed, bits: 64, iterations: 10, split: null, proof: each }))
const malformed = questions.map((question) => ({ ...question, proof: proof.subarray(1) }))

type Probe = [name: string, calls: number, call: () => void]

const turning: Probe[] = [
  ['Discriminant.fromSeed', FEW, () => native.Discriminant.fromSeed(seed, 64)],
  ['Discriminant.fromSeed, refused', MANY, () => refused(() => native.Discriminant.fromSeed(seed, 63))],
  ['Evaluation', MANY, () => new native.Evaluation(discriminant, null, 100, null, 2 ** 20).advance(1, stop)],
  ['Evaluation, refused', MANY, () => refused(() => new native.Evaluation(discriminant, null, 100, 100, 2 ** 20))],
  ['searchStamp', MANY, () => native.searchStamp(seed, 200, 0, 2, stop)],
  ['ChainKey.verify', FEW, () => key.verify(1, new Uint8Array(48))],
  ['verifyProof', FEW, () => native.verifyProof(discriminant, null, 10, proof, 0)],
  ['Verifier.verify', FEW, () => verifier.verify(questions, stop)],
  ['Verifier.verify, malformed', MANY, () => verifier.verify(malformed, stop)],
  ['Verifier.verify, refused', MANY, () => refused(() => verifier.verify([{ ...malformed[0]!, bits: 7 }], stop))],
  ['verifyProof, refused', MANY, () => native.verifyProof(discriminant, null, 10, proof.subarray(1), 0)]
]
const busy: Probe[] = [
  ['Discriminant.bytes', MANY, () => discriminant.bytes()],
  ['Evaluation.state', MANY, () => evaluation.state()],
  ['Evaluation.intermediates', MANY, () => evaluation.intermediates(0)],
  ['Evaluation.proof', MANY, () => done.proof()],
  ['Evaluation.advance', FEW, () => evaluation.advance(1, stop)]
]

function refused(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if ((error as { code?: string }).code === 'INVALID_ARGUMENT') return
    throw error
  }
  throw new Error('this call should have been refused')
}

function collect(): void {
  globalThis.gc?.()
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

async function growth([, calls, call]: Probe, turns: boolean): Promise<number> {
  let least = Infinity
  for (let round = 0; round < WARM_ROUNDS + MEASURED_ROUNDS; round++) {
    const before = process.memoryUsage.rss()
    for (let index = 0; index < calls; index++) {
      call()
      if (turns && index % 500 === 0) await turn()
    }
    collect()
    if (turns) {
      // What a collection found to be released is released in a turn, and then collected.
      await turn()
      collect()
      await turn()
    }
    if (round >= WARM_ROUNDS) least = Math.min(least, process.memoryUsage.rss() - before)
  }
  return least
}

const grown: Record<string, number> = {}
for (const probe of turning) grown[probe[0]] = await growth(probe, true)
for (const probe of busy) grown[probe[0]] = await growth(probe, false)
process.stdout.write(`${JSON.stringify(grown)}\n`)
