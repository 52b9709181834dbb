/** A server, a daemon's side and workers, each in its own process, and what they have used. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NatsServer } from '../../scripts/nats-server.ts'
import { end, passErrorsOn, run } from '../../scripts/program.ts'
import { farmNetwork } from '../../src/farm/messages.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { endWithUs, scratchDirectory } from '../network/scratch.ts'
import { startProgram, type Program } from '../program.ts'
import type { DaemonRequest } from './daemon.ts'

export { RECORD_BYTES } from '../../src/farm/saved-state.ts'

export const BENCH_NETWORK = farmNetwork(profileHash(builtInProfiles.local))
/** Of `times` in /proc/PID/stat. */
const TICKS_PER_SECOND = 100

/** What a server has seen since its start. */
export interface Seen {
  readonly in_bytes: number
  readonly out_bytes: number
  readonly in_msgs: number
  readonly out_msgs: number
  readonly connections: number
  /** Resident memory, bytes. */
  readonly mem: number
}

export interface BenchServer {
  readonly url: string
  readonly pid: number
  seen(): Promise<Seen>
  stop(): Promise<void>
}

export async function startServer(): Promise<BenchServer> {
  const server = await NatsServer.started(scratchDirectory(), ['--http_port', '-1'])
  process.on('exit', () => void server.kill())
  return {
    url: server.url,
    pid: server.pid,
    seen: async () => (await (await fetch(`${server.monitoringUrl}/varz`)).json()) as Seen,
    stop: () => server.kill()
  }
}

export interface BenchDaemon extends Program {
  ask<T>(request: DaemonRequest): Promise<T>
}

export function startDaemon(url: string): BenchDaemon {
  return startProgram(process.execPath, [resolve(import.meta.dirname, 'daemon.ts'), url], null)
}

export interface BenchProcess {
  readonly pid: number
  kill(): Promise<unknown>
}

/** `chronym worker`, with one thread. */
export function startWorker(url: string, name: string): BenchProcess {
  const network = ['--farm', url, '--network', 'local', '--threads', '1', '--label', name]
  const child = run('src/cli/main.ts', ['worker', ...network])
  // Its log.
  child.stderr!.resume()
  return started(child)
}

/** simulated.ts */
export function startSimulated(url: string, first: number, count: number, recordsPerSecond: number): BenchProcess {
  const child = run('bench/farm/simulated.ts', [url, ...[first, count, recordsPerSecond].map(String)])
  passErrorsOn(child)
  return started(child)
}

function started(child: ChildProcess): BenchProcess {
  endWithUs(child)
  child.stdout!.resume()
  return { pid: child.pid!, kill: () => end(child, 'SIGKILL') }
}

/** Processor time of a process, with that of threads that have ended, seconds. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
