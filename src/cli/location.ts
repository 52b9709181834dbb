/** Where the daemon is: its data directory, its address, its token. Found the way the daemon itself finds them. */
import { readFileSync } from 'node:fs'
import { checkConfig, configFromEnvironment, configFromFile, mergeConfig, type Config } from '../config.ts'
import { loadProfile } from '../network-profile.ts'
import { dataPaths, defaultConfigFile, defaultDataDir, type DataPaths } from '../paths.ts'
import type { Context } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { Failure, messageOf, usageFailure } from './failure.ts'

/** Addresses that mean "every interface" are no address to connect to. */
const ANY_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]', ''])

/** The configuration as a daemon started with the same environment would read it. */
export function localConfig(context: Context): Config {
  const { dataDir } = context.options
  const named = context.env['CHRONYM_CONFIG']
  return checkConfig(
    mergeConfig(configFromFile(named ?? defaultConfigFile(), named !== undefined), configFromEnvironment(context.env), dataDir === undefined ? {} : { data_dir: dataDir }),
    'configuration'
  )
}

export function localPaths(context: Context): DataPaths {
  const config = localConfig(context)
  return dataPaths(config.data_dir === '' ? defaultDataDir(loadProfile(config.network).id) : config.data_dir)
}

/** The address that a running daemon left in its data directory; after a kill -9 it may be an old one. */
function addressLeftBy(paths: DataPaths): string | undefined {
  try {
    const url = new URL(readFileSync(paths.apiUrl, 'utf8').trim())
    return urlOf(url.hostname, Number(url.port))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Failure('CLI-NET-001', `${paths.apiUrl} can't be used: ${messageOf(error)}`, {
      exitCode: EXIT.unreachable,
      cure: 'Restart the daemon, which writes it anew, or give --api.',
      cause: error
    })
  }
}

function urlOf(host: string, port: number): string {
  const reachable = ANY_ADDRESSES.has(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') && !reachable.startsWith('[') ? `[${reachable}]` : reachable}:${port}`
}

/** `--api`, CHRONYM_API, what the running daemon says, or what the configuration says. */
export function daemonUrl(context: Context): string {
  const given = context.options.api ?? context.env['CHRONYM_API']
  if (given === undefined || given === '') {
    const { host, port } = localConfig(context).api
    return addressLeftBy(localPaths(context)) ?? urlOf(host, port)
  }
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw usageFailure(`--api ${given}: an http or https address`, 'Example: --api http://127.0.0.1:7468')
  return url.href.replace(/\/+$/u, '')
}

/** What a header can carry; the tokens of the daemon are base64url. */
const TOKEN = /^[!-~]+$/u

/** `--token`, CHRONYM_TOKEN, or the daemon's file; undefined where there is none. */
export function findToken(context: Context): string | undefined {
  // Secrets that come from a file often end with its line.
  const given = (context.options.token ?? context.env['CHRONYM_TOKEN'])?.trim()
  if (given !== undefined && given !== '') {
    if (TOKEN.test(given)) return given
    throw new Failure('CLI-TOK-001', 'what --token or CHRONYM_TOKEN gives has characters that no token has', { exitCode: EXIT.forbidden, cure: 'Give it as `chronym token` prints it.' })
  }
  const { token } = localPaths(context)
  try {
    return readFileSync(token, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Failure('CLI-TOK-001', `the access token ${token} can't be read: ${messageOf(error)}`, {
      exitCode: EXIT.forbidden,
      cure: 'Run this as the user that runs the daemon, or give --token.',
      cause: error
    })
  }
}

/** The token, or the failure that says where it was looked for. */
export function requireToken(context: Context): string {
  const token = findToken(context)
  if (token !== undefined) return token
  throw new Failure('CLI-TOK-001', `there is no access token at ${localPaths(context).token}`, {
    exitCode: EXIT.forbidden,
    cure: 'Start the daemon once (it makes the token), or name its data directory with --data-dir, or give --token.'
  })
}
