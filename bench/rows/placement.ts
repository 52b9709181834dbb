/** What the kernel's place in memory does to it: one object, linked twenty times behind a different number of bytes. */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Row } from '../bench.ts'
import { build } from '../build.ts'
import { measured, unmeasured } from '../figure.ts'
import { startProgram, type Times } from '../program.ts'
import { median, summary } from '../statistics.ts'
import { Unavailable } from '../unavailable.ts'

const COUNT = 5_000
const LINKER = join(import.meta.dirname, '../rust/link-at-20-places.sh')

export const placement: Row = {
  id: 'placement',
  async run({ options, machine, seed }) {
    const known = {
      name: 'squarings, the fastest of 20 places of the kernel in memory to the slowest',
      unit: 'ratio'
    } as const
    try {
      const rustflags = `-C linker=${LINKER}`
      const built = await build({ folder: 'bench/rust/ours', name: 'ours', variant: 'placed', rustflags })
      const cpus = machine.pinned_to === null ? null : [machine.pinned_to.one]
      const programs = globSync(join(dirname(built), 'deps/ours-*.at-*')).map((file) => startProgram(file, [], cpus))
      const rates = programs.map(() => [] as number[])
      for (const program of programs) await program.ask({ do: 'start', seed })
      const { backend } = await programs[0]!.ask<{ backend: string }>({ do: 'hello' })
      // The first forms are small: that round is left out.
      for (let round = 0; round <= options.rounds; round++)
        for (const [index, program] of programs.entries()) {
          const { cpu } = await program.ask<Times>({ do: 'squarings', backend, count: COUNT })
          if (round > 0) rates[index]!.push(COUNT / cpu)
        }
      for (const program of programs) program.close()
      const medians = rates.map((rate) => median(rate)).sort((left, right) => left - right)
      const parts = { slowest_per_second: medians[0]!, fastest_per_second: medians.at(-1)! }
      return [measured({ ...known, parts }, summary([medians.at(-1)! / medians[0]!]), true)]
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return [unmeasured(known, error.message)]
    }
  }
}
