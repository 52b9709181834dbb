import { describe, expect, it } from 'vitest'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { IdentityError } from '../../../src/protocol/identity/document.ts'
import type { UnsignedManifest } from '../../../src/protocol/identity/manifest.ts'
import {
  compareManifests,
  decodeManifestRecord,
  encodeManifestRecord,
  isManifestCurrent,
  parseManifest,
  signManifest,
  verifyManifest
} from '../../../src/protocol/identity/manifest.ts'
import { LOCAL } from '../fixtures.ts'
import { ASSERTION, chain, CREATED, GENESIS, log, next, THIEF, UPDATE } from './scene.ts'

describe('a manifest', () => {
  const unsigned: UnsignedManifest = {
    id: GENESIS.id,
    kid_version: 1,
    version: 1,
    capabilities: [
      { id: 'chat', type: 'Chat', protocol: 'matrix', endpoint: 'https://chat.example/', description: 'a room' }
    ],
    validFrom: '2026-01-01T00:00:00Z',
    validUntil: '2027-02-05T00:00:00Z'
  }
  const method = `${GENESIS.id}#key-1`
  const signedBy = (manifest: UnsignedManifest, key = ASSERTION, by = method) =>
    signManifest(manifest, by, key.secretKey, CREATED, LOCAL)
  const manifest = signedBy(unsigned)

  it('is signed by an assertion key and read back', () => {
    expect(decodeManifestRecord(encodeManifestRecord(manifest), LOCAL)).toEqual(manifest)
    expect(() => verifyManifest(manifest, log(chain(UPDATE)))).not.toThrow()
  })

  it.each<[string, object]>([
    ['more than 400 days', { validUntil: '2027-02-06T00:00:00Z' }],
    ['an end before its begin', { validUntil: '2025-01-01T00:00:00Z' }],
    [
      '51 capabilities',
      { capabilities: Array.from({ length: 51 }, (_, index) => ({ ...unsigned.capabilities[0]!, id: `${index}` })) }
    ],
    ['two capabilities of one id', { capabilities: [unsigned.capabilities[0]!, unsigned.capabilities[0]!] }],
    ['an unknown member', { more: 1 }],
    ['an endpoint that is not a URI', { capabilities: [{ ...unsigned.capabilities[0]!, endpoint: 'x' }] }],
    ['another network', { proof: { ...manifest.proof, domain: 'x' } }],
    ['another DID method', { id: 'did:web:example.com' }]
  ])('is refused with %s', (_, change) =>
    expect(() => parseManifest({ ...manifest, ...change }, LOCAL)).toThrow(IdentityError)
  )

  it('is refused over 64 KiB', () => {
    const capabilities = Array.from({ length: 50 }, (_, index) => ({
      ...unsigned.capabilities[0]!,
      id: `${index}`,
      description: 'x'.repeat(2000)
    }))
    expect(() => parseManifest({ ...manifest, capabilities }, LOCAL)).toThrow(/at most 65536 bytes/)
  })

  it('[a manifest by a key that was taken out] says nothing: the version that it names and the newest list its key', () => {
    const removed = log([GENESIS, next(GENESIS, { assertionMethod: [] })])
    const replaced = log([
      GENESIS,
      next(GENESIS, {
        verificationMethod: [{ ...GENESIS.verificationMethod[0]!, publicKeyMultibase: encodeMultikey(THIEF.publicKey) }]
      })
    ])
    expect(() => verifyManifest(manifest, removed)).toThrow(/any more/)
    expect(() => verifyManifest(manifest, replaced)).toThrow(/any more/)
    expect(() => verifyManifest(signedBy({ ...unsigned, kid_version: 2 }), log([GENESIS]))).toThrow(/no version 2/)
    expect(() => verifyManifest(signedBy(unsigned, THIEF), log([GENESIS]))).toThrow(/does not verify/)
    expect(() => verifyManifest(signedBy(unsigned, UPDATE, `${GENESIS.id}#other`), log([GENESIS]))).toThrow(
      /not an assertion key/
    )
    expect(() => verifyManifest(manifest, log([GENESIS, next(GENESIS, { deactivated: true })]))).toThrow(/deactivated/)
  })

  it('is ordered by (kid_version, version) and then some hash', () => {
    const later = signedBy({ ...unsigned, version: 2 })
    expect(compareManifests(later, manifest)).toBeGreaterThan(0)
    expect(compareManifests(signedBy({ ...unsigned, kid_version: 2 }), later)).toBeGreaterThan(0)
    const twin = signedBy({ ...unsigned, capabilities: [] })
    expect(Math.sign(compareManifests(twin, manifest))).toBe(-Math.sign(compareManifests(manifest, twin)))
    expect(compareManifests(manifest, manifest)).toBe(0)
  })

  it('is current from validFrom to validUntil', () => {
    expect(isManifestCurrent(manifest, Date.parse('2026-01-01T00:00:00Z'))).toBe(true)
    expect(isManifestCurrent(manifest, Date.parse('2025-12-31T23:59:59Z'))).toBe(false)
    expect(isManifestCurrent(manifest, Date.parse('2027-02-05T00:00:01Z'))).toBe(false)
  })
})
