/** Load by autocannon, in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT } from '../../scripts/program.ts'
import { processorSeconds } from '../network/processes.ts'

export interface Load {
  /** Answers a second. */
  readonly rate: number
  readonly p99_ms: number
  /**
   * Processor time of the server for each answer, microseconds: what other work on the machine disturbs less than a
   * rate.
   */
  readonly cpu_us: number
}

interface Report {
  readonly errors: number
  readonly timeouts: number
  readonly non2xx: number
  readonly requests: { readonly average: number; readonly total: number }
  readonly latency: { readonly p99: number }
}

/** Throws when an answer is not 2xx: refusals are fast and would look like speed. */
export async function load(url: string, pid: number, seconds: number, connections: number): Promise<Load> {
  const args = ['--json', '--connections', String(connections), '--duration', String(seconds), url]
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/autocannon/autocannon.js'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const before = processorSeconds(pid) ?? NaN
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  const report = JSON.parse(output) as Report
  const failed = report.errors + report.timeouts + report.non2xx
  if (failed > 0) throw new Error(`${failed} requests of ${url} failed`)
  const cpuSeconds = (processorSeconds(pid) ?? NaN) - before
  return {
    rate: report.requests.average,
    p99_ms: report.latency.p99,
    cpu_us: (1e6 * cpuSeconds) / report.requests.total
  }
}
