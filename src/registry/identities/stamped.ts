/** Identity logs with a stamp, and their renewal in time. */
import type { Did } from '../../protocol/identity/did.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import {
  decodeIdentityEnvelope,
  documentStampSubject,
  encodeIdentityEnvelope,
  type IdentityRecordEnvelope
} from '../../protocol/identity/record.ts'
import { keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { RegistryContext } from '../context.ts'
import { requireMajority, stampFor } from '../publication/publishing.ts'
import { knownIdentity } from './known-identity.ts'

/**
 * Every record gets a stamp: it keeps the document where its name does not. Of a round that is certainly over: where
 * clocks differ, one dated after now would be none.
 */
export async function stamped(
  context: RegistryContext,
  did: Did,
  record: Pick<IdentityRecordEnvelope, 'versions' | 'binding'>
): Promise<Uint8Array> {
  const { verified, now } = context.time()
  const round = verified === 0 ? now : verified
  return encodeIdentityEnvelope({
    ...record,
    stamp: { round, nonce: await stampFor(context, documentStampSubject(did, round, context.profileHash)) }
  })
}

/**
 * Publishes an identity of ours again with a new stamp once half of the time that the present one gives has passed.
 * What the network knows of it by then goes along. Rejects with StoreError, OfflineError and SVC-PUB-002; the new stamp
 * stays, and is sent again by itself.
 */
export async function renewStamp(context: RegistryContext, did: Did): Promise<void> {
  const { store, network, profile } = context
  const key = keys.ownIdentity(did)
  const own = readOrSetAside(store, key, store.get(key), (bytes) => decodeIdentityEnvelope(bytes, profile))
  if (own === undefined || context.time().lapse < (own.stamp?.round ?? 0) + profile.document_refresh / 2) return
  const before = store.get(key)!
  const known = await knownIdentity(context, did)
  if (known === undefined) return
  // A peer may show a newer version without the name's word for it, which holds as long as no other does.
  const { versions, binding = own.binding } = known
  const encoded = await stamped(context, did, { versions, ...(binding === undefined ? {} : { binding }) })
  const now = store.get(key)
  // Its owner has published another version meanwhile.
  if (now === undefined || !equalBytes(now, before)) return
  store.put(key, encoded)
  requireMajority('the identity document', await network.putIdentity(did, encoded))
}
