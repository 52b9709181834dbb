/** `chronym/client/node`: `chronym/client`, and the daemon of this machine without an address or a token. */
import { createClient, type Client, type ClientOptions } from '../api/client/client.ts'
import { provenFetch } from '../api/client/proven-fetch.ts'
import { readAccessToken } from '../data-directory/access-token.ts'
import { dataPaths, defaultDataDir } from '../data-directory/paths.ts'
import { checkConfig, configFromEnvironment, mergeConfig, loadProfile } from '../config/config.ts'
import { configFileOf, readConfigFile } from '../config/config-file.ts'
import { pathFromHere } from '../util/user-paths.ts'
import { runningTarget } from './running-target.ts'

export * from '../api/client/client.ts'

export interface LocalOptions extends Omit<ClientOptions, 'baseUrl' | 'token' | 'fetch'> {
  /** Default: where a daemon would keep its data with this environment and configuration file. */
  readonly dataDir?: string | undefined
}

/**
 * The client of the daemon that runs on a data directory, as the command line finds it. The daemon proves at each
 * request that it is that one, before it gets the token. Throws UnreachableError when none runs there.
 */
export function connectLocal({ dataDir, ...options }: LocalOptions = {}): Client {
  const paths = dataPaths(dataDir === undefined ? configuredDirectory() : pathFromHere(dataDir))
  const locate = () =>
    runningTarget(paths, {
      token: () => readAccessToken(paths.token),
      elsewhere: 'Or name its directory with `dataDir`.',
      address: 'use createClient with an address and a token'
    })
  return createClient({ ...options, baseUrl: locate().url, fetch: provenFetch(locate) })
}

function configuredDirectory(): string {
  const file = readConfigFile(configFileOf(process.env))
  const config = checkConfig(mergeConfig(file, configFromEnvironment(process.env), {}), 'configuration')
  return config.data_dir === '' ? defaultDataDir(loadProfile(config.network).id) : config.data_dir
}
