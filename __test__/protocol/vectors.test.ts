/**
 * Our own vectors, computed again from docs/protocol/wire.md alone, without src/ but for the checks at the end. Bytes
 * are built by hand, hashes are node:crypto's, signatures tweetnacl's.
 */
import { createHash, hkdfSync } from 'node:crypto'
import nacl from 'tweetnacl'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../src/protocol/encoding/bytes.ts'
import type { IdentityDocument } from '../../src/protocol/identity/document.ts'
import { parseIdentityDocument } from '../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../src/protocol/identity/log.ts'
import { decodeIdentityRecord } from '../../src/protocol/identity/record.ts'
import { decodeManifestRecord, verifyManifest } from '../../src/protocol/identity/manifest.ts'
import { parseProfile, profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { decodeReveal, encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { checkReveal } from '../../src/protocol/claim/valid.ts'
import hashes from '../vectors/chronym/hashes.json' with { type: 'json' }
import identities from '../vectors/chronym/identities.json' with { type: 'json' }
import profiles from '../vectors/chronym/profiles.json' with { type: 'json' }
import reveals from '../vectors/chronym/reveals.json' with { type: 'json' }
import { LOCAL } from './fixtures.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const H = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
const expectHex = (bytes: Buffer, text: string | undefined) => expect(bytes.toString('hex')).toBe(text)

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

const lp = (value: Buffer | string): Buffer =>
  Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value as string)])
const domainOf = (what: string, profile: Buffer): Buffer => Buffer.concat([lp(`chronym/${what}/v3`), profile])

type Plain = number | string | boolean | null | Buffer | Plain[] | { [key: string]: Plain }

/** RFC 8949, section 4.2.1, for what our records hold. */
function cbor(value: Plain): Buffer {
  if (typeof value === 'number') return head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const pairs = Object.entries(value as { [key: string]: Plain }).map(([key, item]) => [cbor(key), cbor(item)] as const)
  pairs.sort(([left], [right]) => Buffer.compare(left, right))
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  if (value < 2 ** 8) return Buffer.of((major << 5) | 24, value)
  if (value < 2 ** 16) return Buffer.of((major << 5) | 25, value >> 8, value & 255)
  return value < 2 ** 32
    ? Buffer.concat([Buffer.of((major << 5) | 26), u32(value)])
    : Buffer.concat([Buffer.of((major << 5) | 27), u64(value)])
}

/** RFC 8785 for ASCII texts and integers. */
function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${jcs(item)}`).join(',')}}`
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function multibase(text: string): Buffer {
  expect(text[0]).toBe('z')
  let value = 0n
  for (const digit of text.slice(1)) value = value * 58n + BigInt(BASE58.indexOf(digit))
  const digits = value.toString(16)
  return hex(digits.length % 2 === 0 ? digits : `0${digits}`)
}

const PROFILE = hex(hashes.profile_hash)
/** `next` of every commitment of this version. */
const NO_NEXT = Buffer.alloc(32)

describe('profiles', () => {
  it.each(profiles)('$id is hashed as its canonical JSON', ({ id, json, hash }) => {
    expect(jcs(JSON.parse(json))).toBe(json)
    expectHex(H(Buffer.from(json)), hash)
    expect(toHex(profileHash(builtInProfiles[id as keyof typeof builtInProfiles]))).toBe(hash)
  })
})

