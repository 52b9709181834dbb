/** Load by dnsperf: answers a second, their latencies, and what was lost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { programOf } from '../packages.ts'
import type { Server } from './ask.ts'

interface LoadOptions {
  /** Lines of `name type`. */
  readonly questions: string
  readonly transport: 'udp' | 'tcp'
  readonly dnssecOk: boolean
  readonly seconds: number
  readonly cpu: number | null
  /** Queries a second at most; 0: as many as are answered. */
  readonly rate?: number
  /** Whether each answer's latency is reported, which costs the client time. */
  readonly latencies?: boolean
}

export interface Load {
  /** Answers a second. */
  readonly rate: number
  readonly answers: number
  readonly lost: number
  /** Milliseconds, ascending; empty unless asked for. */
  readonly latencies: readonly number[]
}

export async function dnsperf(server: Server, options: LoadOptions): Promise<Load> {
  const { questions, transport, dnssecOk, seconds: length, cpu, rate = 0, latencies = false } = options
  const args = [
    ...['-s', server.address, '-p', String(server.port), '-d', questions, '-m', transport, '-l', String(length)],
    ...[
      '-c',
      '10',
      '-T',
      '1',
      ...(dnssecOk ? ['-D'] : []),
      ...(rate > 0 ? ['-Q', String(rate)] : []),
      ...(latencies ? ['-v'] : [])
    ]
  ]
  const [command, ...rest] = [...(cpu === null ? [] : ['taskset', '-c', String(cpu)]), programOf('dnsperf'), ...args]
  const child = spawn(command!, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const number = (label: string): number => {
    const found = new RegExp(`${label}:\\s+([\\d.]+)`).exec(output)?.[1]
    if (found === undefined) throw new Error(`dnsperf does not say "${label}": ${complaint}${output}`)
    return Number(found)
  }
  const codes = /Response codes:\s+(.*)/.exec(output)?.[1] ?? ''
  // Refusals are fast and would look like speed.
  if (!/^(NOERROR|NXDOMAIN) [^,]*(, (NOERROR|NXDOMAIN) [^,]*)?$/.test(codes)) throw new Error(`answers of ${codes}`)
  return {
    rate: number('Queries per second'),
    answers: number('Queries completed'),
    lost: number('Queries lost'),
    latencies: [...output.matchAll(/^> \w+ \S+ \S+ ([\d.]+)$/gm)]
      .map(([, seconds]) => 1000 * Number(seconds))
      .sort((left, right) => left - right)
  }
}
