/**
 * The demo: a name is earned, published and resolved in a network of three daemons, each a process of its own, on this
 * machine alone. Exit code 0 only when every step held. `npm run demo` sets everything up first.
 */
import { isDeepStrictEqual } from 'node:util'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ZoneBody } from '../src/api/client/client.ts'
import { bindToName } from '../src/cli/identity/create.ts'
import { createIdentity } from '../src/protocol/identity/seed.ts'
import { makeManifest } from '../src/cli/identity/manifest.ts'
import { count as formatCount } from '../src/util/words.ts'
import { formatDuration } from '../src/cli/terminal/format.ts'
import { progressOf } from '../src/cli/task/task.ts'
import { wordsToSeed } from '../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../src/protocol/profile/built-in.ts'
import { startBeacon, startNode, until, untilConnected, type Node } from './demo/network.ts'
import { Processes } from './demo/processes.ts'
import { Stage } from './demo/stage.ts'

const NAME = 'alice.chronym'
const ZONE: ZoneBody = {
  records: {
    '@': [
      { type: 'A', value: '192.0.2.1', ttl: 300 },
      { type: 'AAAA', value: '2001:db8::1', ttl: 300 },
      { type: 'TXT', value: '"hello from alice"', ttl: 300 }
    ],
    www: [{ type: 'CNAME', value: '@', ttl: 300 }]
  }
}
const STEPS = 8
/** Other nodes must see what was published within this time. */
const PROPAGATION_TIMEOUT_MS = 60_000
const MANIFEST_DAYS = 365
const EXIT_INTERRUPTED = 130

const profile = builtInProfiles.local
const directory = mkdtempSync(join(tmpdir(), 'chronym-demo-'))
const processes = new Processes(directory)
const stage = new Stage(STEPS)

/** Ends the demo when a claim does not hold. */
function check(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`this does not hold: ${claim}`)
  stage.show(`✓ ${claim}`)
}

async function startNetwork(): Promise<[Node, Node, Node]> {
  const beaconUrl = await stage.step(
    'Start a randomness beacon',
    'Every second it publishes a number that nobody could know before. Each claim to a name is tied to one, ' +
      'so nobody can compute ahead. This one is for development; the real network uses drand.',
    async () => {
      const url = await startBeacon(processes)
      stage.show(`the beacon answers at ${url}`)
      return url
    }
  )
  return stage.step(
    'Start three daemons',
    'Three processes with their own data, keys and ports: a small peer-to-peer network. ' +
      'The second and third join through the address of the first, and find the rest by themselves.',
    async () => {
      const first = await startNode(processes, 'daemon-1', directory, beaconUrl, [])
      const [second, third] = await Promise.all(
        ['daemon-2', 'daemon-3'].map((name) => startNode(processes, name, directory, beaconUrl, first.addresses))
      )
      const nodes: [Node, Node, Node] = [first, second!, third!]
      await untilConnected(nodes)
      for (const [index, { client }] of nodes.entries()) {
        const { peers, peer_id: peerId } = await client.networkStatus()
        stage.show(`daemon ${index + 1}: API ${client.baseUrl}, peer ${peerId.slice(-8)}, ${peers} peers`)
      }
      return nodes
    }
  )
}

async function register({ client }: Node): Promise<void> {
  const { iterations } = await client.estimate(NAME)
  await stage.step(
    `Earn ${NAME} at daemon 1`,
    'Names are paid for with time. First comes a sealed commitment to the peers, ' +
      `then ${formatCount(iterations)} squarings one after the other, which no number of machines can shorten. ` +
      'Then comes the reveal, with a proof that anybody checks in milliseconds. ' +
      'On the real network a long name takes half an hour of one core.',
    async () => {
      const { task_id: taskId } = await client.register(NAME)
      let phase = ''
      for await (const { task } of client.taskEvents(taskId)) {
        if (task.phase !== phase && task.phase !== 'done') stage.show(`phase: ${task.phase}`)
        phase = task.phase
        if (phase === 'evaluate' || phase === 'prove') stage.progress(progressOf(task, undefined))
        if (task.status === 'failed')
          throw new Error(`the task failed: ${task.error?.code ?? ''} ${task.error?.message ?? ''}`)
      }
      const task = await client.task(taskId)
      check(
        task.status === 'completed' && task.progress === iterations,
        `${formatCount(task.progress)} squarings computed, proved and published`
      )
      check((await client.ownedNames()).includes(NAME), `daemon 1 owns ${NAME}`)
    }
  )
}

async function publishZone({ client }: Node): Promise<void> {
  await stage.step(
    `Publish DNS records for ${NAME}`,
    'The zone is saved locally, then signed with the key of the name and sent to the peers that keep it: ' +
      'an A, an AAAA, a TXT record and an alias for www.',
    async () => {
      await client.saveZone(NAME, ZONE)
      const { serial, stored_by: storedBy, of } = await client.publishZone(NAME)
      check(storedBy > 0, `serial ${serial} is held by ${storedBy} of ${of} peers asked`)
    }
  )
}

