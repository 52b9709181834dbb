/** A real nats-server with JetStream on a free port of a loopback address, for tests and benches. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OWN_HOST } from './loopback.ts'
import { needPackages, programOf } from './packages.ts'

const LOOK_MS = 20

export class NatsServer {
  readonly #directory: string
  readonly #extra: readonly string[]
  #process: ChildProcess | undefined
  /** Known after the first start; a restart takes the same. */
  #port = -1
  #monitoring = ''

  private constructor(directory: string, extra: readonly string[]) {
    this.#directory = directory
    this.#extra = extra
  }

  /** `directory`: an empty one, for all that it keeps. */
  static async started(directory: string, extra: readonly string[] = []): Promise<NatsServer> {
    needPackages(['nats-server'])
    const server = new NatsServer(directory, extra)
    await server.start()
    return server
  }

  get url(): string {
    return `nats://${OWN_HOST}:${this.#port}`
  }

  /** Empty without `--http_port`. */
  get monitoringUrl(): string {
    return this.#monitoring
  }

  get pid(): number {
    return this.#process!.pid!
  }

  /** Rejects with what it said if it ends before it listens. */
  async start(): Promise<void> {
    const address = ['--addr', OWN_HOST, '--port', String(this.#port), '--ports_file_dir', this.#directory]
    const started = spawn(
      programOf('nats-server'),
      [...address, '--jetstream', '--store_dir', join(this.#directory, 'store'), ...this.#extra],
      { stdio: ['ignore', 'ignore', 'pipe'] }
    )
    this.#process = started
    let said = ''
    started.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = `${said}${chunk}`.slice(-2000)))
    while (!this.#isListening()) {
      if (started.exitCode !== null) throw new Error(`nats-server ended: ${said}`)
      await delay(LOOK_MS)
    }
  }

  async kill(): Promise<void> {
    const process = this.#process
    if (process?.exitCode !== null || process.signalCode !== null) return
    const exited = once(process, 'exit')
    process.kill('SIGKILL')
    await exited
    for (const file of this.#portsFiles()) rmSync(file, { force: true })
  }

  /** Not while it runs. */
  wipeDisk(): void {
    rmSync(join(this.#directory, 'store'), { recursive: true, force: true })
  }

  /** While it runs, and has no message there yet. */
  loseFilesOf(stream: string): void {
    rmSync(join(this.#directory, 'store/jetstream/$G/streams', stream), { recursive: true })
  }

  #portsFiles(): string[] {
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith('.ports'))
      .map((name) => join(this.#directory, name))
  }

  #isListening(): boolean {
    const [file] = this.#portsFiles()
    const text = file === undefined ? '' : readFileSync(file, 'utf8')
    // The server may still write it.
    if (!text.endsWith('}')) return false
    const { nats, monitoring = [] } = JSON.parse(text) as { nats: string[]; monitoring?: string[] }
    this.#port = Number(new URL(nats[0]!).port)
    this.#monitoring = monitoring[0] ?? ''
    return true
  }
}
