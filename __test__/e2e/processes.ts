/** Real processes for the end-to-end tests: daemons and a beacon on loopback, each in its own temporary directory. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { end, firstLine, run, runDaemon, type DaemonSummary, type Surroundings } from '../../scripts/program.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { parseProfile, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { PeerView } from '../../src/views/network.ts'

/** Of {@link cheap} names with fewer than three letters: they are not done before a test ends. */
const ENDLESS_FACTOR = 1000

/** A network like `local`, where a name costs this number of squarings. */
export const cheap = (squarings = 20_000): NetworkProfile => {
  const by_length = [
    { from: 1, factor: ENDLESS_FACTOR },
    { from: 3, factor: 1 }
  ]
  return parseProfile({ ...local, id: 'cheap', difficulty: { base: squarings, by_length } })
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

/** Runs to the end. */
export async function runToEnd(
  script: string,
  args: readonly string[],
  surroundings: Surroundings = {}
): Promise<Finished> {
  const child = run(script, args, surroundings)
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, stdout, stderr }
}

/**
 * Resolves once all is read that a daemon logged before the answer that was just read: the log has a pipe of its own,
 * which may come later in the same turn of the event loop.
 */
const logRead = (): Promise<unknown> => setImmediate()

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
    const child = runDaemon(args, surroundings)
    const log: string[] = []
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      log.push(chunk)
      if (log.length > 2_000) log.shift()
    })
    const summary = await firstLine<DaemonSummary>(child).catch((error: unknown) => {
      throw new Error(log.join(''), { cause: error })
    })
    await logRead()
    return new Daemon(child, summary, log)
  }

  get pid(): number {
    return this.child.pid!
  }

  get address(): string {
    return this.summary.addresses[0]!
  }

  logText(): string {
    return this.log.join('')
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<{ status: number; headers: Headers; body: Answer }> {
    const response = await fetch(`${this.summary.api_url}${path}`, {
      method,
      // A connection of its own: on a busy machine a kept one is reused at the moment at which the daemon closes it.
      headers: {
        connection: 'close',
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    await logRead()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  signal(signal: NodeJS.Signals): Promise<number | null> {
    return end(this.child, signal)
  }
}

/** What a test started, ended in reverse. */
export class Scene {
  private ending: Promise<void> | undefined
  private readonly cleanups: (() => unknown)[] = []

  directory(): string {
    const path = mkdtempSync(join(tmpdir(), 'chronym-e2e-'))
    // What a browser leaves behind may still write there.
    this.cleanups.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
    return path
  }

  /** The file of a network that is {@link cheap}. */
  network(squarings?: number): string {
    const file = join(this.directory(), 'profile.json')
    writeFileSync(file, JSON.stringify(cheap(squarings)))
    return file
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
    this.cleanups.push(() => end(child, 'SIGKILL'))
    return child
  }

  /** Who calls it meanwhile waits for the same end: a bench that a signal ends also ends by what then fails. */
  end(): Promise<void> {
    this.ending ??= this.endAll().finally(() => {
      this.ending = undefined
    })
    return this.ending
  }

  private async endAll(): Promise<void> {
    const failures: unknown[] = []
    // Also what is started meanwhile, as after a signal; and what is left where an end fails.
    for (let cleanup = this.cleanups.pop(); cleanup !== undefined; cleanup = this.cleanups.pop()) {
      try {
        await cleanup()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}

/**
 * Asks until `accept` holds, less often the longer it takes: asking costs the processor that is waited for. The
 * deadline bounds a test that would otherwise hang.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  accept: (value: T) => boolean,
  deadlineMs = 300_000
): Promise<T> {
  const start = Date.now()
  for (;;) {
    const value = await ask()
    if (accept(value)) return value
    const waited = Date.now() - start
    if (waited > deadlineMs) throw new Error(`not so within ${deadlineMs} ms; last: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waited / 20, 25), 250)))
  }
}

/**
 * Resolves once each has all others that store in its routing table. One that is only connected is not asked yet, and
 * holds nothing.
 */
export async function acquainted(...daemons: readonly Daemon[]): Promise<void> {
  const modes = await Promise.all(daemons.map((daemon) => daemon.request('GET', '/api/network-status')))
  const storing = daemons.filter((_, index) => modes[index]!.body.mode === 'full')
  const isKnown = (peers: readonly PeerView[], { summary }: Daemon): boolean =>
    peers.some(({ peer, in_table: is }) => is && peer === summary.peer_id)
  await Promise.all(
    daemons.map((daemon) =>
      eventually(
        async () => (await daemon.request('GET', '/api/peers')).body as PeerView[],
        (peers) => storing.every((other) => other === daemon || isKnown(peers, other))
      )
    )
  )
}

/** Begins a registration, once beacon and peers answer. Gives the id of its task. */
export async function begin(daemon: Daemon, name: string, more: object = {}): Promise<string> {
  const { status, body } = await eventually(
    () => daemon.request('POST', '/api/vdf/register', { name, ...more }),
    (answer) => answer.status !== 503
  )
  if (status !== 202) throw new Error(`${name} is not registered: ${JSON.stringify(body)}`)
  return body.task_id as string
}

/** Resolves once a task has completed. Rejects where it fails. */
export async function completed(daemon: Daemon, taskId: string, deadlineMs?: number): Promise<void> {
  const { body } = await eventually(
    () => daemon.request('GET', `/api/vdf/status/${taskId}`),
    (task) => task.body.status !== 'running',
    deadlineMs
  )
  if (body.status !== 'completed') throw new Error(`a task ended: ${JSON.stringify(body)}`)
}

/** Registers a name; resolves once it is published. */
export async function register(daemon: Daemon, name: string, more?: object): Promise<void> {
  await completed(daemon, await begin(daemon, name, more))
}
