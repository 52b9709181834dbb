/** Who owns a name, for the bindings of identities: our own entry, else the word of those who hold the name. */
import type { Claim } from '../../protocol/claim.ts'
import { leaseState } from '../../protocol/lease.ts'
import { claimToAdopt } from '../../protocol/neighbours.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import { recordKey, recordKeyPreimage } from '../../protocol/record-key.ts'
import type { RoundClock } from '../clock.ts'
import type { Peers } from '../peers.ts'
import type { Verifier } from '../verifier.ts'
import type { Entries } from './entries.ts'
import { askElsewhere, recordOfClaim } from './neighbours.ts'

/** The claim that owns a name and is not dead; undefined when nobody does or it cannot be told. */
export type OwnerLookup = (name: string) => Promise<Claim | undefined>

export interface OwnerLookupParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly entries: Entries
  readonly verifier: Verifier
  readonly peers: () => Peers | undefined
}

export function createOwnerLookup({ profile, clock, entries, verifier, peers }: OwnerLookupParts): OwnerLookup {
  const hash = profileHash(profile)
  return async (name) => {
    const held = entries.load(recordKey('reveal', name, hash))
    if (held !== undefined && held.entry.state !== 'provisional') return held.entry.claim
    const neighbours = await askElsewhere(peers(), recordKeyPreimage('reveal', name, hash))
    const agreed = claimToAdopt(neighbours, profile)
    const found = agreed === undefined ? undefined : await recordOfClaim(agreed.claimId, neighbours, peers(), verifier)
    if (found === undefined || leaseState(found.claim.newestRound, clock.time().lapse, profile).state === 'dead') return undefined
    return found.claim
  }
}
