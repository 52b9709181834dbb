import { fromBase64, toBase64 } from '../../protocol/encoding/bytes.ts'
import { nameKey } from '../../protocol/crypto/keys.ts'
import type { Did, IdentityDocument, Service } from '../../protocol/identity/document.ts'
import { signIdentityBinding } from '../../protocol/identity/binding.ts'
import { parseName } from '../../protocol/name/names.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { decodeVdfProof } from '../../protocol/claim/reveal.ts'
import type { RevealBody } from '../../api/client/client.ts'
import { usageFailure } from '../failures/failure.ts'

/** What POST /api/publish-kid takes as `authorized_kid`. */
export interface AuthorizedIdentity {
  document: IdentityDocument
  name?: string
  /** Base64. */
  name_signature?: string
}

/** `files=FileServer=https://files.example`: fragment, type, endpoint. */
export function parseService(text: string): Service & { readonly serviceEndpoint: string } {
  const [fragment, type, ...endpoint] = text.split('=')
  if (fragment === undefined || fragment === '' || type === undefined || type === '' || endpoint.length === 0) {
    throw usageFailure(
      `--service ${text}: ID=TYPE=URL is expected`,
      'Example: --service files=FileServer=https://files.example'
    )
  }
  return { id: `#${fragment}`, type, serviceEndpoint: endpoint.join('=') }
}

/** The name's word for the identity: signed by the name's key for the claim that `reveal` shows. */
export function bindToName(seed: Uint8Array, reveal: RevealBody, did: Did, profile: NetworkProfile): string {
  const hash = profileHash(profile)
  const name = parseName(reveal.name, profile)
  const key = nameKey(seed, hash, name)
  if (!Buffer.from(key.publicKey).equals(Uint8Array.from(reveal.pubkey)))
    throw usageFailure(`${reveal.name} belongs to another seed than this one`)
  const first = decodeVdfProof(fromBase64(reveal.vdf_proof)).chain?.[0]?.p ?? reveal.drand_pulse
  return toBase64(signIdentityBinding(name, first, did, key.secretKey, hash).signature)
}
