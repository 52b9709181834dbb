/**
 * Makes the protocol's own vectors, `__test__/vectors/chronym/*.json`. Run: `node scripts/make-protocol-vectors.ts`
 * (needs the built addon).
 *
 * Everything is fixed: seeds are repeated bytes, salts are hashes of texts, pulses are the dev beacon's, proofs are the
 * kernel's. A second run writes the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { signDevPulse } from '../src/beacon/dev-beacon.ts'
import { addon } from '../src/native/addon.ts'
import { sha256, toHex, u64be, utf8 } from '../src/protocol/encoding/bytes.ts'
import { claimOf } from '../src/protocol/claim/claim.ts'
import { commitmentHash, encodeReceipt, receiptMessage, signReceipt } from '../src/protocol/claim/commitment.ts'
import { stampDigest, stampHolds, domain, DOMAIN_WORDS } from '../src/protocol/crypto/domain.ts'
import { keyPairFromSeed, type KeyPair } from '../src/protocol/crypto/ed25519.ts'
import { canonicalJson } from '../src/protocol/encoding/jcs.ts'
import { didAssertionKey, didRecoveryKey, didUpdateKey, nameKey, seedToWords } from '../src/protocol/crypto/keys.ts'
import {
  buildGenesis,
  buildNextVersion,
  identityDocumentHash,
  signIdentityDocument
} from '../src/protocol/identity/document.ts'
import {
  identityBindingMessage,
  signIdentityBinding,
  documentStampSubject,
  encodeIdentityRecord
} from '../src/protocol/identity/record.ts'
import { verifyIdentityLog } from '../src/protocol/identity/log.ts'
import { encodeManifestRecord, signManifest } from '../src/protocol/identity/manifest.ts'
import type { Name } from '../src/protocol/name/names.ts'
import { iterationsFor, parseName, renewalIterations } from '../src/protocol/name/names.ts'
import type { NetworkProfile } from '../src/protocol/profile/profile.ts'
import { parseProfile, profileHash } from '../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../src/protocol/profile/built-in.ts'
import { proofShape, encodeVdfProof, type Link, vdfSeed } from '../src/protocol/claim/proof.ts'
import { pulseMessage, pulseRandomness } from '../src/protocol/time.ts'
import { recordKey, recordKeyPreimage } from '../src/protocol/neighbourhood/key-space.ts'
import { encodeReveal, revealSigningBytes, signReveal } from '../src/protocol/claim/reveal.ts'
import { encodeStub, stubOf } from '../src/protocol/admission/holder.ts'
import { parseZone, serializeZone } from '../src/protocol/zone/zone.ts'

const FOLDER = new URL('../__test__/vectors/chronym/', import.meta.url)
const LOCAL = builtInProfiles.local
const HASH = profileHash(LOCAL)
const MASTER = new Uint8Array(32).fill(7)
const NODE = keyPairFromSeed(new Uint8Array(32).fill(8))
const NAME = parseName('alice.chronym', LOCAL)
const CREATED = '2026-01-01T00:00:00Z'

function saltOf(text: string): Uint8Array {
  return sha256(utf8(text))
}

function profiles() {
  return Object.values(builtInProfiles).map((profile) => ({
    id: profile.id,
    json: canonicalJson(profile),
    hash: toHex(profileHash(profile))
  }))
}

function hashes() {
  const key = nameKey(MASTER, HASH, NAME)
  const salt = saltOf('salt 0')
  const commitment = commitmentHash(NAME, key.publicKey, salt, HASH)
  const pulse = signDevPulse(1000)
  const receipt = signReceipt(commitment, 995, NODE, HASH)
  const did = `did:chronym:z${'1'.repeat(3)}`
  return {
    profile_hash: toHex(HASH),
    domains: Object.fromEntries(DOMAIN_WORDS.map((word) => [word, toHex(domain(word, HASH))])),
    keys: {
      master_seed: toHex(MASTER),
      words: seedToWords(MASTER),
      name: NAME,
      ...Object.fromEntries(
        Object.entries({
          owner: key,
          node: NODE,
          did_update_0: didUpdateKey(MASTER, HASH),
          did_update_1: didUpdateKey(MASTER, HASH, 1),
          did_recovery_0: didRecoveryKey(MASTER, HASH),
          did_assertion_0: didAssertionKey(MASTER, HASH)
        }).map(([use, pair]: [string, KeyPair]) => [
          use,
          { seed: toHex(pair.secretKey.subarray(0, 32)), public_key: toHex(pair.publicKey) }
        ])
      )
    },
    commitment: { name: NAME, pubkey: toHex(key.publicKey), salt: toHex(salt), hash: toHex(commitment) },
    stamp: stampOf(commitment),
    receipt: {
      commitment: toHex(commitment),
      seen: 995,
      peer: toHex(receipt.peer),
      message: toHex(receiptMessage(commitment, 995, receipt.peer, HASH)),
      signature: toHex(receipt.signature),
      cbor: toHex(encodeReceipt(receipt))
    },
    record_keys: (['reveal', 'kid', 'manifest'] as const).map((kind) => {
      const id = kind === 'reveal' ? NAME : did
      return { kind, id, preimage: toHex(recordKeyPreimage(kind, id, HASH)), key: toHex(recordKey(kind, id, HASH)) }
    }),
    pulse: {
      round: 1000,
      message: toHex(pulseMessage(1000)),
      signature: toHex(pulse),
      randomness: toHex(pulseRandomness(pulse))
    },
    vdf_seed: {
      commitment: toHex(commitment),
      round: 1000,
      randomness: toHex(pulseRandomness(pulse)),
      seed: toHex(vdfSeed({ commitment, round: 1000, randomness: pulseRandomness(pulse) }, HASH))
    }
  }
}

function stampOf(subject: Uint8Array) {
  let counter = 0
  while (!stampHolds(subject, u64be(counter), LOCAL.stamp_bits, HASH)) counter++
  const nonce = u64be(counter)
  return {
    subject: toHex(subject),
    bits: LOCAL.stamp_bits,
    nonce: toHex(nonce),
    digest: toHex(stampDigest(subject, nonce, HASH))
  }
}

/** The kernel's proof that a seed's generator was squared that often. */
function prove(seed: Uint8Array, iterations: number, profile: NetworkProfile): Uint8Array {
  const { Discriminant, Evaluation } = addon()
  const evaluation = new Evaluation(
    Discriminant.fromSeed(seed, profile.discriminant_bits),
    null,
    iterations,
    proofShape(iterations, profile).split,
    2 ** 28
  )
  const stop = new Uint32Array(new SharedArrayBuffer(4))
  while (evaluation.phase() !== 'done') evaluation.advance(100_000, stop)
  return evaluation.proof()!
}

