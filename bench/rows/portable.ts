/** Verifying one proof of two segments from its seed on BigInt, as browsers and machines without an addon do. */
import { addon } from '../../src/native/addon.ts'
import { verifyQuestion } from '../../src/vdf/verify.ts'
import type { Row } from '../bench.ts'
import { measured } from '../figure.ts'
import { summary } from '../statistics.ts'

const ITERATIONS = 2000
const SPLIT = 1500
const BITS = 1024
const TIME = {
  name: 'verification from the seed on BigInt, two segments',
  unit: 'ms',
  target: { at_most: 1000 }
} as const

export const portable: Row = {
  id: 'portable',
  run(bench) {
    const { Evaluation, Discriminant } = addon()
    const stop = new Uint32Array(1)
    const times: number[] = []
    for (let round = 0; round < bench.options.rounds; round++) {
      const seed = new Uint8Array(32).fill(round + 1)
      const evaluation = new Evaluation(Discriminant.fromSeed(seed, BITS), null, ITERATIONS, SPLIT, 2 ** 20)
      while (evaluation.phase() !== 'done') evaluation.advance(ITERATIONS, stop)
      const question = { seed, bits: BITS, iterations: ITERATIONS, split: SPLIT, proof: evaluation.proof()! }
      const before = process.cpuUsage()
      if (!verifyQuestion(question)) throw new Error('a proof of the kernel does not verify on BigInt')
      times.push(process.cpuUsage(before).user / 1000)
    }
    return Promise.resolve([measured(TIME, summary(times))])
  }
}
