import { describe, expect, it } from 'vitest'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import { didUpdateKey } from '../../../src/protocol/crypto/keys.ts'
import {
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { keys } from '../../../src/store/keys.ts'
import { profile } from '../test-profile.ts'
import { published, node, other, recovery, update } from './scene.ts'

function next(former: IdentityDocument, changes: IdentityChanges, key = update!): IdentityDocument {
  return signIdentityDocument(buildNextVersion(former, changes), key, '2026-02-01T00:00:00.5Z', profile)
}

describe('the identities of a daemon', () => {
  it('are listed with version, state, times and keys', async () => {
    expect(node.registry.ownIdentities()).toEqual([])
    const first = await published()
    const view = {
      did: first.id,
      version: 1,
      state: 'active',
      created: '2026-01-01T00:00:00.000Z',
      updated: '2026-01-01T00:00:00.000Z',
      name: null,
      index: null,
      services: 0,
      recovery_keys: 1
    }
    expect(node.registry.ownIdentities()).toEqual([view])
    expect(other.registry.ownIdentities()).toEqual([])
    await node.registry.publishKid(next(first, { deactivated: true }))
    expect(node.registry.ownIdentities()).toEqual([
      { ...view, version: 2, state: 'deactivated', updated: '2026-02-01T00:00:00.500Z' }
    ])
  })

  it("name the index of the seed's key that signs next", async () => {
    const key = didUpdateKey(node.seed.require(), profileHash(profile), 7)
    const first = await published()
    await node.registry.publishKid(next(first, { updateKeys: [encodeMultikey(key.publicKey)] }))
    expect(node.registry.ownIdentities()).toMatchObject([{ version: 2, index: 7 }])
  })

  it('are superseded once the network shows a recovery of them', async () => {
    const first = await published()
    await node.registry.publishKid(next(first, { alsoKnownAs: ['https://thief.example'] }))
    await other.registry.publishKid(next(first, { alsoKnownAs: ['https://owner.example'] }, recovery))
    expect(node.registry.ownIdentities()).toMatchObject([{ state: 'active' }])
    await node.registry.resolveIdentity(first.id)
    expect(node.registry.ownIdentities()).toMatchObject([{ version: 2, state: 'superseded' }])
  })

  it('stay listed where a record of another is damaged, which is set aside', async () => {
    const first = await published()
    node.store.put(keys.ownIdentity('did:chronym:zDamaged'), Uint8Array.of(1))
    expect(node.registry.ownIdentities()).toMatchObject([{ did: first.id }])
    expect(node.store.get(keys.ownIdentity('did:chronym:zDamaged'))).toBeUndefined()
  })
})
