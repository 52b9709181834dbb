import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/config.ts'
import { configuredDns } from '../../src/config/dns.ts'
import { createDns } from '../../src/daemon/create-dns.ts'
import { keepKeyedHost, readKeyedHosts } from '../../src/daemon/keyed-hosts.ts'
import { Lifecycle } from '../../src/daemon/lifecycle.ts'
import { removeAuthority, writeAuthority } from '../../src/data-directory/https-authority.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { openStore } from '../../src/store/open.ts'
import type { OpenedStore } from '../../src/store/types.ts'
import { createLogger } from '../../src/log.ts'
import { addon } from '../../src/native/addon.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { serializeZone, type Zone } from '../../src/protocol/zone/zone.ts'
import { SeedHolder } from '../../src/registry/seed-holder.ts'
import type { Registry } from '../../src/registry/use-cases.ts'
import { NAME, SmallRegistry, settled } from '../dns/scene.ts'
import { createWorld } from '../api/helpers/world.ts'
import { waitFor } from '../wait-for.ts'

const profile = builtInProfiles.local
const seed = (): Uint8Array => new Uint8Array(32).fill(7)

let paths: DataPaths
let life: Lifecycle
let store: OpenedStore
beforeEach(() => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'chronym-create-dns-')))
  life = new Lifecycle(() => undefined)
  store = openStore(paths.database)
})
afterEach(async () => {
  await life.stop()
  store.close()
  rmSync(paths.root, { recursive: true })
})

function makeAuthority(of: Uint8Array, tld: string = profile.tld): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ format: 'der', type: 'pkcs8' })
  writeAuthority(paths, of, { key, certificate: addon().authorityCertificate(key, tld, 1_800_000_000) })
}

/** Whether the proxy has the key of the authority. */
async function start(holder: SeedHolder): Promise<() => boolean | undefined> {
  const dns = await startDns(holder, new SmallRegistry())
  return () => dns.resolver.view().https?.ready
}

