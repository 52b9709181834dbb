/**
 * Calls each function of the addon many times and prints by how much the process grew, in bytes, as JSON. Run with --expose-gc.
 * `turning` returns to the event loop now and then, as the workers for checks do; `busy` never does, as an evaluation doesn't.
 */
import { addon } from '../../src/native/addon.ts'
import { DEV_BEACON_CHAIN } from '../../src/protocol/dev-beacon.ts'

const CALLS = 8_000
const ROUNDS = 4

const native = addon()
const stop = new Uint32Array(new SharedArrayBuffer(4))
const seed = new Uint8Array(32).fill(3)
const discriminant = native.Discriminant.fromSeed(seed, 64)
const key = new native.ChainKey(new Uint8Array(Buffer.from(DEV_BEACON_CHAIN.public_key, 'hex')))
const badSignature = new Uint8Array(48)
const evaluation = new native.Evaluation(discriminant, null, 2 ** 40, null, 2 ** 20)
evaluation.advance(10_000, stop)
const done = new native.Evaluation(discriminant, null, 10, null, 2 ** 20)
done.advance(1000, stop)
const proof = done.proof()!

const turning: Record<string, () => void> = {
  'Discriminant.fromSeed': () => native.Discriminant.fromSeed(seed, 64),
  'Discriminant.fromSeed refused': () => {
    try {
      native.Discriminant.fromSeed(seed, 63)
    } catch (error) {
      if ((error as { code?: string }).code !== 'INVALID_ARGUMENT') throw error
    }
  },
  Evaluation: () => new native.Evaluation(discriminant, null, 100, null, 2 ** 20).advance(1, stop),
  searchStamp: () => native.searchStamp(seed, 200, 0, 2, stop),
  'ChainKey.verify': () => key.verify(1, badSignature),
  verifyProof: () => native.verifyProof(discriminant, null, 11, proof.subarray(1), 0)
}
const busy: Record<string, () => void> = {
  'Discriminant.bytes': () => discriminant.bytes(),
  'Evaluation.state': () => evaluation.state(),
  'Evaluation.intermediates': () => evaluation.intermediates(Math.max(0, evaluation.intermediateCount() - 10)),
  'Evaluation.proof': () => done.proof(),
  'Evaluation.advance': () => evaluation.advance(1, stop)
}

function rss(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

async function growth(call: () => void, turns: boolean): Promise<number> {
  const sizes: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    for (let index = 0; index < CALLS / ROUNDS; index++) {
      call()
      if (turns && index % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    sizes.push(rss())
  }
  // The first round warms caches and heaps up. A leak shows in every round after it.
  return sizes.at(-1)! - sizes[0]!
}

const grown: Record<string, number> = {}
for (const [name, call] of Object.entries(turning)) { const t=performance.now(); grown[name] = await growth(call, true); console.error(name, performance.now()-t)}
for (const [name, call] of Object.entries(busy)) { const t=performance.now(); grown[name] = await growth(call, false); console.error(name, performance.now()-t)}
process.stdout.write(`${JSON.stringify(grown)}\n`)
