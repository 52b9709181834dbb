/** Are this zone, identity, manifest, receipt, pulse valid? */
import { decodeReceipt, receiptMessage, verifyReceipt as receiptHolds } from '../protocol/claim/commitment.ts'
import { fromHex, toHex } from '../protocol/encoding/bytes.ts'
import { parseIdentityDocument, type IdentityDocument } from '../protocol/identity/document.ts'
import { headOf, verifyIdentityLog, type IdentityLog } from '../protocol/identity/log.ts'
import {
  decodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  verifyManifest as checkManifest,
  type Manifest
} from '../protocol/identity/manifest.ts'
import { decodeIdentityRecord } from '../protocol/identity/record.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import { PULSE_SIGNATURE_BYTES, pulseRandomness } from '../protocol/time.ts'
import { parseZone, parseZonePayload, type Zone } from '../protocol/zone/zone.ts'
import { bytesOf, hexOrBase64, objectOf, profileOf, type ProfileInput } from './input.ts'
import { Refusal, runSteps, type Engine, type Verification } from './verification.ts'

export interface Options {
  readonly profile: ProfileInput
}

/** `{ records }` as the daemon shows it, or the payload of a Reveal. */
export type ZoneInput = Uint8Array | { readonly records: Readonly<Record<string, unknown>>; readonly serial?: number }

/** A zone has no signature of its own: the Reveal that carries it has. */
export async function verifyZone(engine: Engine, input: ZoneInput, { profile: given }: Options) {
  const profile = profileOf(given)
  const steps = [{ rule: 'zone', title: 'Labels, types, values, TTLs and size follow the rules of zones' }]
  return runSteps<Zone>(steps, engine.backend, (passed) => {
    const zone = input instanceof Uint8Array ? parseZonePayload(input, profile) : parseZone(input, profile)
    passed('zone', `${Object.values(zone.records).flat().length} records`)
    return zone
  })
}

/** The body of `GET /api/resolve-kid/{did}/log`, its versions alone, or the record that peers exchange. */
export type IdentityInput = Uint8Array | readonly unknown[] | { readonly versions: readonly unknown[] }

export interface IdentityOptions extends Options {
  /** The DID that was asked for: a log of another one fails. */
  readonly did?: string
}

export interface VerifiedIdentity {
  readonly did: string
  readonly versions: number
  /** The newest version. */
  readonly document: IdentityDocument
  readonly deactivated: boolean
}

/** A document of a later version proves nothing without those before it: give the whole log. */
export async function verifyIdentity(
  engine: Engine,
  input: IdentityInput,
  { profile: given, did }: IdentityOptions
): Promise<Verification<VerifiedIdentity>> {
  const profile = profileOf(given)
  const steps = [
    { rule: 'log', title: 'Version 1 gives the DID; each version follows from the one before, signed by a key of it' },
    { rule: 'asked', title: 'It is the identity that was asked for' }
  ]
  return runSteps(steps, engine.backend, (passed) => {
    const log = identityLogOf(input, profile)
    const document = headOf(log)
    passed('log', `${log.versions.length} versions`)
    if (did !== undefined && log.did !== did) throw new Refusal(`it is ${log.did}, not ${did}`)
    passed('asked', did === undefined ? 'no DID was given to compare' : log.did)
    return { did: log.did, versions: log.versions.length, document, deactivated: document.deactivated === true }
  })
}

export interface ManifestOptions extends Options {
  /** The log of the identity that it speaks for. */
  readonly log: IdentityInput
  /** When it is to be used, in ms since the epoch; without it, its dates are not held against any. */
  readonly at?: number
}

export async function verifyManifest(
  engine: Engine,
  input: Uint8Array | object,
  { profile: given, log: identity, at }: ManifestOptions
): Promise<Verification<Manifest>> {
  const profile = profileOf(given)
  const steps = [
    { rule: 'manifest', title: 'It is a manifest of this network' },
    { rule: 'log', title: "The identity's log verifies" },
    { rule: 'proof', title: 'An assertion key of the identity signed it, and is one still' },
    { rule: 'current', title: 'It is used between validFrom and validUntil' }
  ]
  return runSteps(steps, engine.backend, (passed) => {
    const manifest =
      input instanceof Uint8Array ? decodeManifestRecord(input, profile) : parseManifest(plainCopy(input), profile)
    passed('manifest', `version ${manifest.version} of ${manifest.id}`)
    const log = identityLogOf(identity, profile)
    passed('log', `${log.versions.length} versions`)
    checkManifest(manifest, log)
    passed('proof', `by ${manifest.proof.verificationMethod}`)
    if (at !== undefined && !isManifestCurrent(manifest, at))
      throw new Refusal(`valid from ${manifest.validFrom} to ${manifest.validUntil}`)
    passed('current', at === undefined ? 'no time was given to compare' : `until ${manifest.validUntil}`)
    return manifest
  })
}

