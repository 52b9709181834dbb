import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/config.ts'
import { configuredDns } from '../../src/config/dns.ts'
import { createDns } from '../../src/daemon/create-dns.ts'
import { Lifecycle } from '../../src/daemon/lifecycle.ts'
import { writeAuthority } from '../../src/data-directory/https-authority.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { createLogger } from '../../src/log.ts'
import { addon } from '../../src/native/addon.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import type { Registry } from '../../src/registry/use-cases.ts'
import { SmallRegistry } from '../dns/scene.ts'
import { createWorld } from '../api/helpers/world.ts'

const profile = builtInProfiles.local
const seed = (): Uint8Array => new Uint8Array(32).fill(7)

let paths: DataPaths
let life: Lifecycle
beforeEach(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'chronym-create-dns-')))
  life = new Lifecycle(() => undefined)
})
afterEach(async () => {
  await life.stop()
  rmSync(paths.root, { recursive: true })
})

function makeAuthority(of: Uint8Array): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'der', type: 'pkcs8' })
  writeAuthority(paths, of, { key, certificate: addon().authorityCertificate(key, profile.tld, 1_800_000_000) })
}

/** Whether the proxy has the key of the authority. */
async function start(holder: SeedHolder): Promise<() => boolean | undefined> {
  const config = { dns: { listen: ['127.0.0.1:0'] }, https: { enabled: true, listen: '127.0.0.1:0' } }
  const dns = createDns({
    settings: configuredDns(checkConfig(config, 'test')),
    profile,
    registry: new SmallRegistry() as unknown as Registry,
    seed: holder,
    paths,
    now: () => Date.now(),
    log: createLogger('silent')
  })
  await dns.start(createWorld().services, life)
  return () => dns.resolver.view().https?.ready
}

it('has the key of the authority while the seed is unlocked, and forgets it with the seed', async () => {
  makeAuthority(seed())
  const holder = new SeedHolder(undefined)
  const isReady = await start(holder)
  expect(isReady()).toBe(false)
  holder.unlock(seed())
  expect(isReady()).toBe(true)
  holder.lock()
  expect(isReady()).toBe(false)
  holder.unlock(seed())
  expect(isReady()).toBe(true)
})

it('serves DNS where there is no authority, or one of another seed', async () => {
  expect((await start(new SeedHolder(seed())))()).toBe(false)
  makeAuthority(new Uint8Array(32).fill(8))
  expect((await start(new SeedHolder(seed())))()).toBe(false)
})
