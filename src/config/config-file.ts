/** Which file the configuration is read from. */
import { join } from 'node:path'
import { ServiceError } from '../errors.ts'
import { fixedPath, NoHomeError, PathError, pathFromHere, userDirectory } from '../util/user-paths.ts'
import { configFromFile } from './config.ts'
import type { PartialConfig } from './dotted-path.ts'
import type { Warn } from './removed.ts'

export interface ConfigFile {
  /** Undefined for a user without a home, who has no file of their own. */
  readonly path: string | undefined
  /** Named by an option or CHRONYM_CONFIG, so it must exist. */
  readonly isNamed: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** The file of the option, of CHRONYM_CONFIG, or the user's. Throws SVC-CFG-001. */
export function configFileOf(env: Environment, option?: string): ConfigFile {
  try {
    if (option !== undefined) return { path: pathFromHere(option), isNamed: true }
    const named = env['CHRONYM_CONFIG']
    if (named !== undefined) return { path: fixedPath(named), isNamed: true }
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    const where = option === undefined ? 'environment variable CHRONYM_CONFIG' : 'flag --config'
    throw new ServiceError('SVC-CFG-001', `${where}: ${error.message}`, { cause: error })
  }
  return { path: defaultConfigFile(), isNamed: false }
}

/** Undefined for a user without a home. Throws PathError for a home that is no absolute path. */
function defaultConfigFile(): string | undefined {
  try {
    return join(userDirectory('config'), 'config.toml')
  } catch (error) {
    if (error instanceof NoHomeError) return undefined
    throw error
  }
}

/** Where `--help` says that the file is: it must print whatever the environment is. */
export function defaultConfigFileText(): string {
  try {
    return defaultConfigFile() ?? 'none'
  } catch {
    return 'config.toml of the user'
  }
}

export function readConfigFile({ path, isNamed }: ConfigFile, warn?: Warn): PartialConfig {
  return path === undefined ? {} : configFromFile(path, isNamed, warn)
}
