/** A real nats-server with JetStream on a free port of the loopback address. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'

export class NatsServer {
  readonly #directory = temporary()
  readonly #extra: readonly string[]
  #process: ChildProcess | undefined
  /** Known after the first start; a restart takes the same. */
  #port = -1

  constructor(extra: readonly string[] = []) {
    this.#extra = extra
  }

  static async started(extra: readonly string[] = []): Promise<NatsServer> {
    needPackages(['nats-server'])
    const server = new NatsServer(extra)
    await server.start()
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const address = ['--addr', '127.0.0.1', '--port', String(this.#port), '--ports_file_dir', this.#directory]
    this.#process = spawn(
      programOf('nats-server'),
      [...address, '--jetstream', '--store_dir', join(this.#directory, 'store'), ...this.#extra],
      { stdio: 'ignore' }
    )
    this.#port = await waitFor(() => this.#listening())
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const process = this.#process
    if (process?.exitCode !== null || process.signalCode !== null) return
    const exited = once(process, 'exit')
    process.kill(signal)
    await exited
    for (const file of this.#portsFiles()) rmSync(file)
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

  #listening(): number {
    const [file] = this.#portsFiles()
    if (file === undefined) throw new Error('nats-server does not listen yet')
    const { nats } = JSON.parse(readFileSync(file, 'utf8')) as { nats: string[] }
    return Number(new URL(nats[0]!).port)
  }
}
