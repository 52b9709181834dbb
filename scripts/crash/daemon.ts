/** Daemons and a beacon as processes of their own, on loopback. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient, type Client } from '../../src/api/client.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** A cold start reads a hundred modules from disk, on a machine that others use too. */
const START_TIMEOUT_MS = 60_000

export interface Running {
  readonly client: Client
  readonly baseUrl: string
  readonly token: string
  readonly addresses: readonly string[]
}

export interface Daemon {
  /** Where it answers; undefined when it died before it said so. */
  readonly ready: Promise<Running | undefined>
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>
  isGone(): boolean
  kill(): void
  /** In order; rejects when it ended otherwise. */
  stop(): Promise<void>
  /** The lines of its log, JSON. */
  log(): readonly string[]
}

function start(args: readonly string[], logFile: string, environment: Record<string, string> = {}): { child: ChildProcess; firstLine: Promise<string | undefined>; lines: string[]; gone: Promise<void> } {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_'))), ...environment }
  })
  const lines: string[] = []
  const file = createWriteStream(logFile, { flags: 'a' })
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    file.write(`${line}\n`)
  })
  const gone = once(child, 'close').then(() => void file.end())
  const output = createInterface({ input: child.stdout })
  const firstLine = Promise.race([once(output, 'line').then(([line]) => line as string), gone.then(() => undefined)])
  return { child, firstLine, lines, gone }
}

export function startDaemon(args: readonly string[], logFile: string, killAt?: string): Daemon {
  const switches = killAt === undefined ? [] : ['--import', join(import.meta.dirname, 'kill-switch.ts')]
  const { child, firstLine, lines, gone } = start([...switches, join(ROOT, 'src/main.ts'), '--json', '--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0', ...args], logFile, killAt === undefined ? {} : { KILL_AT: killAt })
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  const ready = firstLine.then((line) => {
    clearTimeout(timeout)
    if (line === undefined) return undefined
    const summary = JSON.parse(line) as { api_url: string; token_file: string; addresses: string[] }
    const token = readFileSync(summary.token_file, 'utf8').trim()
    return { client: createClient({ baseUrl: summary.api_url, token }), baseUrl: summary.api_url, token, addresses: summary.addresses }
  })
  return {
    ready,
    gone,
    isGone,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (isGone()) throw new Error(`the daemon had ended before (${child.signalCode ?? child.exitCode})`)
      child.kill('SIGTERM')
      await gone
      if (child.exitCode !== 0) throw new Error(`the daemon ended with ${child.signalCode ?? child.exitCode}`)
    },
    log: () => lines
  }
}

export async function startBeacon(logFile: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { child, firstLine, gone } = start([join(ROOT, 'src/cli/main.ts'), 'beacon', '--port', '0', '--json'], logFile)
  const line = await firstLine
  if (line === undefined) throw new Error(`the beacon did not start; see ${logFile}`)
  return {
    url: (JSON.parse(line) as { url: string }).url,
    async stop() {
      child.kill('SIGKILL')
      await gone
    }
  }
}
