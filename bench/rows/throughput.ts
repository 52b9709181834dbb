/** Proofs verified per second on two cores, each of a seed of its own, as the daemon's pool does it. */
import type { Row } from '../bench.ts'
import { measured, unmeasured } from '../figure.ts'
import { cpuShare, type Times } from '../program.ts'
import { median, summary } from '../statistics.ts'

const PROOFS = 600
const QUICK_PROOFS = 200
const ROUNDS_SHARE = 3
const CORES = 2
const KNOWN = {
  name: 'proofs verified per second from the seed, two cores',
  unit: '/s',
  target: { at_least: 320 }
} as const

export const throughput: Row = {
  id: 'throughput',
  async run(bench) {
    if (bench.machine.cores < CORES) return [unmeasured(KNOWN, 'this machine has one core')]
    const { quick, rounds } = bench.options
    const proofs = await bench.proofs(quick ? QUICK_PROOFS : PROOFS)
    const daemon = await bench.addon(CORES)
    const rates: number[] = []
    const perCpuSecond: number[] = []
    const shares: number[] = []
    for (let round = 0; round < Math.ceil(rounds / ROUNDS_SHARE); round++) {
      const { times } = await daemon.ask<{ times: Times }>({ do: 'verify', proofs })
      rates.push(proofs.length / times.wall)
      perCpuSecond.push(proofs.length / times.cpu)
      shares.push(cpuShare(times, CORES))
    }
    return [
      measured(
        { ...KNOWN, parts: { proofs: proofs.length, per_cpu_second: median(perCpuSecond), cpu_share: median(shares) } },
        summary(rates)
      )
    ]
  }
}
