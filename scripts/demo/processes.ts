/** The demo's child processes: each has a log file, and none outlives the demo. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const CLI = resolve(import.meta.dirname, '../../src/cli/main.ts')
/** A cold start reads a hundred modules from disk. */
const START_TIMEOUT_MS = 60_000
/** The daemon promises to stop within 5 s; a loaded machine may add to that. */
const STOP_TIMEOUT_MS = 20_000
const LOG_TAIL_LINES = 25

interface Child {
  readonly name: string
  readonly logFile: string
  /** The first line on stdout: where things are. */
  readonly summary: Record<string, unknown>
}

interface Running extends Child {
  readonly process: ChildProcess
}

export class Processes {
  readonly #directory: string
  readonly #running: Running[] = []

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Starts `chronym ARGS --json` and waits for its first line. Rejects when it ends before. */
  async start(name: string, args: readonly string[]): Promise<Child> {
    const logFile = join(this.#directory, `${name}.log`)
    const log = openSync(logFile, 'a')
    const child = spawn(process.execPath, [CLI, ...args, '--json'], {
      // The channel tells the child when this process is gone. Its own process group keeps the terminal's Ctrl-C from
      // reaching it before we stop it.
      stdio: ['ignore', 'pipe', log, 'ipc'],
      detached: true
    })
    closeSync(log)
    const running = { name, logFile, process: child, summary: {} as Record<string, unknown> }
    this.#running.push(running)
    running.summary = JSON.parse(await firstLine(name, child)) as Record<string, unknown>
    return running
  }

  /** Ends all at once. Returns what did not end in order, as sentences. */
  async stop(): Promise<string[]> {
    const complaints = await Promise.all(this.#running.splice(0).map(({ name, process: child }) => stop(name, child)))
    return complaints.filter((complaint) => complaint !== undefined)
  }

  /** Kills all without waiting, for the exit of this process. */
  kill(): void {
    for (const { process: child } of this.#running) child.kill('SIGKILL')
  }

  /** The end of each log, which shows the cause of a failure. */
  logTails(): { name: string; logFile: string; lines: string[] }[] {
    return this.#running.map(({ name, logFile }) => ({
      name,
      logFile,
      lines: readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES)
    }))
  }
}

async function firstLine(name: string, child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! })
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
  try {
    const line = once(lines, 'line', { signal: timeout }).then(([text]) => text as string)
    const ended = once(child, 'exit', { signal: timeout }).then(([code]) => {
      throw new Error(`${name} ended with exit code ${String(code)} before it was ready`)
    })
    // The time-out rejects the loser later, which adds nothing.
    line.catch(() => undefined)
    ended.catch(() => undefined)
    return await Promise.race([line, ended])
  } catch (error) {
    if (!timeout.aborted) throw error
    throw new Error(`${name} was not ready after ${START_TIMEOUT_MS / 1000} s`, { cause: error })
  }
}

async function stop(name: string, child: ChildProcess): Promise<string | undefined> {
  if (child.exitCode !== null || child.signalCode !== null)
    return `${name} had ended before (${child.signalCode ?? `exit code ${child.exitCode}`})`
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) })
  child.kill('SIGTERM')
  try {
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    return code === 0 ? undefined : `${name} ended with ${signal ?? `exit code ${code}`}`
  } catch {
    child.kill('SIGKILL')
    return `${name} did not stop within ${STOP_TIMEOUT_MS / 1000} s and was killed`
  }
}
