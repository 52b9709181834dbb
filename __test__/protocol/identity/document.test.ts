import { describe, expect, it } from 'vitest'
import { withoutMember } from '../../../src/protocol/identity/data-integrity.ts'
import {
  buildGenesis,
  identityDid,
  IdentityError,
  parseIdentityDocument,
  signIdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { canonicalJsonBytes, parseCanonicalJson } from '../../../src/protocol/encoding/jcs.ts'
import { ProtocolError } from '../../../src/protocol/errors.ts'
import { LOCAL } from '../fixtures.ts'
import { ASSERTION, GENESIS, next, THIEF, UPDATE } from './scene.ts'

describe('an identity document', () => {
  it('has the DID of its genesis, whatever its proof', () => {
    expect(GENESIS.id).toBe(identityDid(GENESIS, LOCAL))
    expect(signIdentityDocument(GENESIS, UPDATE, '2027-01-01T00:00:00Z', LOCAL).id).toBe(GENESIS.id)
    expect(buildGenesis({ keys: [ASSERTION.publicKey], updateKeys: [THIEF.publicKey] }, LOCAL).id).not.toBe(GENESIS.id)
  })

  it('says which member is missing or not known', () => {
    expect(() => parseIdentityDocument(withoutMember(GENESIS, 'updateKeys'), LOCAL)).toThrow('updateKeys: is missing')
    expect(() => parseIdentityDocument({ ...GENESIS, colour: 'red' }, LOCAL)).toThrow('colour: unknown field')
  })

  it('passes its own schema after a round trip through JSON', () => {
    expect(parseIdentityDocument(JSON.parse(JSON.stringify(GENESIS)), LOCAL)).toEqual(GENESIS)
  })

  it.each<[string, object]>([
    ['an unknown member', { extra: 1 }],
    ['another context first', { '@context': ['https://www.w3.org/ns/credentials/v2'] }],
    ['a DID of another method', { id: 'did:web:example.com' }],
    ['a key that is not a Multikey', { updateKeys: ['abc'] }],
    ['no update key', { updateKeys: [] }],
    ['an id of another DID', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, id: 'did:x:y#key-1' }] }],
    ['a relative id', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, id: '#key-1' }] }],
    ['another controller', { verificationMethod: [{ ...GENESIS.verificationMethod[0]!, controller: 'did:x:y' }] }],
    [
      'two ids that are the same',
      { verificationMethod: [GENESIS.verificationMethod[0]!, GENESIS.verificationMethod[0]!] }
    ],
    ['a reference to nothing', { authentication: [`${GENESIS.id}#none`] }],
    ['a service without a URI', { service: [{ id: `${GENESIS.id}#s`, type: 'x', serviceEndpoint: 'not a uri' }] }],
    ['version 0', { version: 0 }],
    ['a prev that is not a hash', { prev: 'abc' }],
    ['deactivated: false', { deactivated: false }],
    ['a proof of another network', { proof: { ...GENESIS.proof, domain: 'ab'.repeat(32) } }],
    ['a proof without a domain', { proof: { ...GENESIS.proof, domain: undefined } }],
    ['a proof for another purpose', { proof: { ...GENESIS.proof, proofPurpose: 'authentication' } }]
  ])('is refused with %s', (_, change) =>
    expect(() => parseIdentityDocument({ ...GENESIS, ...change }, LOCAL)).toThrow(IdentityError)
  )

  it('[dates that only some engines know] has none: the calendar decides', () => {
    const signed = (created: string) => signIdentityDocument(next(GENESIS), UPDATE, created, LOCAL)
    for (const created of [
      '2026-02-30T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2100-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      '2026-13-01T00:00:00Z',
      '2026-00-10T00:00:00Z',
      '2026-01-00T00:00:00Z'
    ]) {
      expect(() => parseIdentityDocument(signed(created), LOCAL), created).toThrow(/date that exists/)
    }
    for (const created of ['2028-02-29T23:59:59Z', '2000-02-29T00:00:00.123456789Z', '2026-12-31T00:00:00Z'])
      expect(() => parseIdentityDocument(signed(created), LOCAL)).not.toThrow()
  })

  it('[Unicode tables differ between versions] so a URI is ASCII: whether U+180E is a space has changed before', () => {
    for (const uri of [
      'https://a.example/\u180e',
      'https://a.example/\u00a0',
      'https://münchen.example/',
      'https://a.example/ b',
      'no-scheme'
    ]) {
      expect(() => parseIdentityDocument(next(GENESIS, { alsoKnownAs: [uri] }), LOCAL), uri).toThrow(/absolute URI/)
    }
    expect(() =>
      parseIdentityDocument(next(GENESIS, { alsoKnownAs: ['https://xn--mnchen-3ya.example/%20'] }), LOCAL)
    ).not.toThrow()
  })
})

describe('the endpoint of a service', () => {
  /** As a peer sends it: the limit of nesting is of the JSON text. */
  const withEndpoint = (serviceEndpoint: unknown) => {
    const service = [{ id: `${GENESIS.id}#s`, type: 'x', serviceEndpoint }]
    const bytes = canonicalJsonBytes({ ...GENESIS, service })
    return parseIdentityDocument(parseCanonicalJson(bytes, { maxBytes: LOCAL.limits.kid_bytes }), LOCAL)
  }
  const nested = (levels: number): object => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) })

  it.each<[string, unknown]>([
    ['a URI', 'https://files.example/'],
    ['an object', { uri: 'https://files.example/', accept: ['didcomm/v2'], routingKeys: [] }],
    ['an array of both', ['https://files.example/', { uri: 'wss://files.example/' }]],
    ['an object of 2,048 characters', { a: 'é'.repeat(2040) }],
    ['32 of them', Array.from({ length: 32 }, () => ({ a: 'b'.repeat(2040) }))],
    ['an object down to level 32 of the document', nested(29)]
  ])('may be %s', (_, endpoint) => expect(withEndpoint(endpoint).service?.[0]?.serviceEndpoint).toEqual(endpoint))

  it.each<[string, unknown]>([
    ['an object without members', {}],
    ['an object of 2,049 characters', { a: 'é'.repeat(2041) }],
    ['an object down to level 33 of the document', nested(30)],
    ['no endpoint', []],
    ['33 of them', Array.from({ length: 33 }, () => ({ a: 1 }))],
    ['arrays in an array', [['https://files.example/']]],
    ['a number', 1],
    ['null', null],
    ['an object too long among others', [{ a: 1 }, { a: 'b'.repeat(2041) }]]
  ])('is not %s', (_, endpoint) => expect(() => withEndpoint(endpoint)).toThrow(ProtocolError))

  it('has no lone surrogate, which JSON cannot carry', () => {
    const service = [{ id: `${GENESIS.id}#s`, type: 'x', serviceEndpoint: { a: '\ud800' } }]
    expect(() => parseIdentityDocument({ ...GENESIS, service }, LOCAL)).toThrow(IdentityError)
  })
})
