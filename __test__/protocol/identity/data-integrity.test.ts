import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sha256, toHex } from '../../../src/protocol/encoding/bytes.ts'
import { addProof, checkProof, proofHashData, withoutMember } from '../../../src/protocol/identity/data-integrity.ts'
import { decodeMultibase, decodeMultikey, encodeMultikey, parseDid } from '../../../src/protocol/identity/did.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { EncodingError } from '../../../src/protocol/errors.ts'
import { canonicalJson, canonicalJsonBytes } from '../../../src/protocol/encoding/jcs.ts'
import { LOCAL } from '../fixtures.ts'

function vector(name: string): string {
  return readFileSync(new URL(`../../vectors/eddsa-jcs-2022/${name}`, import.meta.url), 'utf8')
}

function json(name: string): Record<string, unknown> {
  return JSON.parse(vector(name)) as Record<string, unknown>
}

const keys = json('keyPair.json') as { publicKeyMultibase: string; privateKeyMultibase: string }
const publicKey = decodeMultikey(keys.publicKeyMultibase)
const secretKey = keyPairFromSeed(decodeMultibase(keys.privateKeyMultibase).subarray(2)).secretKey
const signed = json('signedJCS.json') as { proof: Record<string, unknown>; '@context': string[] }
const options = {
  created: '2023-02-24T23:36:38Z',
  verificationMethod: `did:key:${keys.publicKeyMultibase}#${keys.publicKeyMultibase}`,
  proofPurpose: 'assertionMethod'
}

describe('eddsa-jcs-2022', () => {
  it('gives the intermediate values of the W3C vectors', () => {
    const unsigned = json('unsigned.json')
    const config = json('proofConfigJCS.json')
    expect(canonicalJson(unsigned)).toBe(vector('canonDocJCS.txt'))
    expect(canonicalJson(config)).toBe(vector('proofCanonJCS.txt'))
    expect(toHex(sha256(canonicalJsonBytes(unsigned)))).toBe(vector('docHashJCS.txt'))
    expect(toHex(proofHashData(unsigned, config))).toBe(vector('combinedHashJCS.txt'))
  })

  it('signs as the W3C vectors', () => {
    expect(addProof(json('unsigned.json'), options, secretKey)).toEqual(signed)
    expect(signed.proof['proofValue']).toBe(vector('sigBTC58JCS.txt'))
    expect(toHex(decodeMultibase(vector('sigBTC58JCS.txt')))).toBe(vector('sigHexJCS.txt'))
  })

  it('verifies the W3C vectors', () => expect(checkProof(signed, publicKey)).toBe(true))

  it.each<[string, object]>([
    ['a changed document', { ...signed, name: 'x' }],
    ['a member more', { ...signed, more: 1 }],
    ['a changed proof', { ...signed, proof: { ...signed.proof, created: '2023-02-24T23:36:39Z' } }],
    ['another type', { ...signed, proof: { ...signed.proof, type: 'X' } }],
    ['another cryptosuite', { ...signed, proof: { ...signed.proof, cryptosuite: 'eddsa-rdfc-2022' } }],
    ['no proof', withoutMember(signed, 'proof')],
    ['a list of proofs', { ...signed, proof: [signed.proof] }],
    ['no proofValue', { ...signed, proof: withoutMember(signed.proof, 'proofValue') }],
    ['a proofValue in hex', { ...signed, proof: { ...signed.proof, proofValue: vector('sigHexJCS.txt') } }],
    [
      'a context that does not begin with that of the proof',
      { ...signed, '@context': signed['@context'].toReversed() }
    ],
    ['no context', withoutMember(signed, '@context')],
    ['a value that JSON cannot hold', { ...signed, name: '\ud800' }]
  ])('refuses %s', (_, document) => expect(checkProof(document, publicKey)).toBe(false))

  it('lets a document be put into further contexts, as the specification does', () => {
    expect(checkProof({ ...signed, '@context': [...signed['@context'], 'https://example.com/more'] }, publicKey)).toBe(
      true
    )
  })

  it('replaces a proof and leaves the context out where there is none', () => {
    const once = addProof({ a: 1 }, options, secretKey)
    const twice = addProof(once, { ...options, created: '2024-01-01T00:00:00Z', domain: 'd' }, secretKey)
    expect(checkProof(twice, publicKey)).toBe(true)
    expect(Object.keys(once.proof)).not.toContain('@context')
  })
})

describe('multibase', () => {
  it('reads back a Multikey', () => expect(encodeMultikey(publicKey)).toBe(keys.publicKeyMultibase))

  it.each(['', 'z', 'mAQID', 'z0', 'z6Mk', `z${'1'.repeat(99)}`, 'f00', keys.privateKeyMultibase])(
    'refuses %j as a key',
    (text) => expect(() => decodeMultikey(text)).toThrow(EncodingError)
  )

  it.each(['did:chronym:', 'did:chronym:z', `did:chronym:${keys.publicKeyMultibase}`, 'did:key:z6Mk', 'chronym'])(
    'refuses %j as a DID',
    (text) => expect(() => parseDid(text, LOCAL)).toThrow(EncodingError)
  )
})
