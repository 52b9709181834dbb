/** Who owns a name, for identity bindings: by this node's entry, else by the name's holders. */
import type { Claim } from '../../../protocol/claim/claim.ts'
import {
  claimToAdopt,
  isAdoptionDecided,
  isAnswered,
  type NeighbourFacts
} from '../../../protocol/admission/neighbours.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import { recordKey, recordKeyPreimage } from '../../../protocol/claim/record-key.ts'
import type { RoundClock } from '../../../time/round-clock.ts'
import type { Peers } from '../../peers.ts'
import type { Verifier } from '../verifier.ts'
import type { Entries } from '../names/entries.ts'
import { askElsewhere, recordOfClaim } from '../names/neighbours.ts'

export interface Owners {
  /** By this node's entry; undefined without one, or for a provisional one. */
  here(name: string): Claim | undefined
  /**
   * By the name's holders; undefined when none has it, it is dead, or they disagree. `unknown` when too few answer, or
   * none shows the claim that it names.
   */
  elsewhere(name: string): Promise<Claim | 'unknown' | undefined>
}

export interface OwnersParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly entries: Entries
  readonly verifier: Verifier
  readonly peers: () => Peers | undefined
}

export function createOwners({ profile, clock, entries, verifier, peers }: OwnersParts): Owners {
  const hash = profileHash(profile)
  return {
    here(name) {
      const entry = entries.load(recordKey('reveal', name, hash))?.entry
      return entry?.state === 'provisional' ? undefined : entry?.claim
    },
    async elsewhere(name) {
      const isDecided = (soFar: NeighbourFacts, awaited: number): boolean =>
        isAnswered(soFar, profile) && isAdoptionDecided(soFar, awaited, profile)
      const neighbours = await askElsewhere(peers(), recordKeyPreimage('reveal', name, hash), isDecided)
      const agreed = claimToAdopt(neighbours, profile)
      if (agreed === undefined) return isAnswered(neighbours, profile) ? undefined : 'unknown'
      return (
        (await recordOfClaim(agreed.claimId, neighbours, { peers: peers(), verifier, clock, profile }))?.claim ??
        'unknown'
      )
    }
  }
}
