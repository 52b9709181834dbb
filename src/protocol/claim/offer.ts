/**
 * Offers to take a claim over. The new owner signs the whole record of the change before the change key is revealed, so
 * one message to the present owner is enough.
 */
import { equalBytes, fromBase64, sha256, toBase64 } from '../encoding/bytes.ts'
import { decodeCanonical, encodeCbor, bytesField, fieldsOf, integerField, textField } from '../encoding/cbor.ts'
import { type KeyPair, sign, verifyStrict } from '../crypto/ed25519.ts'
import { EncodingError } from '../errors.ts'
import { base32 } from './check-code.ts'
import { type Change, type ChangePlace, changeMessage, type ChangeTerms, marksOf } from './changes.ts'
import { decodeVdfProof, encodeVdfProof } from './proof.ts'
import { claimIdOf, type Reveal, revealSigningBytes } from './reveal.ts'

export interface Offer extends ChangePlace {
  /** Changes before this one. */
  readonly index: number
  readonly terms: ChangeTerms
  /** p of the newest link of the record that it was made for. */
  readonly round: number
  /** By the new key over the record after the change, 64 bytes. */
  readonly signature: Uint8Array
}

const LINK = 'chronym:offer/'
const BOUNDS = { maxBytes: 512, maxDepth: 1 }
const UNSIGNED = new Uint8Array(64)
const NO_HASH = new Uint8Array(32)
/** Characters of an offer's code: 60 bits, to be read to each other. */
const CODE_CHARACTERS = 12

/** Where in the changes of a record the next one comes. Throws EncodingError where it does not decode. */
export function nextPlace(reveal: Reveal, profileHash: Uint8Array): ChangePlace & Pick<Offer, 'index'> {
  const proof = decodeVdfProof(reveal.vdf_proof)
  const { id } = claimIdOf(reveal, proof, profileHash)
  const marks = marksOf(reveal.name, id, proof.changes ?? [], profileHash)
  const before = marks.at(-1)?.hash
  return { name: reveal.name, claimId: id, index: marks.length, ...(before && { before }) }
}

export function makeOffer(
  reveal: Reveal,
  terms: Omit<ChangeTerms, 'pubkey'>,
  key: KeyPair,
  profileHash: Uint8Array
): Offer {
  const all = { ...terms, pubkey: key.publicKey }
  const signature = sign(signedBytes(reveal, all, profileHash), key.secretKey)
  return { ...nextPlace(reveal, profileHash), terms: all, round: reveal.drand_pulse, signature }
}

/** What the change key signs, and where there is a consent the signing key before. */
export function offerMessage(offer: Offer, profileHash: Uint8Array): Uint8Array {
  return changeMessage(offer, offer.terms, profileHash)
}

/**
 * Why an offer does not fit a record; undefined where it does. The record may have been renewed, or have another zone,
 * since the offer was made.
 */
export function problemOfOffer(offer: Offer, reveal: Reveal, profileHash: Uint8Array): string | undefined {
  const place = nextPlace(reveal, profileHash)
  if (offer.name !== reveal.name) return `it is for ${offer.name}`
  if (!equalBytes(offer.claimId, place.claimId)) return 'it is for another claim of the name'
  if (offer.index !== place.index || !equalBytes(offer.before ?? NO_HASH, place.before ?? NO_HASH))
    return 'the keys of the claim have changed since it was made'
  if (offer.round !== reveal.drand_pulse) return 'the name has been renewed since it was made'
  return verifyStrict(offer.signature, signedBytes(reveal, offer.terms, profileHash), offer.terms.pubkey)
    ? undefined
    : 'the zone of the name has changed since it was made, or the offer is damaged'
}

/** The record after the change: signed, where the offer fits. */
export function acceptedReveal(
  reveal: Reveal,
  { terms, signature }: Offer,
  authority: Pick<Change, 'key' | 'signature' | 'consent'>
): Reveal {
  return withChange(reveal, { ...terms, ...authority }, signature)
}

/** What the new owner signs: no signature of the change itself is in it. */
function signedBytes(reveal: Reveal, terms: ChangeTerms, profileHash: Uint8Array): Uint8Array {
  const unsigned = { ...terms, signature: UNSIGNED, ...(terms.consented && { key: NO_HASH, consent: UNSIGNED }) }
  return revealSigningBytes(withChange(reveal, unsigned, UNSIGNED), profileHash)
}

function withChange(reveal: Reveal, change: Change, signature: Uint8Array): Reveal {
  const { changes = [], first = reveal.pubkey, ...proof } = decodeVdfProof(reveal.vdf_proof)
  const vdf_proof = encodeVdfProof({ ...proof, first, changes: [...changes, change] })
  return { ...reveal, pubkey: change.pubkey, vdf_proof, signature }
}

/** What both sides may compare over another line: 12 characters of its hash. */
export function offerCode(offer: Offer): string {
  return base32(sha256(encode(offer)), CODE_CHARACTERS)
}

/** As a link, which fits a QR code: `chronym:offer/` and the base64url of its CBOR. */
export function formatOffer(offer: Offer): string {
  return (
    LINK +
    toBase64(encode(offer))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={1,2}$/, '')
  )
}

/** Throws EncodingError. */
export function parseOffer(text: string): Offer {
  const trimmed = text.trim()
  if (!trimmed.startsWith(LINK)) throw new EncodingError(`an offer begins with ${LINK}`)
  const required = ['v', 'name', 'claim', 'index', 'pubkey', 'next', 'consented', 'round', 'signature']
  const fields = fieldsOf(decodeCanonical(fromBase64(trimmed.slice(LINK.length)), BOUNDS), required, ['before'])
  const { consented } = fields
  if (fields['v'] !== 1) throw new EncodingError('v: version 1 is expected')
  if (typeof consented !== 'boolean') throw new EncodingError('consented: true or false is expected')
  return {
    name: textField(fields, 'name'),
    claimId: bytesField(fields, 'claim', 32),
    index: integerField(fields, 'index'),
    ...(Object.hasOwn(fields, 'before') && { before: bytesField(fields, 'before', 32) }),
    terms: { pubkey: bytesField(fields, 'pubkey', 32), next: bytesField(fields, 'next', 32), consented },
    round: integerField(fields, 'round'),
    signature: bytesField(fields, 'signature', 64)
  }
}

function encode({ name, claimId, index, before, terms, round, signature }: Offer): Uint8Array {
  const { pubkey, next, consented } = terms
  return encodeCbor({
    v: 1,
    name,
    claim: claimId,
    index,
    ...(before && { before }),
    pubkey,
    next,
    consented,
    round,
    signature
  })
}
