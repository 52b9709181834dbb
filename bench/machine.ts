/** What every figure has to stand beside. */
import { cpus, totalmem } from 'node:os'

export interface Machine {
  cpu: string
  cores: number
  memory_gib: number
  platform: string
  node: string
}

export function machine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node
  }
}

/** The middle one of an odd number of figures. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((left, right) => left - right)[Math.floor(figures.length / 2)]!
}
