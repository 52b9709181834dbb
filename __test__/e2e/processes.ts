/** Real processes for the end-to-end tests: daemons and a beacon on loopback, each in its own temporary directory. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const ROOT = resolve(import.meta.dirname, '../..')

export interface DaemonSummary {
  api_url: string
  token_file: string
  data_dir: string
  peer_id: string
  addresses: string[]
}

/** Parsed JSON of an answer; what it holds is what the tests check. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Answer = any

export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Environment without CHRONYM_ variables of whoever runs the tests. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_')))
}

/** How a process is run beside its arguments. */
export interface Surroundings {
  /** Loaded before the script, see `node --import`. */
  readonly preload?: string | readonly string[]
  readonly environment?: Record<string, string>
  /** A program and its arguments that become the process, such as `ip netns exec NAME`. */
  readonly within?: readonly string[]
  /** Multiaddr that a daemon listens on for peers. */
  readonly listen?: string
}

export function run(script: string, args: readonly string[], { preload = [], environment, within = [] }: Surroundings = {}): ChildProcess {
  const node = [preload].flat().flatMap((file) => ['--import', join(ROOT, file)])
  const [command, ...rest] = [...within, process.execPath, ...node, join(ROOT, script), ...args]
  return spawn(command!, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...cleanEnvironment(), ...environment } })
}

/** Runs to the end. */
export async function runToEnd(script: string, args: readonly string[]): Promise<Finished> {
  const child = run(script, args)
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, stdout, stderr }
}

export class Daemon {
  readonly summary: DaemonSummary
  readonly token: string
  private readonly child: ChildProcess
  private readonly log: string[]

  private constructor(child: ChildProcess, summary: DaemonSummary, log: string[]) {
    this.child = child
    this.summary = summary
    this.log = log
    this.token = readFileSync(summary.token_file, 'utf8').trim()
  }

  /** Started and listening; rejects with its log when it ends before. */
  static async start(args: readonly string[], surroundings: Surroundings = {}): Promise<Daemon> {
    const child = run('src/main.ts', ['--json', '--port', '0', '--listen', surroundings.listen ?? '/ip4/127.0.0.1/tcp/0', ...args], surroundings)
    const log: string[] = []
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      log.push(chunk)
      if (log.length > 2_000) log.shift()
    })
    const lines = createInterface({ input: child.stdout! })
    const first = await Promise.race([
      once(lines, 'line').then(([line]) => line as string),
      once(child, 'close').then(([code]) => Promise.reject(new Error(`the daemon ended with ${String(code)}:\n${log.join('')}`)))
    ])
    return new Daemon(child, JSON.parse(first) as DaemonSummary, log)
  }

  get address(): string {
    return this.summary.addresses[0]!
  }

  logText(): string {
    return this.log.join('')
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<{ status: number; headers: Headers; body: Answer }> {
    const response = await fetch(`${this.summary.api_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  async signal(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    const closed = once(this.child, 'close')
    this.child.kill(signal)
    const [code] = (await closed) as [number | null]
    return code
  }
}

/** What a test started, ended in reverse. */
export class Scene {
  private readonly cleanups: (() => unknown)[] = []

  directory(): string {
    const path = mkdtempSync(join(tmpdir(), 'chronym-e2e-'))
    this.cleanups.push(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  onEnd(cleanup: () => unknown): void {
    this.cleanups.push(cleanup)
  }

  async daemon(args: readonly string[], surroundings?: Surroundings): Promise<Daemon> {
    const daemon = await Daemon.start(args, surroundings)
    this.cleanups.push(() => daemon.signal('SIGKILL'))
    return daemon
  }

  child<T extends ChildProcess>(child: T): T {
    this.cleanups.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    })
    return child
  }

  async end(): Promise<void> {
    for (const cleanup of this.cleanups.reverse()) await cleanup()
    this.cleanups.length = 0
  }
}

/** Asks until `accept` holds; the deadline bounds a test that would otherwise hang. */
export async function eventually<T>(ask: () => Promise<T>, accept: (value: T) => boolean, deadlineMs = 60_000): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const value = await ask()
    if (accept(value)) return value
    if (Date.now() > end) throw new Error(`not so within ${deadlineMs} ms; last: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
