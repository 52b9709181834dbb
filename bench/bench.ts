/** What the rows share: the programs, started when first asked for, and proofs to verify. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from './build.ts'
import type { Figure } from './figure.ts'
import type { Machine } from './machine.ts'
import { startProgram, type Program } from './program.ts'

export const BITS = 1024
/** Squarings of the proofs that are verified; verifying takes the same for any number. */
const PROVED = 1_000

/** Builds of our side: as shipped, for this machine, or for the level that the target of the portable backend names. */
const BUILDS = { baseline: '', native: '-C target-cpu=native', 'x86-64-v3': '-C target-cpu=x86-64-v3' } as const
export type Build = keyof typeof BUILDS

const CHIAVDF_CURE =
  "It needs cmake, make, m4, a C++ compiler, GMP's headers and libclang; " +
  'on Debian: apt-get install cmake make m4 g++ libgmp-dev libclang-dev.'

export interface Proof {
  seed: string
  iterations: number
  proof: string
}

export interface Options {
  /** Alternated rounds of a short measurement. */
  rounds: number
  quick: boolean
}

export interface Row {
  /** What `--only` takes. */
  id: string
  run: (bench: Bench) => Promise<Figure[]>
}

export interface Bench {
  options: Options
  machine: Machine
  /** 32 bytes, hexadecimal; all others are derived from it. */
  seed: string
  ours: (build: Build) => Promise<Program>
  chiavdf: () => Promise<Program>
  /** Its squarings alone. */
  chiavdfSquaring: () => Promise<Program>
  /** The addon and the pool in a process of Node's, on one CPU or on two. */
  addon: (cpus: 1 | 2) => Promise<Program>
  /** The first `count` of a sequence of proofs, each of another seed. */
  proofs: (count: number) => Promise<Proof[]>
  close: () => void
}

export function createBench(seed: string, options: Options, machine: Machine): Bench {
  const programs = new Map<string, Promise<Program>>()
  const proofs: Proof[] = []
  const one = machine.pinned_to === null ? null : [machine.pinned_to.one]

  const once = (name: string, start: () => Promise<Program>): Promise<Program> => {
    let program = programs.get(name)
    if (program === undefined) {
      program = start()
      programs.set(name, program)
      // Each caller sees the failure; an uncaught rejection would end the process.
      program.catch(() => undefined)
    }
    return program
  }
  const ours = (variant: Build): Promise<Program> =>
    once(variant, async () =>
      startProgram(
        await build({ folder: 'bench/rust/ours', name: 'ours', variant, rustflags: BUILDS[variant] }),
        [],
        one
      )
    )

  const peer = (bin: string): Promise<Program> =>
    once(bin, async () =>
      startProgram(
        await build({
          folder: 'bench/peers/chiavdf',
          name: 'peer-chiavdf',
          bin,
          variant: 'native',
          cure: CHIAVDF_CURE
        }),
        [],
        one
      )
    )

  return {
    options,
    machine,
    seed,
    ours,
    chiavdf: () => peer('peer-chiavdf'),
    chiavdfSquaring: () => peer('peer-squaring'),
    addon: (cpus) =>
      once(`addon ${cpus}`, async () =>
        startProgram(
          process.execPath,
          [join(import.meta.dirname, 'addon.ts')],
          cpus === 1 ? one : (machine.pinned_to?.two ?? null)
        )
      ),
    async proofs(count) {
      const prover = await ours('baseline')
      while (proofs.length < count) {
        const derived = derivedSeed(seed, proofs.length)
        const { proof } = await prover.ask<{ proof: string }>({ do: 'prove', seed: derived, iterations: PROVED })
        proofs.push({ seed: derived, iterations: PROVED, proof })
      }
      return proofs.slice(0, count)
    },
    close() {
      for (const program of programs.values())
        program.then(
          (started) => started.close(),
          () => undefined
        )
    }
  }
}

function derivedSeed(seed: string, index: number): string {
  return createHash('sha256').update(Buffer.from(seed, 'hex')).update(`proof ${index}`).digest('hex')
}
