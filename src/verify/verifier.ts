/** The functions of `chronym/verify`, on one engine. */
import {
  verifyIdentity,
  verifyManifest,
  verifyPulse,
  verifyReceipt,
  verifyZone,
  type IdentityInput,
  type IdentityOptions,
  type ManifestOptions,
  type Options,
  type PulseInput,
  type ReceiptOptions,
  type ZoneInput
} from './documents.ts'
import type { RevealJson } from './input.ts'
import { verifyReveal, type RevealOptions } from './reveal.ts'
import type { Engine } from './verification.ts'

export type { BuiltInProfileId } from '../protocol/profile/built-in.ts'
export type { NetworkProfile } from '../protocol/profile/profile.ts'
export { ProfileError } from '../protocol/errors.ts'
export type {
  IdentityInput,
  IdentityOptions,
  ManifestOptions,
  Options,
  PulseInput,
  ReceiptOptions,
  VerifiedIdentity,
  VerifiedReceipt,
  ZoneInput
} from './documents.ts'
export type { ProfileInput, RevealJson } from './input.ts'
export type { RevealOptions, VerifiedReveal } from './reveal.ts'
export type { Backend, Check, Engine, Verification } from './verification.ts'
export type { VdfQuestion } from '../vdf/verify.ts'

export type Verifier = ReturnType<typeof createVerifier>

/**
 * Every function is pure: no network, no files, no clock. What is invalid is an answer; each throws ProfileError for a
 * profile that is none, and `verifyReveal` the reason of its signal.
 */
export function createVerifier(engine: Engine) {
  return {
    /** Which arithmetic this is. */
    backend: engine.backend,
    /** The record of a name: see VerifiedReveal for what it says. */
    verifyReveal: (reveal: RevealJson | Uint8Array, options: RevealOptions) => verifyReveal(engine, reveal, options),
    verifyZone: (zone: ZoneInput, options: Options) => verifyZone(engine, zone, options),
    /** The log of an identity (KID), every version of it. */
    verifyIdentity: (log: IdentityInput, options: IdentityOptions) => verifyIdentity(engine, log, options),
    verifyManifest: (manifest: Uint8Array | object, options: ManifestOptions) =>
      verifyManifest(engine, manifest, options),
    /** A peer's word that it has held a commitment since a round. */
    verifyReceipt: (receipt: Uint8Array | string, options: ReceiptOptions) => verifyReceipt(engine, receipt, options),
    verifyPulse: (pulse: PulseInput, options: Options) => verifyPulse(engine, pulse, options),
    /** The bare VDF. Throws RangeError for sizes and seeds that no discriminant has. */
    verifyVdf: engine.verifyVdf
  }
}
