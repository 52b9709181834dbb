/** Verifying one pulse, the chain's key known. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../bench.ts'
import { measured } from '../figure.ts'
import type { Times } from '../program.ts'
import { summary } from '../statistics.ts'

const TURN = 10

export const pulse: Row = {
  id: 'pulse',
  async run(bench) {
    const program = await bench.ours('baseline')
    const vectors = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../__test__/vectors/quicknet-pulses.json'), 'utf8')
    )
    const { round, signature } = vectors.pulses[0]
    const request = { do: 'pulse', key: vectors.public_key, round, signature, times: TURN }
    const times: number[] = []
    for (let turn = 0; turn < bench.options.rounds; turn++)
      times.push((1e3 * (await program.ask<Times>(request)).cpu) / TURN)
    return [measured({ name: 'verification of a pulse', unit: 'ms', target: { at_most: 2 } }, summary(times))]
  }
}
