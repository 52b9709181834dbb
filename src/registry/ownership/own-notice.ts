/** The notice that this daemon made of new keys for a name of its own, kept beside the record that is served. */
import type { Name } from '../../protocol/name/names.ts'
import { decodeVdfProof, encodeVdfProof } from '../../protocol/claim/proof.ts'
import { type Reveal, signReveal } from '../../protocol/claim/reveal.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { derivedPublicKey, type RegistryContext, withOwnKey } from '../context.ts'

/**
 * The notice, with the links and the zone of the record that is published now: once it is final nothing is lost. The last
 * one while the seed is locked, and where its keys are another owner's. Undefined without one. Throws StoreError.
 */
export function ownNotice(context: RegistryContext, name: Name): Reveal | undefined {
  const own = context.owned.get(name)
  const notice = own?.notice
  if (own === undefined || notice === undefined) return undefined
  const { drand_pulse, iterations, payload } = own.reveal
  if (notice.drand_pulse === drand_pulse && equalBytes(notice.payload, payload)) return notice
  const { first, changes = [] } = decodeVdfProof(notice.vdf_proof)
  if (context.seed.isLocked || !equalBytes(notice.pubkey, derivedPublicKey(context, name, changes.length)))
    return notice
  const proof = decodeVdfProof(own.reveal.vdf_proof)
  const vdf_proof = encodeVdfProof({ ...proof, ...(first && { first }), changes })
  const next = withOwnKey(context, name, changes.length, (key) =>
    signReveal({ name, drand_pulse, iterations, vdf_proof, payload }, key, context.profileHash)
  )
  context.owned.setNotice(name, next)
  return next
}
