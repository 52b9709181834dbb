/**
 * Paths as people give them, and the directories of this user. A home is looked up only where one is needed: a service
 * may have none.
 */
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

/** A path that would lead somewhere else from another working directory, or a user without a home. */
export class PathError extends Error {}

/** The environment names no home, and neither does the system's list of users. */
export class NoHomeError extends PathError {}

const isWindows = process.platform === 'win32'
const HOME_VARIABLE = isWindows ? 'USERPROFILE' : 'HOME'

/** Throws PathError. */
function userHome(): string {
  let home: string
  try {
    home = homedir()
  } catch (cause) {
    throw new NoHomeError(
      `this user has no home directory: ${HOME_VARIABLE} is unset, and the system's list of users has none. ` +
        `Set ${HOME_VARIABLE}, or name the directory: --data-dir or CHRONYM_DATA_DIR`,
      { cause }
    )
  }
  if (isAbsolute(home)) return home
  const given = home === '' ? 'empty' : `"${home}"`
  throw new PathError(
    `${HOME_VARIABLE} is ${given}: files would go below whatever directory is the current one. ` +
      `Set it to the absolute path of your home directory`
  )
}

const TILDE = isWindows ? /^~(?:$|[/\\])/u : /^~(?:$|\/)/u

/** `~` and `~/x` as a shell expands them: no shell does in `--data-dir=~/x`, in quotes or in a file. Throws PathError. */
export function expandHome(path: string): string {
  if (TILDE.test(path)) return join(userHome(), path.slice(2))
  if (!path.startsWith('~')) return path
  throw new PathError(`only ~/ is expanded: give the absolute path, or ./${path} for a file of that name`)
}

/** The path from the working directory, for options: that is what their users see. Throws PathError. */
export function pathFromHere(path: string): string {
  return resolve(expandHome(path))
}

/** A path of a file or variable, which is read from many working directories. Throws PathError. */
export function fixedPath(path: string): string {
  const expanded = expandHome(path)
  if (isAbsolute(expanded)) return expanded
  throw new PathError(`must be an absolute path such as ${resolve(path)}, or begin with ~/`)
}

/** Where programs keep their files, by platform: the XDG base directories on Linux and its like. */
const PLACES = {
  data: {
    variable: 'XDG_DATA_HOME',
    home: ['.local', 'share'],
    mac: 'Application Support',
    windows: { variable: 'LOCALAPPDATA', home: 'Local', folder: 'Data' }
  },
  config: {
    variable: 'XDG_CONFIG_HOME',
    home: ['.config'],
    mac: 'Preferences',
    windows: { variable: 'APPDATA', home: 'Roaming', folder: 'Config' }
  },
  cache: {
    variable: 'XDG_CACHE_HOME',
    home: ['.cache'],
    mac: 'Caches',
    windows: { variable: 'LOCALAPPDATA', home: 'Local', folder: 'Cache' }
  }
} as const

const PROGRAM = 'chronym'

/** The program's own directory of that kind. Throws PathError. */
export function userDirectory(kind: keyof typeof PLACES): string {
  const { variable, home, mac, windows } = PLACES[kind]
  if (process.platform === 'darwin') return join(userHome(), 'Library', mac, PROGRAM)
  if (isWindows)
    return join(directoryOf(windows.variable) ?? join(userHome(), 'AppData', windows.home), PROGRAM, windows.folder)
  return join(directoryOf(variable) ?? join(userHome(), ...home), PROGRAM)
}

function directoryOf(variable: string): string | undefined {
  const given = process.env[variable] ?? ''
  if (given === '') return undefined
  try {
    return fixedPath(given)
  } catch (error) {
    throw error instanceof PathError ? new PathError(`${variable}: ${error.message}`, { cause: error }) : error
  }
}