export interface ReceiptOptions extends Options {
  /** The commitment C that it must be about; 32 bytes, hexadecimal or base64. */
  readonly commitment?: Uint8Array | string
}

export interface VerifiedReceipt {
  /** Hexadecimal. */
  readonly commitment: string
  readonly seenRound: number
  /** The libp2p peer id, hexadecimal. */
  readonly peer: string
}

/** A receipt as peers send it (CBOR), or its base64. */
export async function verifyReceipt(
  engine: Engine,
  input: Uint8Array | string,
  { profile: given, commitment }: ReceiptOptions
): Promise<Verification<VerifiedReceipt>> {
  const hash = profileHash(profileOf(given))
  const steps = [
    { rule: 'encoding', title: 'The record has the one encoding of a receipt' },
    { rule: 'asked', title: 'It is about the commitment that was asked for' },
    { rule: 'signature', title: 'The peer that it names signed it' }
  ]
  return runSteps(steps, engine.backend, (passed) => {
    const receipt = decodeReceipt(bytesOf(input, 'receipt'))
    passed('encoding', 'the encoding of a receipt')
    const [about, wanted] = [
      toHex(receipt.commitment),
      commitment === undefined ? undefined : toHex(hexOrBase64(commitment, 32, 'commitment'))
    ]
    if (wanted !== undefined && about !== wanted) throw new Refusal(`it is about ${about}`)
    passed('asked', wanted === undefined ? 'no commitment was given to compare' : about)
    if (!receiptHolds(receipt, hash)) throw new Refusal('the signature does not verify')
    const peer = toHex(receipt.peer)
    passed('signature', `${receiptMessage(receipt.commitment, receipt.seen, receipt.peer, hash).length} bytes signed`)
    return { commitment: about, seenRound: receipt.seen, peer }
  })
}

export interface PulseInput {
  readonly round: number
  /** 48 bytes, hexadecimal or base64. */
  readonly signature: Uint8Array | string
}

/** A pulse of the network's beacon. The value is its randomness, hexadecimal. */
export async function verifyPulse(
  engine: Engine,
  { round, signature: given }: PulseInput,
  options: Options
): Promise<Verification<string>> {
  const profile = profileOf(options.profile)
  const steps = [
    { rule: 'encoding', title: 'A round, and a signature of 48 bytes' },
    { rule: 'pulse', title: "The network's beacon signed that round" }
  ]
  return runSteps(steps, engine.backend, (passed) => {
    const signature = hexOrBase64(given, PULSE_SIGNATURE_BYTES, 'signature')
    if (!Number.isSafeInteger(round) || round < 1) throw new Refusal(`${round} is not a round`)
    if (signature.length !== PULSE_SIGNATURE_BYTES) throw new Refusal(`signature: ${signature.length} bytes`)
    passed('encoding', `round ${round}`)
    if (!engine.verifyPulse(fromHex(profile.beacon.public_key), round, signature))
      throw new Refusal('the signature does not verify')
    passed('pulse', `by chain ${profile.beacon.chain_hash}`)
    return toHex(pulseRandomness(signature))
  })
}

function identityLogOf(input: IdentityInput, profile: NetworkProfile): IdentityLog {
  if (input instanceof Uint8Array) return decodeIdentityRecord(input, profile).log
  const versions = Array.isArray(input) ? (input as readonly unknown[]) : objectOf(input, 'a log')['versions']
  if (!Array.isArray(versions) || versions.length === 0) throw new Refusal('a log has at least one version')
  return verifyIdentityLog(
    versions.map((document) => parseIdentityDocument(plainCopy(document), profile)),
    profile
  )
}

/** The rules read JSON: members that are none go, and what cannot be JSON is refused. */
function plainCopy(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown
  } catch {
    throw new Refusal('not JSON value')
  }
}
