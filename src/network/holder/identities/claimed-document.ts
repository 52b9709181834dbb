/**
 * A document's own claims, read without verification: enough to know where it belongs. A millisecond for the largest.
 */
import { EncodingError, messageOf, ProtocolError } from '../../../protocol/errors.ts'
import { parseDid, type Did } from '../../../protocol/identity/did.ts'
import { decodeIdentityEnvelope, type IdentityRecordEnvelope } from '../../../protocol/identity/record.ts'
import type { NetworkProfile } from '../../../protocol/profile/profile.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

export interface ClaimedIdentity extends Omit<IdentityRecordEnvelope, 'versions'> {
  readonly log: { readonly did: Did }
}

interface ClaimedManifest {
  readonly id: Did
  readonly validFrom: string
  readonly validUntil: string
}

/** Throws EncodingError or NameError. */
export function claimedIdentity(bytes: Uint8Array, profile: NetworkProfile): ClaimedIdentity {
  const { versions, ...carriers } = decodeIdentityEnvelope(bytes, profile)
  const [genesis] = versions
  if (genesis === undefined) throw new EncodingError('log: at least one version is expected')
  return { log: { did: parseDid(textOf(membersOf(genesis), 'id'), profile) }, ...carriers }
}

/** Throws EncodingError. */
export function claimedManifest(bytes: Uint8Array, profile: NetworkProfile): ClaimedManifest {
  if (bytes.length > profile.limits.manifest_bytes)
    throw new EncodingError(`a manifest has at most ${profile.limits.manifest_bytes} bytes`)
  const members = membersOf(bytes)
  return {
    id: parseDid(textOf(members, 'id'), profile),
    validFrom: textOf(members, 'validFrom'),
    validUntil: textOf(members, 'validUntil')
  }
}

function membersOf(json: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(UTF8.decode(json))
  } catch (error) {
    throw new EncodingError(`not JSON: ${messageOf(error)}`, { cause: error })
  }
  if (typeof value !== 'object' || value === null) throw new EncodingError('a JSON object is expected')
  return value as Readonly<Record<string, unknown>>
}

function textOf(members: Readonly<Record<string, unknown>>, member: string): string {
  const value = members[member]
  if (typeof value !== 'string') throw new EncodingError(`${member}: a text is expected`)
  return value
}

export function readable<T>(action: () => T): T | ProtocolError {
  try {
    return action()
  } catch (error) {
    if (error instanceof ProtocolError) return error
    throw error
  }
}
