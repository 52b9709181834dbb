import { resolve } from 'node:path'
import { isBuiltIn, loadProfile as load } from '../config/network-profile.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Context } from './context.ts'
import { localConfig } from './connection/location.ts'

/** A built-in network (local, test, main) or a profile file; without a word, the network of the configuration. */
export function loadProfile(context: Context, network: string | undefined): NetworkProfile {
  return load(networkOf(context, network))
}

/** The same as a text that means the same network in every directory: for files that outlive the command. */
export function networkReference(context: Context, network: string | undefined): string {
  const named = networkOf(context, network)
  return isBuiltIn(named) ? named : resolve(named)
}

function networkOf(context: Context, network: string | undefined): string {
  return network ?? localConfig(context).network
}