/** Of the links made, by their salts. */
const seeds = new Map<Uint8Array, Uint8Array>()

function linkAt(
  name: Name,
  pubkey: Uint8Array,
  p: number,
  index: number,
  before: Link | undefined,
  profile: NetworkProfile
): Link {
  const hash = profileHash(profile)
  const salt = saltOf(`salt ${index}`)
  const pulse = signDevPulse(p)
  const iterations = index === 0 ? iterationsFor(name, profile) : renewalIterations(name, profile)
  const seed = vdfSeed(
    {
      commitment: commitmentHash(name, pubkey, salt, hash),
      round: p,
      randomness: pulseRandomness(pulse),
      before: before?.proof
    },
    hash
  )
  seeds.set(salt, seed)
  return { p, pulse, iterations, proof: prove(seed, iterations, profile), salt }
}

function revealVector(title: string, profile: NetworkProfile, rounds: readonly number[], payload: Uint8Array) {
  const hash = profileHash(profile)
  const key = nameKey(MASTER, hash, NAME)
  const links: Link[] = []
  for (const [index, p] of rounds.entries()) links.push(linkAt(NAME, key.publicKey, p, index, links.at(-1), profile))
  const { p, iterations, ...newest } = links.at(-1)!
  const vdf_proof = encodeVdfProof({ ...newest, chain: links.slice(0, -1) })
  const reveal = signReveal({ name: NAME, drand_pulse: p, iterations, vdf_proof, payload }, key, hash)
  const claim = claimOf(reveal, NAME, profile)
  return {
    title,
    profile: canonicalJson(profile),
    reveal: {
      name: NAME,
      pubkey: toHex(reveal.pubkey),
      drand_pulse: p,
      iterations,
      vdf_proof: toHex(vdf_proof),
      signature: toHex(reveal.signature),
      payload: toHex(payload)
    },
    signing_bytes: toHex(revealSigningBytes(reveal, hash)),
    cbor: toHex(encodeReveal(reveal)),
    links: links.map((link) => ({
      p: link.p,
      pulse: toHex(link.pulse),
      iterations: link.iterations,
      split: proofShape(link.iterations, profile).split,
      salt: toHex(link.salt),
      seed: toHex(seeds.get(link.salt)!),
      proof: toHex(link.proof)
    })),
    claim_id: toHex(claim.id),
    tie: toHex(claim.tie),
    serial: claim.serial,
    stub: toHex(encodeStub(stubOf(reveal)))
  }
}