describe('hashes', () => {
  it('of domains', () => {
    for (const [word, bytes] of Object.entries(hashes.domains)) expectHex(domainOf(word, PROFILE), bytes)
  })

  it('of derived keys', () => {
    const { master_seed, name, owner, did_update_0, did_update_1, did_recovery_0, did_assertion_0 } = hashes.keys
    const cases: [string, Buffer, { seed: string; public_key: string }][] = [
      ['owner-key', lp(name), owner],
      ['did-update-key', u64(0), did_update_0],
      ['did-update-key', u64(1), did_update_1],
      ['did-recovery-key', u64(0), did_recovery_0],
      ['did-assertion-key', u64(0), did_assertion_0]
    ]
    for (const [tag, rest, expected] of cases) {
      const seed = Buffer.from(
        hkdfSync('sha256', hex(master_seed), Buffer.alloc(0), Buffer.concat([domainOf(tag, PROFILE), rest]), 32)
      )
      expectHex(seed, expected.seed)
      expect(toHex(nacl.sign.keyPair.fromSeed(seed).publicKey)).toBe(expected.public_key)
    }
  })

  it('of a commitment and its stamp', () => {
    const { name, pubkey, salt, hash } = hashes.commitment
    expectHex(H(domainOf('commitment', PROFILE), lp(name), hex(pubkey), NO_NEXT, hex(salt)), hash)
    const { subject, nonce, digest, bits } = hashes.stamp
    expectHex(H(domainOf('stamp', PROFILE), hex(subject), hex(nonce)), digest)
    expect(BigInt(`0x${digest}`) >> BigInt(256 - bits)).toBe(0n)
  })

  it('of a receipt', () => {
    const { commitment, seen, peer, message, signature, cbor: encoded } = hashes.receipt
    expectHex(Buffer.concat([domainOf('receipt', PROFILE), hex(commitment), u64(seen), lp(hex(peer))]), message)
    expect(peer).toBe(`002408011220${hashes.keys.node.public_key}`)
    expect(nacl.sign.detached.verify(hex(message), hex(signature), hex(hashes.keys.node.public_key))).toBe(true)
    expectHex(cbor({ commitment: hex(commitment), seen, peer: hex(peer), signature: hex(signature) }), encoded)
  })

  it('of record keys', () => {
    const words = { reveal: 'key', kid: 'kid-key', manifest: 'manifest-key' } as const
    for (const { kind, id, preimage, key } of hashes.record_keys) {
      expectHex(Buffer.concat([domainOf(words[kind as keyof typeof words], PROFILE), lp(id)]), preimage)
      expectHex(H(hex(preimage)), key)
    }
  })

  it('of a pulse and the seed that follows from it', () => {
    const { round, message, signature, randomness } = hashes.pulse
    expectHex(H(u64(round)), message)
    expectHex(H(hex(signature)), randomness)
    const { commitment, seed } = hashes.vdf_seed
    expectHex(H(domainOf('vdf-seed', PROFILE), hex(commitment), u64(round), hex(randomness), lp('')), seed)
  })
})

describe.each(reveals)(
  'a Reveal: $title',
  ({ profile, reveal, signing_bytes, cbor: encoded, links, claim_id, tie, stub }) => {
    const hash = H(Buffer.from(profile))
    const { name, drand_pulse, iterations } = reveal
    const [pubkey, vdfProof, signature, payload] = [
      reveal.pubkey,
      reveal.vdf_proof,
      reveal.signature,
      reveal.payload
    ].map(hex) as [Buffer, Buffer, Buffer, Buffer]
    const linkOf = ({ p, pulse, iterations: squarings, proof, salt }: (typeof links)[number]) => ({
      p,
      pulse: hex(pulse),
      iterations: squarings,
      proof: hex(proof),
      salt: hex(salt)
    })
    const [first, newest] = [links[0]!, links.at(-1)!]
    const commitmentOf = ({ salt }: (typeof links)[number]): Buffer =>
      H(domainOf('commitment', hash), lp(name), pubkey, NO_NEXT, hex(salt))

    it('has its proof in deterministic CBOR', () => {
      const own = { v: 1, pulse: hex(newest.pulse), proof: hex(newest.proof), salt: hex(newest.salt) }
      const chain = links.slice(0, -1).map(linkOf)
      expectHex(cbor(chain.length === 0 ? own : { ...own, chain }), reveal.vdf_proof)
      expect([drand_pulse, iterations]).toEqual([newest.p, newest.iterations])
    })

    it('is signed by the key of its name', () => {
      const bytes = Buffer.concat([
        domainOf('reveal', hash),
        lp(name),
        u64(drand_pulse),
        u64(iterations),
        H(vdfProof),
        lp(payload)
      ])
      expectHex(bytes, signing_bytes)
      expect(nacl.sign.detached.verify(bytes, signature, pubkey)).toBe(true)
    })

    it('is encoded as deterministic CBOR', () => {
      expectHex(cbor({ name, pubkey, drand_pulse, iterations, vdf_proof: vdfProof, signature, payload }), encoded)
      expect(toHex(encodeReveal(decodeReveal(hex(encoded))))).toBe(encoded)
      const linkValues =
        links.length === 1 ? { first: linkOf(first) } : { first: linkOf(first), newest: linkOf(newest) }
      expectHex(cbor({ name, pubkey, ...linkValues }), stub)
    })

    it('has a seed for each link, which binds the output of the link before', () => {
      for (const [index, link] of links.entries()) {
        const output = index === 0 ? Buffer.alloc(0) : hex(links[index - 1]!.proof).subarray(0, 100)
        expectHex(
          H(domainOf('vdf-seed', hash), commitmentOf(link), u64(link.p), H(hex(link.pulse)), lp(output)),
          link.seed
        )
      }
    })

    it('has its claim id and its tie', () => {
      const commitment = commitmentOf(first)
      expectHex(H(domainOf('claim', hash), lp(name), commitment, u64(first.p)), claim_id)
      expectHex(H(domainOf('tie', hash), commitment, hex(first.proof).subarray(0, 100)), tie)
    })

    it('passes the cheap checks', () => {
      expect(checkReveal(decodeReveal(hex(encoded)), parseProfile(JSON.parse(profile)))).toMatchObject({ ok: true })
      for (const { iterations: squarings, split, proof } of links) {
        expect(hex(proof)).toHaveLength(split === null ? 200 : 341)
        if (split !== null)
          expect([split, Number(hex(proof).readBigUInt64BE(200))]).toEqual([
            squarings - Math.floor(squarings / 10),
            split
          ])
      }
    })
  }
)