async function publishIdentity({ client, dataDir }: Node): Promise<string> {
  return stage.step(
    'Publish an identity and what it offers',
    'An identity document (a W3C DID) lists public keys and is bound to the name. ' +
      'A capability manifest, signed by one of those keys, says which services it offers.',
    async () => {
      const seed = wordsToSeed(readFileSync(join(dataDir, 'seed-words'), 'utf8'))
      const document = createIdentity(
        seed,
        { index: 0, services: [], alsoKnownAs: [] },
        new Date().toISOString(),
        profile
      )
      const signature = bindToName(seed, await client.resolve(NAME), document.id, profile)
      const kid = await client.publishKid({ document, name: NAME, name_signature: signature })
      check(kid.did === document.id, `identity ${kid.did} is held by ${kid.stored_by} of ${kid.of} peers asked`)
      const draft = {
        capabilities: [
          { id: 'files', type: 'file-transfer', protocol: 'https', endpoint: 'https://files.example/alice' }
        ]
      }
      const manifest = makeManifest(seed, draft, await client.resolveKid(kid.did), MANIFEST_DAYS, Date.now(), profile)
      const published = await client.publishManifest({ manifest })
      check(published.did === kid.did, `its manifest is held by ${published.stored_by} of ${published.of} peers asked`)
      return kid.did
    }
  )
}

async function resolveElsewhere(owner: Node, other: Node, did: string): Promise<void> {
  const theirs = other.client
  await stage.step(
    'Resolve the name at daemon 3',
    'Daemon 3 knows nothing of this name. It asks the peers, and checks signature, beacon pulse and proof ' +
      'of every answer by itself. It must find what daemon 1 published.',
    async () => {
      const expected = await owner.client.resolve(NAME)
      await until('daemon 3 resolves the name as published', PROPAGATION_TIMEOUT_MS, async () =>
        isDeepStrictEqual(await theirs.resolve(NAME), expected) ? true : undefined
      )
      check(
        true,
        `daemon 3 finds the same record, signature and proof of ${formatCount(expected.iterations)} squarings`
      )
    }
  )
  await stage.step(
    'Read the zone at daemon 3',
    'The records that a browser or mail server would ask for.',
    async () => {
      const { zone, source } = await theirs.zone(NAME)
      check(source === 'network', 'the answer comes from the network')
      check(isDeepStrictEqual(zone.records, ZONE.records), 'all four records are as published')
      for (const [label, records] of Object.entries(zone.records))
        for (const { type, value } of records) stage.show(`  ${label.padEnd(4)} ${type.padEnd(6)} ${value}`)
    }
  )
  await stage.step('Resolve the identity at daemon 3', 'Who is behind the name, and what do they offer?', async () => {
    const expected = await owner.client.resolveKid(did)
    const found = await until('daemon 3 resolves the identity as published', PROPAGATION_TIMEOUT_MS, async () => {
      const identity = await theirs.resolveKid(did)
      return isDeepStrictEqual(identity, expected) && identity.manifest_document['version'] !== undefined
        ? identity
        : undefined
    })
    check(found.kid_document.id === did, 'the document is as published')
    check(found.manifest_document.capabilities.length === 1, 'the manifest is as published')
  })
}

/** Fails unless every process ended cleanly. */
async function stopAll(): Promise<void> {
  const complaints = await processes.stop()
  if (complaints.length > 0) throw new Error(complaints.join('; '))
  stage.say('\nAll four processes stopped cleanly.')
}

function reportFailure(error: unknown): void {
  stage.fail(`\nFailed at: ${stage.title}`)
  for (let each = error; each instanceof Error; each = each.cause) stage.fail(`  ${each.message}`)
  for (const { name, logFile, lines } of processes.logTails())
    stage.say(`\n--- end of ${logFile} (${name})\n${lines.join('\n')}`)
  stage.say(`\nThe logs and data are kept in ${directory}`)
}

const interrupted = { by: '' }
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (interrupted.by !== '') return
    interrupted.by = signal
    stage.end('\nInterrupted; stopping the daemons.')
    void processes.stop().then(() => {
      rmSync(directory, { recursive: true, force: true })
      process.exit(EXIT_INTERRUPTED)
    })
  })
}
process.on('exit', () => processes.kill())

try {
  stage.say('Chronym demo: a name earned by time, published and resolved among three daemons on this machine.')
  const [first, , third] = await startNetwork()
  await register(first)
  await publishZone(first)
  const did = await publishIdentity(first)
  await resolveElsewhere(first, third, did)
  await stopAll()
  rmSync(directory, { recursive: true, force: true })
  stage.say(
    `Every step held, in ${formatDuration(stage.elapsedSeconds)}.\n\n` +
      'Your turn: npm start, then in another terminal: npm run chronym -- register yourname.chronym'
  )
} catch (error) {
  if (interrupted.by === '') {
    reportFailure(error)
    for (const complaint of await processes.stop()) stage.fail(`  ${complaint}`)
    process.exitCode = 1
  }
}
