/** The machine that every figure depends on. */
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { spawnSync } from 'node:child_process'

/** Instructions that matter to the kernel or to those it is compared with. */
const FEATURES = ['bmi1', 'bmi2', 'adx', 'avx2', 'avx512f', 'avx512vl', 'avx512ifma', 'asimd']

export interface Machine {
  cpu: string
  cores: number
  features: string[]
  memory_gib: number
  platform: string
  node: string
  rustc: string
  /** CPUs that single-threaded programs and the two-core ones are bound to; null where they can't be bound. */
  pinned_to: { one: number; two: [number, number] | null } | null
}

export function machine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    features: features(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    rustc: spawnSync('rustc', ['--version'], { encoding: 'utf8' }).stdout.trim(),
    pinned_to: pinning()
  }
}

function features(): string[] {
  if (process.platform !== 'linux') return []
  const flags = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ') ?? []
  return FEATURES.filter((feature) => flags.includes(feature))
}

/** The last of the CPUs this process may use: interrupts tend to go to the first. */
function pinning(): Machine['pinned_to'] {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return null
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const allowed = list.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  const [next, one] = allowed.slice(-2)
  if (next === undefined) return null
  return one === undefined ? { one: next, two: null } : { one, two: [next, one] }
}
