/** What the screenshots show: a small network on this machine, and a daemon with names, an identity and work to do. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, type Client, type ZoneBody } from '../../src/api/client/client.ts'
import { bindToName } from '../../src/cli/identity/create.ts'
import { createIdentity } from '../../src/protocol/identity/seed.ts'
import { makeManifest } from '../../src/cli/identity/manifest.ts'
import { wordsToSeed } from '../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { end, firstLine, runBeacon, runDaemon, type DaemonSummary } from '../program.ts'

const NEIGHBOURS = 4
const POLL_MS = 200
const WAIT_MS = 120_000

/** As `local`, but short names take minutes: their tasks are what is seen at work. */
const profile = {
  ...builtInProfiles.local,
  id: 'demo',
  difficulty: {
    base: 1_000_000,
    by_length: [
      { from: 1, factor: 400 },
      { from: 5, factor: 1 }
    ]
  }
}

const ZONE: ZoneBody = {
  records: {
    '@': [
      { type: 'A', value: '192.0.2.10' },
      { type: 'MX', value: '10 mail.alice.chronym', ttl: 3600 },
      { type: 'TXT', value: 'v=spf1 mx -all' }
    ],
    www: [{ type: 'CNAME', value: '@' }],
    '_443._tcp': [{ type: 'TLSA', value: `3 1 1 ${'5a'.repeat(32)}` }]
  }
}

export interface ShownDaemon {
  readonly url: string
  readonly token: string
  readonly did: string
  stop(): Promise<void>
}

export async function setScene(): Promise<ShownDaemon> {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-screenshots-'))
  const children: ReturnType<typeof runDaemon>[] = []
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) await end(child, 'SIGTERM')
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const network = join(directory, 'network.json')
    writeFileSync(network, JSON.stringify(profile))
    const beacon = runBeacon()
    children.push(beacon)
    const { url: beaconUrl } = await firstLine<{ url: string }>(beacon)
    const start = async (name: string, bootstrap: readonly string[]): Promise<DaemonSummary> => {
      const child = runDaemon([
        ...['--network', network, '--data-dir', join(directory, name), '--beacon-url', beaconUrl],
        ...bootstrap.flatMap((address) => ['--bootstrap', address])
      ])
      children.push(child)
      child.stderr!.resume()
      return firstLine<DaemonSummary>(child)
    }
    const first = await start('neighbour-1', [])
    for (let at = 2; at <= NEIGHBOURS; at++) await start(`neighbour-${at}`, first.addresses)
    const { api_url: url, token_file: tokenFile } = await start('shown', first.addresses)
    const token = readFileSync(tokenFile, 'utf8').trim()
    const client = createClient({ baseUrl: url, token })
    await until(async () => (await client.networkStatus()).peers >= NEIGHBOURS)
    const did = await furnish(client, join(directory, 'shown'))
    return { url, token, did, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Names, an identity, a token, and two tasks that take long. */
async function furnish(client: Client, dataDir: string): Promise<string> {
  for (const name of ['alice.chronym', 'carol.chronym', 'nadia.chronym']) {
    const { task_id: id } = await client.register(name)
    await until(async () => (await client.task(id)).status !== 'running')
  }
  await client.saveZone('alice.chronym', ZONE)
  await client.publishZone('alice.chronym')
  await client.saveZone('carol.chronym', { records: { '@': [{ type: 'AAAA', value: '2001:db8::7' }] } })
  await client.release('nadia.chronym')

  const seed = wordsToSeed(readFileSync(join(dataDir, 'seed-words'), 'utf8'))
  const document = createIdentity(
    seed,
    {
      index: 0,
      services: [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }],
      alsoKnownAs: []
    },
    new Date().toISOString(),
    profile
  )
  const signature = bindToName(seed, await client.resolve('alice.chronym'), document.id, profile)
  await client.publishKid({ document, name: 'alice.chronym', name_signature: signature })
  const capabilities = [
    { id: 'files', type: 'file-transfer', protocol: 'https', endpoint: 'https://files.example/alice' }
  ]
  const resolved = await client.resolveKid(document.id)
  await client.publishManifest({ manifest: makeManifest(seed, { capabilities }, resolved, 365, Date.now(), profile) })

  await client.createToken({ scopes: ['read'], label: 'monitoring' })
  await client.register('bob.chronym')
  await client.register('eve.chronym')
  return document.id
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`the scene was not set within ${WAIT_MS / 1000} s`)
    await delay(POLL_MS)
  }
}
