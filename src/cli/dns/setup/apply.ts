/** Writes what a plan says and takes it back: files of our own, whole, and only those. */
import { dirname } from 'node:path/posix'
import { createHash } from 'node:crypto'
import { EXIT, Failure, messageOf } from '../../failures/failure.ts'
import { printable } from '../../terminal/format.ts'
import type { ConfigFile } from '../route.ts'
import type { Command, CommandResult, Host } from './host.ts'
import type { Plan, WrittenSystem } from './systems.ts'

/** `same`: written before, with this content. */
export type FileState = 'absent' | 'same' | 'outdated' | 'changed' | 'foreign'

export function stateOf(host: Host, file: ConfigFile): FileState {
  const text = host.read(file.path)
  if (text === undefined) return host.exists(file.path) ? 'foreign' : 'absent'
  const author = authorOf(text)
  if (author !== 'ours') return author
  return bodyOf(text) === file.body ? 'same' : 'outdated'
}

function refusal(path: string, state: 'changed' | 'foreign'): Failure {
  return new Failure(
    'CLI-DNS-001',
    state === 'foreign'
      ? `chronym dns setup did not write ${path}`
      : `somebody changed ${path} after chronym dns setup wrote it`,
    { exitCode: EXIT.refused, cure: 'Move it away, and repeat this. Nothing was changed.' }
  )
}

/** Throws CLI-DNS-001 for a file that is not as this command left it, CLI-DNS-002 for a user who may not write. */
export function checkWritable(host: Host, files: readonly ConfigFile[], rootCure: string): void {
  for (const file of files) {
    const state = stateOf(host, file)
    if (state === 'changed' || state === 'foreign') throw refusal(file.path, state)
  }
  requireRoot(host, rootCure)
}

export function requireRoot(host: Host, cure: string): void {
  if (host.mayWrite) return
  throw new Failure('CLI-DNS-002', 'only root may change how this machine resolves names', {
    exitCode: EXIT.forbidden,
    cure
  })
}

export interface Ran {
  readonly command: Command
  /** Null: not run, as this is another root directory. */
  readonly code: number | null
}

/** Runs all; throws CLI-DNS-004 for the first that fails. */
function runAll(host: Host, commands: readonly Command[], state: string, cure: string): Ran[] {
  return commands.map((command) => {
    const result = host.run(command)
    if (result === undefined) return { command, code: null }
    if (result.code !== 0) throw commandFailure(command, result, state, cure)
    return { command, code: 0 }
  })
}

function commandFailure(command: Command, { code, output }: CommandResult, state: string, cure: string): Failure {
  const said = printable(output.split('\n').slice(-3).join('; '))
  return new Failure(
    'CLI-DNS-004',
    `${command.join(' ')} ended with ${code ?? 'no code'}${said === '' ? '' : `: ${said}`}. ${state}`,
    { exitCode: EXIT.fault, cure }
  )
}

interface Former {
  readonly path: string
  readonly text: string | undefined
}

function writeMarked(host: Host, file: ConfigFile): Former {
  const text = host.read(file.path)
  const made = host.makeDirectory(dirname(file.path))
  try {
    host.write(file.path, markedText(file, made || (text !== undefined && madeItsDirectory(text))))
  } catch (error) {
    if (made) host.removeDirectory(dirname(file.path))
    throw error
  }
  return { path: file.path, text }
}

function removeMarked(host: Host, path: string): void {
  const made = madeItsDirectory(host.read(path) ?? '')
  host.remove(path)
  if (made) host.removeDirectory(dirname(path))
}

function takeBack(host: Host, formers: readonly Former[]): void {
  for (const { path, text } of [...formers].reverse()) {
    if (text === undefined) removeMarked(host, path)
    else host.write(path, text)
  }
}

interface Applied {
  readonly written: readonly string[]
  readonly commands: readonly Ran[]
}

/** After {@link checkWritable}. Leaves all files as they were where one cannot be written or the check refuses them. */
export function apply(host: Host, { files, check, commands }: Plan): Applied {
  const formers: Former[] = []
  try {
    for (const file of files) if (stateOf(host, file) !== 'same') formers.push(writeMarked(host, file))
    if (check !== undefined)
      runAll(host, [check], 'Nothing was changed.', 'Correct the configuration of that resolver, and repeat this.')
  } catch (error) {
    takeBack(host, formers)
    if (error instanceof Failure) throw error
    throw new Failure('CLI-DNS-004', `${messageOf(error)}. Nothing was changed.`, {
      exitCode: EXIT.fault,
      cure: 'Check the permissions and the space of that directory.',
      cause: error
    })
  }
  const ran = runAll(
    host,
    commands,
    files.length === 0 ? 'The route may be missing.' : 'The files are written.',
    'Look at the log of that resolver; take everything back: chronym dns setup --undo.'
  )
  return { written: formers.map(({ path }) => path), commands: ran }
}

interface Undoing {
  readonly files: readonly string[]
  readonly commands: readonly Command[]
}

/** What {@link undo} would do. Throws CLI-DNS-001 for a file of ours that somebody changed, or for another's in its place. */
export function planUndo(host: Host, systems: readonly WrittenSystem[], tlds: readonly string[]): Undoing {
  const found = systems.map((system) => {
    const paths = system.directories.flatMap((directory) =>
      host.list(directory).map((name) => ({ name, path: `${directory}/${name}` }))
    )
    const files = paths.filter(({ name, path }) => {
      const author = authorOf(host.read(path) ?? '')
      if (author === 'changed') throw refusal(path, author)
      if (author === 'foreign' && tlds.some((tld) => isOurName(name, tld))) throw refusal(path, author)
      return author === 'ours'
    })
    return { files: files.map(({ path }) => path), commands: files.length > 0 ? system.undo(host) : [] }
  })
  return { files: found.flatMap(({ files }) => files), commands: found.flatMap(({ commands }) => commands) }
}

function isOurName(name: string, tld: string): boolean {
  return [tld, `${tld}.conf`, `${tld}.positive`, `${tld}.dns-delegate`].includes(name)
}

export function undo(host: Host, { files, commands }: Undoing): { removed: readonly string[]; commands: Ran[] } {
  for (const path of files) removeMarked(host, path)
  return {
    removed: files,
    commands: runAll(host, commands, 'The files are removed.', 'Look at the log of that resolver, and restart it.')
  }
}

const MARKER =
  /^[#;] Written by chronym dns setup; chronym dns setup --undo removes it \((?<digest>[0-9a-f]{32})(?<made>, with its directory)?\)\.\n/u

/** `changed`: the setup wrote it, and somebody changed it since. */
type Authorship = 'ours' | 'changed' | 'foreign'

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32)
}

/** `madeDirectory`: the directory goes with the file. */
export function markedText({ comment, body }: ConfigFile, madeDirectory: boolean): string {
  const made = madeDirectory ? ', with its directory' : ''
  return (
    `${comment} Written by chronym dns setup; chronym dns setup --undo removes it ` +
    `(${digestOf(body)}${made}).\n${body}`
  )
}

export function authorOf(text: string): Authorship {
  const match = MARKER.exec(text)
  if (match === null) return 'foreign'
  return digestOf(text.slice(match[0].length)) === match.groups!['digest'] ? 'ours' : 'changed'
}

function madeItsDirectory(text: string): boolean {
  return MARKER.exec(text)?.groups?.['made'] !== undefined
}

/** What follows the first line. */
function bodyOf(text: string): string {
  return text.replace(MARKER, '')
}
