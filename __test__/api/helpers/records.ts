/** A name, an identity and its manifest, held by the world's network and valid when worlds begin. */
import { checkCodeOf } from '../../../src/protocol/claim/check-code.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { didAssertionKey, nameKey } from '../../../src/protocol/crypto/keys.ts'
import type { Name } from '../../../src/protocol/name/names.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { signManifest } from '../../../src/protocol/identity/manifest.ts'
import { createIdentity } from '../../../src/protocol/identity/seed.ts'
import { serializeZone, type Zone } from '../../../src/protocol/zone/zone.ts'
import { clockRound } from '../../../src/protocol/time.ts'
import type { OwnedNameView } from '../../../src/views/own.ts'
import type { PinView } from '../../../src/views/pin.ts'
import { makeReveal } from '../../protocol/fixtures.ts'
import { profile } from '../../registry/test-profile.ts'

/** When worlds begin, and the round of the names in them: some minutes before. */
export const NOW_MS = Date.parse('2026-11-21T12:00:00Z')
const CLAIMED_ROUND = clockRound(NOW_MS, profile.beacon) - 100
/** The seed of the world's daemon. */
export const SEED = new Uint8Array(32).fill(1)

export const NAME = 'alice.chronym'

/** The name of somebody else, with another payload if it is given. */
export const revealWith = (payload: Uint8Array, name = NAME, owner: string | KeyPair = 'alice'): Reveal =>
  makeReveal({ name, payload, owner, profile, p: CLAIMED_ROUND })

/** A name of the world's daemon. */
export const ownReveal = (name: string, zone: Zone = { records: {} }, serial = 1): Reveal =>
  revealWith(serializeZone(zone, serial, profile), name, nameKey(SEED, profileHash(profile), name as Name))

export const REVEAL = revealWith(serializeZone({ records: { '@': [{ type: 'TXT', value: '"network"' }] } }, 4, profile))
export const CHECK_CODE = checkCodeOf(REVEAL, profile)

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
export const REVEAL_BODY = {
  ...REVEAL,
  pubkey: [...REVEAL.pubkey],
  vdf_proof: base64(REVEAL.vdf_proof),
  signature: base64(REVEAL.signature),
  payload: base64(REVEAL.payload)
}

const AT = new Date(NOW_MS).toISOString()
export const IDENTITY = createIdentity(SEED, { index: 0, services: [], alsoKnownAs: [] }, AT, profile)
export const DID = IDENTITY.id
export const MANIFEST = signManifest(
  { id: DID, kid_version: 1, version: 1, capabilities: [], validFrom: AT, validUntil: '2026-12-21T12:00:00.000Z' },
  IDENTITY.verificationMethod[0]!.id,
  didAssertionKey(SEED, profileHash(profile), 0).secretKey,
  AT,
  profile
)

/** A pin that was seen once. */
export function pinOf(name: string): PinView {
  return {
    name,
    coded_name: null,
    owner: '01'.repeat(32),
    claim_id: '02'.repeat(32),
    check_code: '7kq2mx4q8r7kq2mx4q8r7kq2mx',
    state: 'tentative',
    since: AT,
    second_look: '2026-11-22T18:00:00.000Z',
    firm_since: null,
    until: '2026-11-23T12:00:00.000Z',
    rival: null,
    contested_until: null
  }
}

export function ownedName(name: string): OwnedNameView {
  return {
    name,
    state: 'live',
    check_code: '7kq2mx0123456789abcdefghjk',
    coded_name: null,
    lease_end: '2026-11-28T12:00:00.000Z',
    serial: 1,
    published_serial: 0,
    records: 1,
    renewal: { state: 'scheduled', due: '2026-11-27T19:12:00.000Z', task_id: null, left: 64 },
    warnings: []
  }
}
