/** Two nodes of one network, and the identities that they publish. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import type { ServiceError } from '../../../src/errors.ts'
import { keyPairFromSeed } from '../../../src/protocol/crypto/ed25519.ts'
import { buildGenesis, signIdentityDocument, type IdentityDocument } from '../../../src/protocol/identity/document.ts'
import { signManifest, type Manifest, type UnsignedManifest } from '../../../src/protocol/identity/manifest.ts'
import { temporary } from '../../temporary.ts'
import { ManualClock } from '../../time/manual-clock.ts'
import { FakeWorld } from '../fake-world.ts'
import { profile } from '../test-profile.ts'
import { startNode, type TestNode } from '../test-node.ts'

export const CREATED = '2026-01-01T00:00:00Z'

export const [update, recovery, assertion, stranger] = [1, 2, 3, 4].map((byte) =>
  keyPairFromSeed(new Uint8Array(32).fill(byte))
)

export let clock: ManualClock
export let world: FakeWorld
export let node: TestNode
export let other: TestNode

export function genesis(): IdentityDocument {
  const parts = { keys: [assertion!.publicKey], updateKeys: [update!.publicKey], recoveryKeys: [recovery!.publicKey] }
  return signIdentityDocument(buildGenesis(parts, profile), update!, CREATED, profile)
}

export function manifest(
  document: IdentityDocument,
  changes: Partial<UnsignedManifest> = {},
  key = assertion!
): Manifest {
  const unsigned: UnsignedManifest = {
    id: document.id,
    kid_version: document.version,
    version: 1,
    capabilities: [{ id: 'files', type: 'storage', protocol: 'https', endpoint: 'https://files.example.org/' }],
    validFrom: '2025-12-01T00:00:00Z',
    validUntil: '2026-06-01T00:00:00Z',
    ...changes
  }
  return signManifest(unsigned, document.verificationMethod[0]!.id, key.secretKey, CREATED, profile)
}

/** A first version, published here. */
export async function published(): Promise<IdentityDocument> {
  const document = genesis()
  await node.registry.publishKid(document)
  return document
}

export async function failure(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error as ServiceError
  )
}

beforeEach(async () => {
  const dataDir = temporary()
  clock = new ManualClock()
  world = new FakeWorld(clock, 5)
  node = await startNode({ world, clock, dataDir: join(dataDir, 'a'), self: 'peer-0', seed: 1 })
  other = await startNode({ world, clock, dataDir: join(dataDir, 'b'), self: 'peer-1', seed: 2 })
})

afterEach(() => Promise.all([node.close(), other.close()]))
