/** A directory tree like a fresh container's: own home, own prefix, and a PATH with what Node and npm need alone. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { thisMachine } from '../packages.ts'

/** No compiler, no cargo, no git, no Python. */
const PROGRAMS = ['npm', 'npx', 'sh', 'env']

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export class Tree {
  readonly root: string
  readonly prefix: string
  readonly data: string
  readonly config: string
  readonly environment: NodeJS.ProcessEnv

  constructor(root: string) {
    this.root = root
    this.prefix = join(root, 'usr')
    this.data = join(root, 'var/lib/chronym')
    this.config = join(root, 'etc/chronym')
    const bin = join(root, 'bin')
    for (const folder of [bin, join(root, 'home'), join(root, 'tmp'), join(root, 'run'), this.prefix, this.config])
      mkdirSync(folder, { recursive: true })
    symlinkSync(process.execPath, join(bin, 'node'))
    for (const program of PROGRAMS) symlinkSync(thisMachine.find(program)!, join(bin, program))
    this.environment = {
      PATH: `${join(this.prefix, 'bin')}:${bin}`,
      HOME: join(root, 'home'),
      TMPDIR: join(root, 'tmp'),
      LANG: 'C.UTF-8',
      npm_config_prefix: this.prefix,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      // Everything comes from the tarballs.
      npm_config_offline: 'true'
    }
  }

  /** Runs to the end in the home directory; never rejects for an exit code. */
  async run(command: string, args: readonly string[]): Promise<Ran> {
    const env = this.environment
    const program = (env['PATH'] ?? '').split(':').map((folder) => join(folder, command))
    const path = program.find((candidate) => existsSync(candidate))
    if (path === undefined) throw new Error(`${command} is not on the PATH of the tree: ${env['PATH']}`)
    const running = promisify(execFile)(path, args, { cwd: join(this.root, 'home'), env, maxBuffer: 2 ** 26 })
    return running.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (reason: unknown) => {
        const error = reason as { code?: unknown; stdout?: string; stderr?: string }
        if (typeof error.code !== 'number') throw reason
        return { code: error.code, stdout: error.stdout ?? '', stderr: error.stderr ?? '' }
      }
    )
  }

  /** As `run`; throws with its output unless it succeeds. */
  async must(command: string, args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, args)
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
    return stdout
  }

  /** The command line, for the daemon of the tree; its answer. */
  async chronym(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.must('chronym', ['--data-dir', this.data, '--json', ...args])) as unknown
  }

  /** Files and links below, without what npm keeps for itself and what the tree began with. */
  leftovers(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.root, join(entry.parentPath, entry.name)))
      .filter((path) => !/^(?:bin|home\/\.npm|tmp\/node-compile-cache)\//.test(path))
      .sort()
  }
}
