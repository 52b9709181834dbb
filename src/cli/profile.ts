import { readFileSync } from 'node:fs'
import { builtInProfiles, parseProfile, type NetworkProfile } from '../protocol/profile.ts'
import type { Context } from './context.ts'
import { inputFailure, messageOf } from './failure.ts'
import { localConfig } from './location.ts'

/** A built-in network (local, test, main) or a profile file; without a word, the network of the configuration. */
export function loadProfile(context: Context, network: string | undefined): NetworkProfile {
  const wanted = network ?? localConfig(context).network
  if (Object.hasOwn(builtInProfiles, wanted)) return builtInProfiles[wanted as keyof typeof builtInProfiles]
  try {
    return parseProfile(JSON.parse(readFileSync(wanted, 'utf8')))
  } catch (error) {
    throw inputFailure(`network ${wanted}: neither ${Object.keys(builtInProfiles).join(', ')} nor a profile file (${messageOf(error)})`, error)
  }
}
