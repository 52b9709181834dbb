/** Starts daemons and beacons of this checkout as processes, for tests, benches and crash runs. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const ROOT = resolve(import.meta.dirname, '..')

/** How a process is run beside its arguments. */
export interface Surroundings {
  /** Loaded before the script, see `node --import`; paths within the checkout. */
  readonly preload?: string | readonly string[]
  readonly environment?: Record<string, string>
  /** A program and its arguments that become the process, such as `ip netns exec NAME`. */
  readonly within?: readonly string[]
  /** Multiaddr that a daemon listens on for peers; null leaves it to the daemon. */
  readonly listen?: string | null
  /** As the package has it: `dist/`, which `npm run build` makes. */
  readonly built?: boolean
  /** Another checkout, of another build. */
  readonly root?: string
}

/** The first line of a daemon that was started with --json. */
export interface DaemonSummary {
  readonly api_url: string
  readonly token_file: string
  readonly data_dir: string
  readonly peer_id: string
  /** Multiaddrs with peer id. */
  readonly addresses: readonly string[]
}

/** The environment without CHRONYM_ variables. Networks that run at the same time do not find each other. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_'))
  return { ...Object.fromEntries(others), CHRONYM_MDNS: 'false' }
}

/** A script with Node in a clean environment. Its output goes to pipes, which the caller must read. */
export function run(
  script: string,
  args: readonly string[],
  { preload = [], environment, within = [], root = ROOT }: Surroundings = {}
): ChildProcess {
  const node = [preload].flat().flatMap((file) => ['--import', join(ROOT, file)])
  const [command, ...rest] = [...within, process.execPath, ...node, join(root, script), ...args]
  return spawn(command!, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...cleanEnvironment(), ...environment } })
}

/** A daemon on a free port; `firstLine` has its DaemonSummary. */
export function runDaemon(args: readonly string[], surroundings: Surroundings = {}): ChildProcess {
  return run(
    surroundings.built === true ? 'dist/daemon/main.js' : 'src/daemon/main.ts',
    ['--json', '--port', '0', ...listening(surroundings), ...args],
    surroundings
  )
}

function listening({ listen = '/ip4/127.0.0.1/tcp/0' }: Surroundings): string[] {
  return listen === null ? [] : ['--listen', listen]
}

/** A dev beacon on a free port; `firstLine` has its `url`. */
export function runBeacon(args: readonly string[] = [], surroundings: Surroundings = {}): ChildProcess {
  return run('src/cli/main.ts', ['beacon', '--port', '0', '--json', ...args], surroundings)
}

/** What a program says first on stdout, parsed. Rejects when it ends before. */
export async function firstLine<T>(child: ChildProcess): Promise<T> {
  const line = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([text]) => text as string),
    once(child, 'close').then(([code, signal]) =>
      Promise.reject(new Error(`the program ended with ${String(signal ?? code)} before it said anything`))
    )
  ])
  return JSON.parse(line) as T
}

/** Ends it with a signal, unless it has ended; resolves with its exit code once its pipes are closed. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const closed = once(child, 'close')
  child.kill(signal)
  const [code] = (await closed) as [number | null]
  return code
}

/** Copies the program's stderr to ours. `pipe` would add listeners to our stderr for each program. */
export function passErrorsOn(child: ChildProcess): void {
  child.stderr!.on('data', (chunk: Buffer) => process.stderr.write(chunk))
}
