import { loadProfile as load } from '../network-profile.ts'
import type { NetworkProfile } from '../protocol/profile.ts'
import type { Context } from './context.ts'
import { localConfig } from './location.ts'

/** A built-in network (local, test, main) or a profile file; without a word, the network of the configuration. */
export function loadProfile(context: Context, network: string | undefined): NetworkProfile {
  return load(network ?? localConfig(context).network)
}
