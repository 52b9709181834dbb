/** Where the daemon is: its data directory, its address, its token. Found the way the daemon itself finds them. */
import { AccessTokenError, readAccessToken } from '../../data-directory/access-token.ts'
import type { ConfigFieldView } from '../../views/config.ts'
import {
  checkConfig,
  type Config,
  configFromEnvironment,
  isBuiltIn,
  loadNetwork as load,
  mergeConfig
} from '../../config/config.ts'
import { configFileOf, readConfigFile } from '../../config/config-file.ts'
import { configFields, type StartSources } from '../../config/service.ts'
import { dataPaths, type DataPaths, defaultDataDir } from '../../data-directory/paths.ts'
import { runningTarget } from '../../library/running-target.ts'
import type { Target } from '../../api/client/proven-fetch.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { shellWord } from '../../util/shell-commands.ts'
import { pathFromHere } from '../../util/user-paths.ts'
import type { Context } from '../context.ts'
import { EXIT, Failure, messageOf, usageFailure } from '../failures/failure.ts'

function localSources(context: Context): StartSources {
  const { dataDir } = context.options
  return {
    file: readConfigFile(configFileOf(context.env)),
    environment: configFromEnvironment(context.env),
    flags: dataDir === undefined ? {} : { data_dir: pathFromHere(dataDir) }
  }
}

/** Each field of {@link localConfig} with where it comes from. What was changed at run time only the daemon knows. */
export function localFields(context: Context): ConfigFieldView[] {
  const config = { ...localConfig(context), data_dir: localPaths(context).root }
  return configFields(config, config, localSources(context))
}

/** The configuration as a daemon started with the same environment would read it. */
export function localConfig(context: Context): Config {
  const { file, environment, flags } = localSources(context)
  return checkConfig(mergeConfig(file, environment, flags), 'configuration')
}

export function localPaths(context: Context): DataPaths {
  const config = localConfig(context)
  return dataPaths(config.data_dir === '' ? defaultDataDir(load(config.network).profile.id) : config.data_dir)
}

/** Which daemon a command is about: that of the data directory, or the one at an address that was named. */
type WhichDaemon =
  | { readonly kind: 'directory' }
  | {
      readonly kind: 'address'
      readonly url: string
      /** The data directory was named too: the daemon there must be its own. */
      readonly strict: boolean
    }

/** `--api`, `--data-dir`, CHRONYM_API, the data directory of environment and configuration; the first that is given. */
export function whichDaemon({ options, env }: Context): WhichDaemon {
  const given = [options.api, options.dataDir === undefined ? env['CHRONYM_API'] : undefined].find(
    (text) => text !== undefined && text !== ''
  )
  if (given === undefined) return { kind: 'directory' }
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url !== undefined && url.username + url.password !== '') {
    url.username = url.password = ''
    throw usageFailure(
      'the address of --api or CHRONYM_API has a name or a password in it, and the daemon takes neither',
      `Give the address alone, and the token beside it: --api ${shellWord(url.href)} --token TOKEN`
    )
  }
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw usageFailure(`--api ${given}: an http or https address`, 'Example: --api http://127.0.0.1:7468')
  return { kind: 'address', url: url.href.replace(/(?<!\/)\/+$/u, ''), strict: options.dataDir !== undefined }
}

/**
 * The daemon that runs on the data directory, with what it must prove. Throws UnreachableError when none does, Failure
 * for a token that cannot be used.
 */
export function directoryTarget(context: Context): Target {
  return runningTarget(localPaths(context), {
    token: () => directoryToken(context),
    elsewhere: 'Name the directory of the daemon you mean with --data-dir, or its address with --api.',
    address: 'give --api and --token'
  })
}

/** Characters of a header; the daemon's tokens are base64url. */
const TOKEN = /^[!-~]+$/u

/** `--token` or CHRONYM_TOKEN. */
export function givenToken(context: Context): string | undefined {
  // Secrets that come from a file often end with its line.
  const given = (context.options.token ?? context.env['CHRONYM_TOKEN'])?.trim()
  if (given === undefined || given === '') return undefined
  if (TOKEN.test(given)) return given
  throw new Failure('CLI-TOK-001', 'the value of --token or CHRONYM_TOKEN has characters that no token has', {
    exitCode: EXIT.forbidden,
    cure: 'Give the token as `chronym token` prints it.'
  })
}

/** The main token of the data directory; undefined where there is none. */
export function directoryToken(context: Context): string | undefined {
  const { token } = localPaths(context)
  try {
    return readAccessToken(token)
  } catch (error) {
    if (error instanceof AccessTokenError)
      throw new Failure('CLI-TOK-001', error.reason, { exitCode: EXIT.forbidden, cure: error.cure, cause: error })
    throw new Failure('CLI-TOK-001', `the access token ${token} can't be read: ${messageOf(error)}`, {
      exitCode: EXIT.forbidden,
      cure: 'Run this as the user that runs the daemon, or give --token.',
      cause: error
    })
  }
}

/** `--token`, CHRONYM_TOKEN, or the daemon's file; undefined where there is none. */
export function findToken(context: Context): string | undefined {
  return givenToken(context) ?? directoryToken(context)
}

/** The token, or the failure that says where it was looked for. */
export function requireToken(context: Context): string {
  const token = findToken(context)
  if (token !== undefined) return token
  throw new Failure('CLI-TOK-001', `there is no access token at ${localPaths(context).token}`, {
    exitCode: EXIT.forbidden,
    cure: 'Start the daemon once (it makes the token), name its data directory with --data-dir, or give --token.'
  })
}

/** A built-in network (local, test, main) or a profile file; without a word, the network of the configuration. */
export function loadProfile(context: Context, network: string | undefined): NetworkProfile {
  return loadNetwork(context, network).profile
}

/** With what its file says beside the rules. */
export function loadNetwork(context: Context, network: string | undefined): ReturnType<typeof load> {
  return load(networkOf(context, network))
}

/** The same as a text that means the same network in every directory: for files that outlive the command. */
export function networkReference(context: Context, network: string | undefined): string {
  const named = networkOf(context, network)
  return isBuiltIn(named) ? named : pathFromHere(named)
}

function networkOf(context: Context, network: string | undefined): string {
  return network ?? localConfig(context).network
}