describe('identities', () => {
  const documents = identities.versions.map(({ document }) => document) as unknown as IdentityDocument[]

  it('have the DID of their genesis document with relative ids', () => {
    const { id } = identities.versions[0]!.document
    const genesis = { ...identities.versions[0]!.document, id: undefined, proof: undefined }
    const relative = JSON.parse(
      jcs(genesis).replaceAll(`"controller":"${identities.did}",`, '').replaceAll(`${identities.did}#`, '#')
    ) as object
    const multihash = multibase(identities.did.slice('did:chronym:'.length))
    expect(id).toBe(identities.did)
    expectHex(multihash, `1220${H(Buffer.from(jcs(relative))).toString('hex')}`)
  })

  it('are chained by hash and signed over proof and document', () => {
    let prev: string | undefined
    for (const { document, hash } of identities.versions) {
      const { proof, ...unsecured } = document
      const { proofValue, ...config } = proof
      expect((unsecured as { prev?: string }).prev).toBe(prev)
      expectHex(H(Buffer.from(jcs(document))), hash)
      const key = multibase(proof.verificationMethod.slice(proof.verificationMethod.indexOf('#') + 1))
      expect(key.subarray(0, 2).toString('hex')).toBe('ed01')
      expect(proof.domain).toBe(hashes.profile_hash)
      const message = Buffer.concat([H(Buffer.from(jcs(config))), H(Buffer.from(jcs(unsecured)))])
      expect(nacl.sign.detached.verify(message, multibase(proofValue), key.subarray(2))).toBe(true)
      prev = hash
    }
    expect(identities.versions.map(({ signer }) => signer)).toEqual(['update', 'update', 'recovery'])
  })

  it('are bound by the key of a name', () => {
    const { name, first_round, pubkey, message, signature } = identities.binding
    expectHex(
      Buffer.concat([domainOf('kid-binding', PROFILE), lp(name), u64(first_round), lp(identities.did)]),
      message
    )
    expect(nacl.sign.detached.verify(hex(message), hex(signature), hex(pubkey))).toBe(true)
  })

  it('are stamped and encoded', () => {
    const { round, subject, nonce } = identities.stamp
    expectHex(H(domainOf('document-stamp', PROFILE), lp(identities.did), u64(round)), subject)
    const { name, first_round, signature } = identities.binding
    const record = cbor({
      v: 1,
      log: documents.map((document) => Buffer.from(jcs(document))),
      binding: { name, firstRound: first_round, signature: hex(signature) },
      stamp: { round, nonce: hex(nonce) }
    })
    expectHex(record, identities.record)
    expect(decodeIdentityRecord(record, LOCAL).log).toEqual(
      verifyIdentityLog(
        documents.map((document) => parseIdentityDocument(document, LOCAL)),
        LOCAL
      )
    )
  })

  it('have manifests', () => {
    expectHex(Buffer.from(jcs(identities.manifest)), identities.manifest_record)
    const log = verifyIdentityLog(documents.slice(0, 2), LOCAL)
    expect(() => verifyManifest(decodeManifestRecord(fromHex(identities.manifest_record), LOCAL), log)).not.toThrow()
  })
})
