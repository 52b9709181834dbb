/**
 * The use cases on real parts: kernel, pool, development beacon, libp2p on loopback, database; only the work is small.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createBeaconClient } from '../../src/beacon/client.ts'
import { startDevBeacon } from '../../src/beacon/dev-beacon.ts'
import type { BeaconServer } from '../../src/beacon/server.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { createNetwork, type OpenableNetwork } from '../../src/network/network.ts'
import { DEV_BEACON_CHAIN, builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { keyPairFromSeed, type KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import {
  buildGenesis,
  buildNextVersion,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../src/protocol/identity/document.ts'
import { verifyIdentityLog } from '../../src/protocol/identity/log.ts'
import { signManifest } from '../../src/protocol/identity/manifest.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createClaimSteps } from '../../src/registry/claims/steps.ts'
import type { Registry } from '../../src/registry/use-cases.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import { createRoundClock, systemClock as clock } from '../../src/time/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { createTaskManager } from '../../src/registry/claims/tasks.ts'
import { silentLog } from './claims/fakes.ts'
import { createContext } from '../../src/registry/context.ts'

/** Counts the logs that are verified on the event loop: threads load modules of their own. */
vi.mock('../../src/protocol/identity/log.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../src/protocol/identity/log.ts')>()
  return { ...real, verifyIdentityLog: vi.fn(real.verifyIdentityLog) }
})

const profile = parseProfile({
  ...builtInProfiles.local,
  discriminant_bits: 512,
  stamp_bits: 4,
  difficulty: { base: 20_000, by_length: [{ from: 1, factor: 1 }] }
})

interface RealNode {
  readonly registry: Registry
  readonly network: OpenableNetwork
  readonly address: string
  /** Peers that a look-up can begin with; a connection alone is not enough. */
  knownPeers(): number
  stop(): Promise<void>
}

let dataDir: string
let beaconServer: BeaconServer
let pool: NativePool
const nodes: RealNode[] = []

async function startNode(seed: number, bootstrap: readonly string[]): Promise<RealNode> {
  const directory = join(dataDir, String(seed))
  const masterSeed = new Uint8Array(32).fill(seed)
  const nodeSeed = new Uint8Array(32).fill(100 + seed)
  const store = openStore(join(directory, 'chronym.db'))
  const beacon = createBeaconClient({ chain: DEV_BEACON_CHAIN, urls: [beaconServer.url], pool })
  const log = pino({ level: 'silent' })
  const roundClock = createRoundClock(beacon, profile, store, () => clock.now())
  const network = createNetwork({
    profile,
    store,
    nodeSeed,
    beacon,
    pool,
    clock: roundClock,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    bootstrap,
    mode: 'full',
    log
  })
  const dependencies = {
    profile,
    store,
    network,
    beacon,
    pool,
    seed: new SeedHolder(masterSeed),
    clock,
    roundClock,
    log: silentLog,
    random: () => 0
  }
  const options = { maxTasks: 1, queue: 10, checkpointSeconds: 10 }
  const context = createContext(dependencies)
  const tasks = createTaskManager({
    store,
    dataDir: directory,
    pool,
    seed: dependencies.seed,
    steps: createClaimSteps(context),
    options,
    clock,
    certainMs: () => 0,
    log: silentLog
  })
  const registry = createRegistry(context, tasks)
  const firstPulse = new Promise((resolve) => beacon.on('pulse', resolve))
  beacon.start()
  await network.start()
  await tasks.start()
  await registry.start()
  await firstPulse
  const node: RealNode = {
    registry,
    network,
    address: network.addresses()[0]!.address,
    knownPeers: () => network.knownPeers(),
    async stop() {
      await registry.stop()
      await tasks.stop()
      await network.stop()
      beacon.stop()
      store.close()
    }
  }
  nodes.push(node)
  return node
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chronym-real-registry-'))
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
  beaconServer = await startDevBeacon({ host: '127.0.0.1', port: 0, profileBeacon: DEV_BEACON_CHAIN })
})

afterAll(async () => {
  for (const node of nodes.reverse()) await node.stop()
  await beaconServer.close()
  await pool.close()
  await rm(dataDir, { recursive: true, force: true })
})

describe('nodes on real parts', () => {
  it('publish, recover and resolve identities, of whose logs none is verified on the event loop', async () => {
    const first = await startNode(1, [])
    const second = await startNode(2, [first.address])
    await expect.poll(() => Math.min(first.knownPeers(), second.knownPeers())).toBe(1)
    const [update, recovery, assertion] = [1, 2, 3].map((byte) => keyPairFromSeed(new Uint8Array(32).fill(byte))) as [
      KeyPair,
      KeyPair,
      KeyPair
    ]
    const created = new Date().toISOString()
    const next = (former: IdentityDocument, changes: IdentityChanges, key: KeyPair) =>
      signIdentityDocument(buildNextVersion(former, changes), key, created, profile)
    const unsigned = buildGenesis(
      { keys: [assertion.publicKey], updateKeys: [update.publicKey], recoveryKeys: [recovery.publicKey] },
      profile
    )
    const genesis = signIdentityDocument(unsigned, update, created, profile)
    const recovered = next(genesis, { alsoKnownAs: ['https://owner.example/'] }, recovery)
    const validity = { validFrom: created, validUntil: new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString() }
    const manifest = signManifest(
      { id: genesis.id, kid_version: 2, version: 1, capabilities: [], ...validity },
      unsigned.verificationMethod[0]!.id,
      assertion.secretKey,
      created,
      profile
    )

    expect(await first.registry.publishKid(genesis)).toMatchObject({ version: 1, stored_by: 2 })
    expect(
      await first.registry.publishKid(next(genesis, { alsoKnownAs: ['https://thief.example/'] }, update))
    ).toMatchObject({ version: 2, stored_by: 2 })
    expect(await second.registry.publishKid(recovered)).toMatchObject({ version: 2, stored_by: 2 })
    expect(await second.registry.publishManifest(manifest)).toMatchObject({ version: 1, stored_by: 2 })
    expect(await first.registry.resolveIdentity(genesis.id)).toEqual({
      kid_document: recovered,
      manifest_document: manifest,
      manifest_answered: true
    })
    expect(vi.mocked(verifyIdentityLog)).not.toHaveBeenCalled()
  })
})
