/** The manual flow: a commitment and a Reveal that somebody else made. */
import { ServiceError } from '../errors.ts'
import { equalBytes } from '../protocol/bytes.ts'
import { COMMITMENT_BYTES } from '../protocol/commitment.ts'
import { linksOf, type Reveal } from '../protocol/reveal.ts'
import { claimOf, type Claim } from '../protocol/claim.ts'
import type { RecordOrder } from '../protocol/order.ts'
import { isRollback } from '../protocol/rollback.ts'
import { stampFor } from './commitments.ts'
import { openName, ownKey, type RegistryContext } from './context.ts'
import { isSuperseded, requireMajority, requireValid, supersededRecord } from './publishing.ts'
import type { StoredBy } from './types.ts'

/** Sends C with a stamp of ours; the name only says where. SVC-NAM-*, SVC-REQ-001, SVC-RES-001, SVC-PUB-002. */
export async function commit(context: RegistryContext, text: string, commitment: Uint8Array): Promise<StoredBy> {
  const name = openName(context, text)
  if (commitment.length !== COMMITMENT_BYTES) {
    const message = `a commitment has ${COMMITMENT_BYTES} bytes, not ${commitment.length}`
    throw new ServiceError('SVC-REQ-001', `The hash does not fit: ${message}.`, { errors: [{ path: 'commitment/hash', message }] })
  }
  const nonce = await stampFor(context, commitment)
  const { receipts, of } = await context.network.commit(name, commitment, nonce)
  return requireMajority('the commitment', { storedBy: receipts.length, of, refusals: [] })
}

/** Publishes a finished Reveal: a registration, a renewal or new data. SVC-NAM-*, SVC-PUB-001, SVC-REG-001, SVC-RES-001, SVC-PUB-002. */
export async function publish(context: RegistryContext, reveal: Reveal): Promise<StoredBy> {
  const name = openName(context, reveal.name)
  await requireValid(context, reveal)
  const claim = claimOf(reveal, name, linksOf(reveal), context.profile)
  if (knownOrders(context, claim).some((known) => isRollback(known, claim))) throw supersededRecord(name)
  const outcome = await context.network.putReveal(reveal)
  if (isSuperseded(outcome)) throw supersededRecord(name)
  const isOwn = equalBytes(reveal.pubkey, ownKey(context, name).publicKey)
  try {
    const stored = requireMajority(name, outcome)
    context.memory.see(claim)
    if (isOwn) context.owned.save(reveal, { published: true })
    return stored
  } catch (error) {
    // It is sent again until enough peers have it, so the name may become ours without another call.
    if (isOwn && error instanceof ServiceError && error.code === 'SVC-PUB-002') context.owned.save(reveal, { published: false })
    throw error
  }
}

/** The newest records of that key that were seen here, and signed here. */
function knownOrders({ memory, owned, profile }: RegistryContext, { name, pubkey }: Claim): RecordOrder[] {
  const seen = memory.newest(name, pubkey)
  const own = owned.get(name)?.reveal
  const signed = own === undefined || !equalBytes(own.pubkey, pubkey) ? undefined : claimOf(own, name, linksOf(own), profile)
  return [seen, signed].filter((order) => order !== undefined)
}
