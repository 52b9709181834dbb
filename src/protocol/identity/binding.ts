/** A name's statement for an identity. It counts only while the claim it names owns the name. */
import { concatBytes, lp, u64be } from '../encoding/bytes.ts'
import type { Did } from './did.ts'
import { domain } from '../crypto/domain.ts'
import { sign, verifyStrict } from '../crypto/ed25519.ts'
import type { Name } from '../name/names.ts'

export interface IdentityBinding {
  readonly name: Name
  /** First p of the claim that owns the name. */
  readonly firstRound: number
  /** By the name's key. */
  readonly signature: Uint8Array
}

/** `domain(kid-binding) ‖ lp(name) ‖ first p ‖ lp(did)`. */
export function identityBindingMessage(
  name: string,
  firstRound: number,
  did: string,
  profileHash: Uint8Array
): Uint8Array {
  return concatBytes(domain('kid-binding', profileHash), lp(name), u64be(firstRound), lp(did))
}

export function signIdentityBinding(
  name: Name,
  firstRound: number,
  did: Did,
  nameSecretKey: Uint8Array,
  profileHash: Uint8Array
): IdentityBinding {
  return {
    name,
    firstRound,
    signature: sign(identityBindingMessage(name, firstRound, did, profileHash), nameSecretKey)
  }
}

/** Whether the owner of a claim (its key and first p) bound its name to the DID. */
export function verifyIdentityBinding(
  binding: IdentityBinding,
  did: Did,
  claim: { readonly name: Name; readonly pubkey: Uint8Array; readonly firstRound: number },
  profileHash: Uint8Array
): boolean {
  if (binding.name !== claim.name || binding.firstRound !== claim.firstRound) return false
  return verifyStrict(
    binding.signature,
    identityBindingMessage(binding.name, binding.firstRound, did, profileHash),
    claim.pubkey
  )
}