function reveals() {
  const zone = parseZone(
    {
      records: {
        '@': [
          { type: 'A', value: '192.0.2.1' },
          { type: 'TXT', value: 'hello', ttl: 60 }
        ],
        www: [{ type: 'CNAME', value: '@' }]
      }
    },
    LOCAL
  )
  const twoSegments = parseProfile({
    ...LOCAL,
    id: 'two-segments',
    two_segment_from: 2 ** 18,
    difficulty: { base: 2 ** 18 + 5, by_length: [{ from: 1, factor: 1 }] }
  })
  return [
    revealVector('a first claim', LOCAL, [1000], serializeZone(zone, 1, LOCAL)),
    revealVector('two renewals, the payload no zone', LOCAL, [1000, 500_000, 1_000_000], utf8('no zone')),
    revealVector('a proof of two segments', twoSegments, [1000], serializeZone({ records: {} }, 2, twoSegments))
  ]
}

function identities() {
  const [update, recovery, assertion] = [
    didUpdateKey(MASTER, HASH),
    didRecoveryKey(MASTER, HASH),
    didAssertionKey(MASTER, HASH)
  ]
  const parts = {
    keys: [assertion.publicKey],
    services: [{ id: '#files', type: 'Files', serviceEndpoint: 'https://files.example/' }],
    updateKeys: [update.publicKey],
    recoveryKeys: [recovery.publicKey]
  }
  const genesis = signIdentityDocument(buildGenesis(parts, LOCAL), update, CREATED, LOCAL)
  const second = signIdentityDocument(
    buildNextVersion(genesis, { alsoKnownAs: ['https://alice.example/'] }),
    update,
    CREATED,
    LOCAL
  )
  const third = signIdentityDocument(buildNextVersion(second, { deactivated: true }), recovery, CREATED, LOCAL)
  const log = verifyIdentityLog([genesis, second, third], LOCAL)
  const owner = nameKey(MASTER, HASH, NAME)
  const binding = signIdentityBinding(NAME, 1000, log.did, owner.secretKey, HASH)
  const unsigned = {
    id: log.did,
    kid_version: 2,
    version: 1,
    capabilities: [{ id: 'files', type: 'Files', protocol: 'https', endpoint: 'https://files.example/' }],
    validFrom: CREATED,
    validUntil: '2026-12-31T00:00:00Z'
  }
  const manifest = signManifest(unsigned, `${log.did}#key-1`, assertion.secretKey, CREATED, LOCAL)
  const subject = documentStampSubject(log.did, 1000, HASH)
  const stamp = stampOf(subject)
  return {
    did: log.did,
    versions: log.versions.map(({ document, hash, signer }) => ({ document, hash: toHex(hash), signer })),
    hash_of_version_1: toHex(identityDocumentHash(genesis)),
    binding: {
      name: NAME,
      first_round: 1000,
      pubkey: toHex(owner.publicKey),
      message: toHex(identityBindingMessage(NAME, 1000, log.did, HASH)),
      signature: toHex(binding.signature)
    },
    stamp: { round: 1000, ...stamp },
    record: toHex(
      encodeIdentityRecord({ log, binding, stamp: { round: 1000, nonce: Buffer.from(stamp.nonce, 'hex') } })
    ),
    manifest,
    manifest_record: toHex(encodeManifestRecord(manifest))
  }
}

mkdirSync(FOLDER, { recursive: true })
for (const [file, make] of Object.entries({ profiles, hashes, reveals, identities })) {
  writeFileSync(new URL(`${file}.json`, FOLDER), `${JSON.stringify(make(), null, 1)}\n`)
}
