/** The flood's messages: each kind passes as many checks and costs as much as it can. */
import { createCipheriv, createHash } from 'node:crypto'
import { signDevPulse } from '../../src/beacon/dev-beacon.ts'
import { encodeMessage } from '../../src/network/wire/messages.ts'
import { clockRound } from '../../src/protocol/time.ts'
import { lp } from '../../src/protocol/encoding/bytes.ts'
import { encodeCbor } from '../../src/protocol/encoding/cbor.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { canonicalJsonBytes } from '../../src/protocol/encoding/jcs.ts'
import { buildGenesis, buildNextVersion, signIdentityDocument } from '../../src/protocol/identity/document.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { encodeReveal, signReveal } from '../../src/protocol/claim/reveal.ts'
import { encodeVdfProof, type Link } from '../../src/protocol/claim/proof.ts'
import { stampHolds } from '../../src/protocol/crypto/domain.ts'
import { iterationsFor, parseName, renewalIterations } from '../../src/protocol/name/names.ts'
import type { GarbageKind } from './kinds.ts'
import { FLOOD_PROFILE as profile } from './profile.ts'

const hash = profileHash(profile)

/** The same bytes for the same seed. */
const seed = createHash('sha256')
  .update(`garbage ${process.env['FLOOD_SEED'] ?? 1}`)
  .digest()
const stream = createCipheriv('aes-256-ctr', seed, new Uint8Array(16))
const random = (length: number): Uint8Array => new Uint8Array(stream.update(new Uint8Array(length)))

/**
 * Rounds whose pulses the garbage names, so that it passes the check of the pulse; signing takes tens of milliseconds.
 */
const PULSES = 4
const round = clockRound(Date.now(), profile.beacon)
const pulses = Array.from({ length: PULSES }, (_, index) => ({
  p: round - 10 * index,
  pulse: signDevPulse(round - 10 * index)
}))

const NAME_LENGTH = 12

function name(): string {
  const label = random(NAME_LENGTH / 2).reduce((text, byte) => text + byte.toString(16).padStart(2, '0'), 'x')
  return `${label}.${profile.tld}`
}

/** Properly signed, of a true pulse, with a proof that proves nothing: a discriminant is derived for it. */
function falseProof(links = 1): Uint8Array {
  const key = keyPairFromSeed(random(32))
  const claimed = name()
  const parsed = parseName(claimed, profile)
  const link = (index: number): Link => ({
    ...pulses[0]!,
    p: pulses[0]!.p - links + index,
    iterations: index === 0 ? iterationsFor(parsed, profile) : renewalIterations(parsed, profile),
    proof: random(200),
    salt: random(32)
  })
  const chain = Array.from({ length: links - 1 }, (_, index) => link(index))
  const { p, pulse } = pulses[random(1)[0]! % PULSES]!
  const vdf_proof = encodeVdfProof({ pulse, proof: random(200), salt: random(32), ...(chain.length > 0 && { chain }) })
  const iterations = links === 1 ? iterationsFor(parsed, profile) : renewalIterations(parsed, profile)
  return encodeReveal(
    signReveal(
      { name: claimed, drand_pulse: links === 1 ? p : pulses[0]!.p, iterations, vdf_proof, payload: random(64) },
      key,
      hash
    )
  )
}

function badSignature(): Uint8Array {
  const record = falseProof()
  record[record.length - 100]! ^= 1
  return record
}

function commitment(isStamped: boolean): { commitment: Uint8Array; nonce: Uint8Array } {
  const commitment = random(32)
  for (;;) {
    const nonce = random(8)
    if (stampHolds(commitment, nonce, profile.stamp_bits, hash) === isStamped) return { commitment, nonce }
  }
}

/** A valid log of the greatest length, of an identity that no name carries. */
function heavyIdentity(versions: number): Uint8Array {
  const key = keyPairFromSeed(random(32))
  const created = new Date().toISOString()
  let document = signIdentityDocument(
    buildGenesis({ keys: [key.publicKey], updateKeys: [key.publicKey] }, profile),
    key,
    created,
    profile
  )
  const log = [document]
  while (log.length < versions)
    log.push((document = signIdentityDocument(buildNextVersion(document, {}), key, created, profile)))
  return encodeCbor({ v: 1, log: log.map((version) => canonicalJsonBytes(version)) })
}

const LONG_LOG = heavyIdentity(60)

function manyTokens(head: number, byte: number): Uint8Array {
  const frame = new Uint8Array(128 * 1024).fill(byte)
  frame[0] = head
  new DataView(frame.buffer).setUint32(1, frame.length - 5)
  return frame
}
const EMPTY_STRINGS = manyTokens(0x9a, 0x60)
const EMPTY_ARRAYS = new TextEncoder().encode(`[${Array(21_000).fill('[]').join()}]`)

const put = (kind: 'reveal' | 'kid' | 'manifest', record: Uint8Array): Uint8Array =>
  lp(encodeMessage({ type: 'put', kind, record }))

/** Requests that no peer is disconnected for: half of the identities send only these, as fast as they can. */
export const UNPUNISHED: readonly GarbageKind[] = [
  'commitment without work',
  'commitment with work',
  'identity, 60 true versions, unbound',
  'list of everything',
  'get of nothing'
]

/** Bytes for one stream, by kind. */
export const GARBAGE: Readonly<Record<GarbageKind, () => Uint8Array>> = {
  'reveal, false signature': () => put('reveal', badSignature()),
  'reveal, false proof': () => put('reveal', falseProof()),
  'reveal, false proof of 65 links': () => put('reveal', falseProof(65)),
  'commitment without work': () => lp(encodeMessage({ type: 'commit', ...commitment(false) })),
  'commitment with work': () => lp(encodeMessage({ type: 'commit', ...commitment(true) })),
  'identity, 60 true versions, unbound': () => put('kid', LONG_LOG),
  'identity, random bytes': () => put('kid', random(90_000)),
  'manifest, 21,000 empty arrays': () => put('manifest', EMPTY_ARRAYS),
  'frame of 131,067 empty strings': () => lp(EMPTY_STRINGS),
  'frame that is too long': () => new Uint8Array([0xff, 0xff, 0xff, 0xff, 1]),
  'frame that never ends': () => lp(random(1_000)).subarray(0, 500),
  'list of everything': () => lp(encodeMessage({ type: 'list', key: random(32), bits: 0 })),
  'get of nothing': () => lp(encodeMessage({ type: 'get', kind: 'reveal', key: random(32) }))
}
