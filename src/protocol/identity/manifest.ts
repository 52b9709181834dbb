/** Capability manifests: what an identity offers, signed by one of its assertion keys. */
import * as v from 'valibot'
import { compareBytes, sha256, toHex } from '../encoding/bytes.ts'
import {
  type DataIntegrityProof,
  addProof,
  checkProof,
  instant,
  parseBy,
  proofSchema,
  text,
  uri
} from './data-integrity.ts'
import type { Did } from './did.ts'
import { decodeMultikey, parseDid } from './did.ts'
import { EncodingError } from '../errors.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../encoding/jcs.ts'
import type { IdentityDocument } from './document.ts'
import { IdentityError } from './document.ts'
import type { IdentityLog } from './log.ts'
import { headOf } from './log.ts'
import type { NetworkProfile } from '../profile/profile.ts'
import { profileHash } from '../profile/profile.ts'

export interface Capability {
  readonly id: string
  readonly type: string
  readonly protocol: string
  readonly endpoint: string
  readonly description?: string
}

export interface UnsignedManifest {
  readonly id: Did
  /** The version of the identity document whose assertion key signs. */
  readonly kid_version: number
  /** From 1. */
  readonly version: number
  readonly capabilities: readonly Capability[]
  readonly validFrom: string
  readonly validUntil: string
}

export interface Manifest extends UnsignedManifest {
  readonly proof: DataIntegrityProof
}

const DAY_MS = 24 * 60 * 60 * 1000

const counter = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

const UnsignedSchema = v.strictObject({
  id: text(256),
  kid_version: counter,
  version: counter,
  capabilities: v.array(
    v.strictObject({
      id: text(256),
      type: text(256),
      protocol: text(256),
      endpoint: uri,
      description: v.optional(text(4096))
    })
  ),
  validFrom: instant,
  validUntil: instant
})

const ManifestSchema = v.strictObject({ ...UnsignedSchema.entries, proof: proofSchema })

/** Checks the shape of a manifest, its limits and its network. Throws IdentityError. */
export function parseManifest(json: unknown, profile: NetworkProfile): Manifest {
  const manifest = parseBy(ManifestSchema, json, (detail) => new IdentityError('manifest', detail)) as Manifest
  checkManifest(manifest, profile)
  if (manifest.proof.domain !== toHex(profileHash(profile)))
    throw new IdentityError('proof', `proof.domain is not the hash of network ${profile.id}`)
  const size = canonicalJsonBytes(manifest).length
  if (size > profile.limits.manifest_bytes)
    throw new IdentityError(
      'manifest',
      `a manifest has at most ${profile.limits.manifest_bytes} bytes; this one has ${size}`
    )
  return manifest
}

/** Signs with an assertion key. `method` is the id of its verification method, `created` an instant in UTC. */
export function signManifest(
  manifest: UnsignedManifest,
  method: string,
  secretKey: Uint8Array,
  created: string,
  profile: NetworkProfile
): Manifest {
  return addProof(
    manifest,
    { created, verificationMethod: method, proofPurpose: 'assertionMethod', domain: toHex(profileHash(profile)) },
    secretKey
  )
}

/**
 * Verifies a manifest against the identity's log. Its key must be an assertion key of the named version and, with the
 * same bytes, of the newest one: a removed key no longer signs. Throws IdentityError.
 */
export function verifyManifest(manifest: Manifest, log: IdentityLog): void {
  const fail = (detail: string): never => {
    throw new IdentityError('manifest', detail)
  }
  if (manifest.id !== log.did) fail('id is not the DID of that identity')
  const named =
    log.versions[manifest.kid_version - 1]?.document ??
    fail(`kid_version: there is no version ${manifest.kid_version} of the identity document`)
  const head = headOf(log)
  if (head.deactivated === true) fail('the identity is deactivated')
  const method = manifest.proof.verificationMethod
  const key =
    assertionKey(named, method) ?? fail(`${method} is not an assertion key of version ${manifest.kid_version}`)
  if (assertionKey(head, method) !== key) fail(`${method} is not an assertion key any more`)
  if (!checkProof(manifest, decodeMultikey(key)))
    throw new IdentityError('proof', 'the proof of the manifest does not verify')
}

export interface ManifestOrder extends Pick<UnsignedManifest, 'kid_version' | 'version'> {
  readonly hash: Uint8Array
}

/** Orders one identity's manifests by (kid_version, version, H): positive when `left` is newer. */
export function compareManifests(left: Manifest, right: Manifest): number {
  return compareManifestOrder({ ...left, hash: manifestHash(left) }, { ...right, hash: manifestHash(right) })
}

export function compareManifestOrder(left: ManifestOrder, right: ManifestOrder): number {
  return left.kid_version - right.kid_version || left.version - right.version || compareBytes(left.hash, right.hash)
}

export function isManifestCurrent(
  manifest: Pick<UnsignedManifest, 'validFrom' | 'validUntil'>,
  nowMs: number
): boolean {
  return Date.parse(manifest.validFrom) <= nowMs && nowMs <= Date.parse(manifest.validUntil)
}

function manifestHash(manifest: Manifest): Uint8Array {
  return sha256(canonicalJsonBytes(manifest))
}

/** The record of a manifest: its RFC 8785 bytes. */
export function encodeManifestRecord(manifest: Manifest): Uint8Array {
  return canonicalJsonBytes(manifest)
}

/** Throws EncodingError or IdentityError. Verify the result against the identity's log. */
export function decodeManifestRecord(bytes: Uint8Array, profile: NetworkProfile): Manifest {
  return parseManifest(parseCanonicalJson(bytes, { maxBytes: profile.limits.manifest_bytes }), profile)
}

function checkManifest(manifest: UnsignedManifest, profile: NetworkProfile): void {
  try {
    parseDid(manifest.id, profile)
  } catch (error) {
    if (error instanceof EncodingError) throw new IdentityError('manifest', `id: ${error.detail}`, { cause: error })
    throw error
  }
  const { capabilities, manifest_days } = profile.limits
  if (manifest.capabilities.length > capabilities)
    throw new IdentityError('manifest', `capabilities: at most ${capabilities}`)
  const ids = manifest.capabilities.map(({ id }) => id)
  if (new Set(ids).size !== ids.length) throw new IdentityError('manifest', 'capabilities: two ids are the same')
  const span = Date.parse(manifest.validUntil) - Date.parse(manifest.validFrom)
  if (span <= 0 || span > manifest_days * DAY_MS)
    throw new IdentityError('manifest', `validUntil: after validFrom, by at most ${manifest_days} days`)
}

function assertionKey(document: IdentityDocument, method: string): string | undefined {
  if (document.assertionMethod?.includes(method) !== true) return undefined
  return document.verificationMethod.find(({ id }) => id === method)?.publicKeyMultibase
}
