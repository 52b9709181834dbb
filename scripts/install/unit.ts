/** Reads a systemd unit and starts its service as systemd would, where no systemd runs: without the confinement. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { needPackages, programOf } from '../packages.ts'

export interface Unit {
  readonly type: string
  /** Program and arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** The settings of `[Service]` that decide what runs. `specifiers`: `%S` and the like, with what they mean here. */
export function readUnit(file: string, specifiers: Readonly<Record<string, string>>): Unit {
  const text = readFileSync(file, 'utf8').replace(/%[A-Za-z]/g, (specifier) => {
    const meaning = specifiers[specifier]
    // Elsewhere in the unit they are of no interest.
    return meaning ?? specifier
  })
  const [, service = ''] = /^\[Service\]\n([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(text) ?? []
  const all = (name: string): string[] =>
    [...service.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)
  const command = all('ExecStart').at(-1)?.split(/\s+/)
  if (command === undefined) throw new Error(`${file} has no ExecStart`)
  const words = all('Environment').flatMap((line) => line.split(/\s+/))
  const environment = words.map((word) => {
    const at = word.indexOf('=')
    return [word.slice(0, at), word.slice(at + 1)] as const
  })
  return { type: all('Type').at(-1) ?? 'simple', command, environment: Object.fromEntries(environment) }
}

/** A service that runs; its output goes to `log`. */
export class Service {
  readonly #child: ChildProcess
  readonly #socket: ChildProcess | undefined

  private constructor(child: ChildProcess, socket: ChildProcess | undefined) {
    this.#child = child
    this.#socket = socket
  }

  /** Resolves once the service has said that it is ready, over a real notify socket; rejects when it ends before. */
  static async start(
    { type, command, environment }: Unit,
    { runtime, env, log }: { runtime: string; env: NodeJS.ProcessEnv; log: (text: string) => void }
  ): Promise<Service> {
    const address = join(runtime, 'notify')
    const socket = type === 'notify' ? await listen(address, runtime) : undefined
    const told = socket === undefined ? { ...env, ...environment } : { ...env, ...environment, NOTIFY_SOCKET: address }
    const [program, ...args] = command
    const child = spawn(program!, args, { env: told, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk: Buffer) => log(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => log(chunk.toString()))
    const ended = once(child, 'close').then(([code]) => {
      throw new Error(`the service ended with ${String(code)} before it was ready`)
    })
    // Without a notify socket the banner is what says so.
    await Promise.race([said(socket?.stdout ?? child.stdout, socket === undefined ? /./ : /^READY=1$/), ended])
    ended.catch(() => undefined)
    return new Service(child, socket)
  }

  /** As systemd stops it; resolves with the exit code. */
  async stop(): Promise<number | null> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    const [code] = (await closed) as [number | null]
    if (this.#socket !== undefined && this.#socket.exitCode === null) {
      const gone = once(this.#socket, 'close')
      this.#socket.kill('SIGTERM')
      await gone
    }
    return code
  }
}

/** A datagram socket, which Node has not: its messages come as lines. */
async function listen(address: string, runtime: string): Promise<ChildProcess> {
  needPackages(['socat'])
  mkdirSync(runtime, { recursive: true })
  const args = ['-u', '-dd', `UNIX-RECV:${address},unlink-early`, 'STDOUT']
  const socat = spawn(programOf('socat'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  await said(socat.stderr, /starting data transfer loop/)
  return socat
}

/** Resolves at the first line that matches; goes on reading, so that the writer never waits. */
async function said(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<void> {
  await new Promise<void>((resolve) => {
    createInterface({ input: stream! }).on('line', (line) => {
      if (pattern.test(line)) resolve()
    })
  })
}
