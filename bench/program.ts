/**
 * A program that is measured: asked and answering by lines of JSON (bench/rust/line), bound to CPUs where the system
 * can do that.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Seconds. `cpu` leaves out what other work on the machine took. */
export interface Times {
  wall: number
  cpu: number
}

/**
 * The part of its CPUs that a program had, 0..1. Below about 0.95, other work on the machine disturbed its clock times.
 */
export function cpuShare({ wall, cpu }: Times, cpus: number): number {
  return cpu / (wall * cpus)
}

export interface Program {
  readonly pid: number
  ask<T>(request: { do: string; [field: string]: unknown }): Promise<T>
  /** From now on all its threads have these CPUs instead; nothing where that can't be done. */
  bind(cpus: readonly number[] | null): void
  /** Pauses it, and resumes it. */
  pause(): void
  resume(): void
  close(): void
}

/** Characters of stderr that the report of a program's end quotes. */
const COMPLAINT_CHARACTERS = 600

const running = new Set<ChildProcess>()
// A paused program would outlive a bench that fails.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

export function startProgram(command: string, args: readonly string[], cpus: readonly number[] | null): Program {
  const [program, rest] = cpus === null ? [command, args] : ['taskset', ['-c', cpus.join(','), command, ...args]]
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'] })
  running.add(child)
  const waiting: PromiseWithResolvers<unknown>[] = []
  let complaint = ''
  let ended = false

  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-COMPLAINT_CHARACTERS)
  })
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(JSON.parse(line)))
  const end = (how: string): void => {
    ended = true
    running.delete(child)
    for (const { reject } of waiting.splice(0)) reject(new Error(`${command} ${how}: ${complaint}`))
  }
  child.on('error', (error) => end(`could not be started (${error.message})`))
  child.on('close', (status, signal) => end(`ended with ${signal ?? status ?? 'nothing'}`))
  // `close` reports its end.
  child.stdin.on('error', () => undefined)

  return {
    pid: child.pid ?? -1,
    ask<T>(request: object): Promise<T> {
      if (ended) return Promise.reject(new Error(`${command} has ended: ${complaint}`))
      const answer = Promise.withResolvers<unknown>()
      waiting.push(answer)
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return answer.promise as Promise<T>
    },
    bind(cpus) {
      if (cpus !== null) spawnSync('taskset', ['-acp', cpus.join(','), String(child.pid)])
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    close: () => void child.kill('SIGKILL')
  }
}
