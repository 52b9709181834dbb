/** What the setup sees of a machine, and how it changes it. Tests have a tree of their own. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from '../../../util/replace-file.ts'

export type Command = readonly [string, ...string[]]

export interface CommandResult {
  /** Null: it could not be started, or a signal ended it. */
  readonly code: number | null
  /** What it wrote, both streams. */
  readonly output: string
}

/** Paths are absolute, as on a machine of its own. */
export interface Host {
  readonly platform: NodeJS.Platform
  /** Whether files of the system may be written. */
  readonly mayWrite: boolean
  /** The text of a file; undefined where there is none that can be read. */
  read(path: string): string | undefined
  exists(path: string): boolean
  /** Names in a directory, sorted; none where it is missing. */
  list(path: string): readonly string[]
  /** Whether a program of that name runs: the first 15 bytes of it, as Linux keeps them. */
  runs(program: string): boolean
  /** `input` is what the program reads. Undefined: this host is a tree of files only. */
  run(command: Command, input?: string): CommandResult | undefined
  /** Says whether it was missing. */
  makeDirectory(path: string): boolean
  /** For its user alone. */
  makePrivateDirectory(path: string): void
  /** Replaces the file as a whole, or leaves it. */
  write(path: string, text: string): void
  remove(path: string): void
  /** Leaves one that is not empty. */
  removeDirectory(path: string): void
}

const COMMAND_TIMEOUT_MS = 60_000
const COMM_BYTES = 15
/** Resolvers run as users of their own and must read what root writes, whatever its umask. */
const FILE_MODE = 0o644
const DIRECTORY_MODE = 0o755

function runCommand([program, ...args]: Command, input: string): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: COMMAND_TIMEOUT_MS,
    input
  })
  return { code: status, output: error === undefined ? `${stdout}${stderr}`.trim() : error.message }
}

/** This machine, or a tree of files below `root` on which no command runs. */
export function createHost(root = '/', platform: NodeJS.Platform = process.platform): Host {
  const whole = root === '/'
  const at = (path: string): string => join(root, path)
  const readable = (path: string): string | undefined => {
    try {
      // eslint-disable-next-line no-restricted-syntax -- a comment may have any encoding; nothing is written back
      return readFileSync(at(path), 'utf8')
    } catch {
      // A missing file, a directory or a file of others: nothing to learn from it.
      return undefined
    }
  }
  const list = (path: string): string[] => {
    try {
      return readdirSync(at(path)).sort()
    } catch {
      return []
    }
  }
  return {
    platform,
    mayWrite: !whole || process.geteuid?.() === 0 || platform === 'win32',
    read: readable,
    list,
    exists: (path) => existsSync(at(path)),
    runs: (program) => {
      const comm = program.slice(0, COMM_BYTES)
      return list('/proc').some((pid) => /^\d+$/u.test(pid) && readable(`/proc/${pid}/comm`)?.trim() === comm)
    },
    run: (command, input = '') => (whole ? runCommand(command, input) : undefined),
    makeDirectory: (path) => {
      if (mkdirSync(at(path), { recursive: true }) === undefined) return false
      chmodSync(at(path), DIRECTORY_MODE)
      return true
    },
    makePrivateDirectory: (path) => void mkdirSync(at(path), { recursive: true, mode: 0o700 }),
    // Its temporary file is hidden: dnsmasq reads every file of its directory, but for those that begin with a dot.
    write: (path, text) => replaceFileSync(at(path), text, FILE_MODE),
    remove: (path) => rmSync(at(path)),
    removeDirectory: (path) => {
      try {
        rmdirSync(at(path))
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error
      }
    }
  }
}