async function startDns(
  holder: SeedHolder,
  registry: SmallRegistry,
  tld: string = profile.tld
): Promise<ReturnType<typeof createDns>> {
  const https = { enabled: true, listen: '127.0.0.1:0', allow_private: [NAME] }
  const config = { dns: { listen: ['127.0.0.1:0'] }, https }
  const dns = createDns({
    settings: configuredDns(checkConfig(config, 'test')),
    profile: { ...profile, tld },
    registry: registry as unknown as Registry,
    seed: holder,
    store,
    paths,
    now: () => Date.now(),
    log: createLogger('silent')
  })
  await dns.start(createWorld().services, life)
  return dns
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

it('takes the authority that is made later, and loses the one that is taken back', async () => {
  const dns = await startDns(new SeedHolder(seed()), new SmallRegistry())
  const isReady = () => dns.resolver.view().https?.ready
  expect(isReady()).toBe(false)
  makeAuthority(seed())
  await waitFor(() => expect(isReady()).toBe(true))
  removeAuthority(paths)
  await waitFor(() => expect(isReady()).toBe(false))
  const taken = { address: '127.0.0.1', port: dns.resolver.view().https!.port, allowPrivate: [], localPorts: null }
  dns.setProxy(undefined)
  expect(dns.resolver.view().https).toBeNull()
  const other = createServer().listen(taken.port, taken.address)
  await once(other, 'listening')
  expect(() => dns.setProxy(taken)).toThrow(expect.objectContaining({ code: 'SVC-CFG-001' }))
  other.close()
})

it('has no https for a zone of no built-in network before its user made an authority for it', async () => {
  const proxy = { address: '127.0.0.1', port: 0, allowPrivate: [], localPorts: null }
  for (const planted of [undefined, 'chronym', 'net']) {
    if (planted !== undefined) makeAuthority(seed(), planted)
    const dns = await startDns(new SeedHolder(seed()), new SmallRegistry(), 'com')
    expect(dns.resolver.view().https).toBeNull()
    expect(() => dns.setProxy(proxy)).toThrow(/chronym https setup --zone com/u)
    expect(() => dns.setProxy(undefined)).not.toThrow()
  }
  makeAuthority(seed(), 'com')
  const dns = await startDns(new SeedHolder(seed()), new SmallRegistry(), 'com')
  expect(dns.resolver.view().https).toMatchObject({ ready: true })
})

it('says that https needs the DNS server', () => {
  const parts = { settings: undefined, profile, registry: new SmallRegistry() as unknown as Registry }
  const rest = { seed: new SeedHolder(undefined), store, paths, now: () => 0, log: createLogger('silent') }
  const dns = createDns({ ...parts, ...rest })
  dns.setProxy(undefined)
  expect(() => dns.setProxy({ address: '127.0.0.1', port: 0, allowPrivate: [], localPorts: null })).toThrow(
    'https needs the DNS server'
  )
})

it('remembers over a restart that a name had a key', async () => {
  const registry = new SmallRegistry()
  const look = (isPinFirm: boolean, records: object): void => {
    const found = settled('127.0.0.1')
    if (!('resolved' in found)) throw new Error('not settled')
    const zone = { records: { '@': [{ type: 'A', value: '127.0.0.1' }], ...records } } as Zone
    const payload = serializeZone(zone, 1, profile)
    const { resolved } = found
    registry.names.set(NAME, {
      ...found,
      isPinFirm,
      resolved: { ...resolved, reveal: { ...resolved.reveal, payload } }
    })
  }
  const plain = async (): Promise<string> => {
    const { resolver } = await startDns(new SeedHolder(undefined), registry)
    const socket = connect(resolver.view().https!.port, '127.0.0.1')
    // Nobody listens on port 1 of it.
    socket.write(`GET http://${NAME}:1/ HTTP/1.1\r\n\r\n`)
    return text(socket)
  }
  look(true, { '_443._tcp': [{ type: 'TLSA', value: `3 1 1 ${'07'.repeat(32)}` }] })
  expect(await plain()).toContain('is served by https alone')
  await waitFor(() => expect(readKeyedHosts(store)).toHaveLength(1))
  await life.stop()
  store.close()
  store = openStore(paths.database)
  expect(readKeyedHosts(store)).toEqual([{ host: NAME, noneSince: null }])
  look(false, {})
  expect(await plain()).toContain('is served by https alone')
  look(true, {})
  expect(await plain()).toContain('is served by https alone')
  await waitFor(() => expect(readKeyedHosts(store)[0]?.noneSince).toBeGreaterThan(1_700_000_000))
  keepKeyedHost(store, NAME, undefined)
  expect(readKeyedHosts(store)).toEqual([])
  expect(await plain()).toContain(`${NAME} cannot be reached`)
})

it('forgets by hand that a name had a key, while it runs', async () => {
  const other = 'bob.chronym'
  for (const host of [NAME, other]) keepKeyedHost(store, host, host === NAME ? null : 1_800_000_000)
  const { resolver } = await startDns(new SeedHolder(undefined), new SmallRegistry())
  const plain = (host: string): Promise<string> => {
    const socket = connect(resolver.view().https!.port, '127.0.0.1')
    socket.write(`GET http://${host}:1/ HTTP/1.1\r\n\r\n`)
    return text(socket)
  }
  expect(resolver.keyedHosts()).toEqual([
    { host: NAME, none_since: null },
    { host: other, none_since: '2027-01-15T08:00:00.000Z' }
  ])
  expect(resolver.forgetKeyed('carol.chronym')).toBe(false)
  expect(resolver.forgetKeyed(NAME.toUpperCase())).toBe(true)
  expect(resolver.keyedHosts()).toHaveLength(1)
  const title = async (host: string) => /<h1>(.*?)<\/h1>/u.exec(await plain(host))?.[1]
  await waitFor(async () => expect(await title(NAME)).not.toContain('is served by https alone'))
  expect(resolver.keyedHosts()).toHaveLength(1)
})
