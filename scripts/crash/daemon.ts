/** Daemons and a beacon as separate processes on loopback. */
import { createWriteStream, readFileSync } from 'node:fs'
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createClient, type Client } from '../../src/api/client/client.ts'
import { end, firstLine, runBeacon, runDaemon, type DaemonSummary } from '../program.ts'

/** A cold start reads a hundred modules from disk, on a machine that others use too. */
const START_TIMEOUT_MS = 60_000

export interface Running {
  readonly client: Client
  readonly baseUrl: string
  readonly token: string
  readonly addresses: readonly string[]
}

export interface Daemon {
  /** The address of its API; undefined when it died before printing it. */
  readonly ready: Promise<Running | undefined>
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>
  isGone(): boolean
  kill(): void
  /** Stops it cleanly; rejects when it ended otherwise. */
  stop(): Promise<void>
  /** The lines of its log, JSON. */
  log(): readonly string[]
}

export function startDaemon(args: readonly string[], logFile: string, killAt?: string): Daemon {
  const child = runDaemon(
    args,
    killAt === undefined ? {} : { preload: 'scripts/crash/kill-switch.ts', environment: { KILL_AT: killAt } }
  )
  const lines = logTo(child, logFile)
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  const ready = firstLine<DaemonSummary>(child)
    .then(({ api_url: baseUrl, token_file: file, addresses }) => {
      const token = readFileSync(file, 'utf8').trim()
      return { client: createClient({ baseUrl, token }), baseUrl, token, addresses }
    })
    .catch((error: unknown) => {
      if (isGone()) return undefined
      throw error
    })
    .finally(() => clearTimeout(timeout))
  return {
    ready,
    gone: once(child, 'close').then(() => undefined),
    isGone,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (isGone()) throw new Error(`the daemon had ended before (${child.signalCode ?? child.exitCode})`)
      await end(child, 'SIGTERM')
      if (child.exitCode !== 0) throw new Error(`the daemon ended with ${child.signalCode ?? child.exitCode}`)
    },
    log: () => lines
  }
}

export async function startBeacon(logFile: string): Promise<{ url: string; stop(): Promise<unknown> }> {
  const child = runBeacon()
  logTo(child, logFile)
  const { url } = await firstLine<{ url: string }>(child)
  return { url, stop: () => end(child, 'SIGKILL') }
}

/** The lines of its stderr, which go to a file as well. */
function logTo(child: ChildProcess, logFile: string): readonly string[] {
  const lines: string[] = []
  const file = createWriteStream(logFile, { flags: 'a' })
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lines.push(line)
    file.write(`${line}\n`)
  })
  child.once('close', () => file.end())
  return lines
}
