import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { compareRecords } from '../../protocol/claim/claim.ts'
import type { Name } from '../../protocol/name/names.ts'
import { isKnownAsOwn, leaseOf, roundTime, type RegistryContext } from '../context.ts'
import { type Claims, claimsIn } from '../resolution/survey.ts'

export type Holder =
  /** `shown` of the `claims` peers that list it have shown its record, of which no lease runs. */
  | { readonly by: 'nobody'; readonly claims: number; readonly heard: number; readonly shown: number }
  /** The newest record; of several keys where more than one has a record whose lease or grace runs. */
  | {
      readonly by: 'own' | 'other' | 'several'
      readonly newest: Claims['proved'][number]
      /** The end of its lease, ISO 8601. */
      readonly until: string
    }

/**
 * Looks for a claim without announcing the name, and changes nothing here. Only a verified record whose lease or grace
 * runs makes it taken. If lists sufficed, a few peers could block any name [liars who list every name]. While the seed
 * is locked, a claim of a key that this daemon does not list is another's. SVC-RES-001.
 */
export async function holderOf(context: RegistryContext, name: Name): Promise<Holder> {
  const { claims, heard, proved } = claimsIn(await context.network.probe(name))
  const alive = proved
    .filter(({ claim }) => leaseOf(context, claim.newestRound).state !== 'dead')
    .sort((left, right) => compareRecords(right.claim, left.claim))
  const [newest] = alive
  if (newest === undefined) return { by: 'nobody', claims, heard, shown: proved.length }
  const { pubkey, newestRound } = newest.claim
  const until = roundTime(context, leaseOf(context, newestRound).endRound)
  if (alive.some(({ claim }) => !equalBytes(claim.pubkey, pubkey))) return { by: 'several', newest, until }
  return { by: isKnownAsOwn(context, newest.claim) ? 'own' : 'other', newest, until }
}
