/**
 * A farm on three nats-servers of one JetStream cluster, with TLS to and between them and keys, as docs/operate/farm.md
 * sets it up. The server that leads is killed. Takes half a minute, in which those that are left choose another one.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { nkeys } from '@nats-io/transport-node'
import { afterEach, expect, it } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { NatsServer } from '../../scripts/nats-server.ts'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { Farm } from '../../src/farm/farm.ts'
import { type FarmAddress, type FarmTimes, openLink } from '../../src/farm/link.ts'
import { runWorker } from '../../src/farm/worker.ts'
import { planOf } from '../farm/processes.ts'
import { FakePool, silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'

const TIMES: FarmTimes = { reportMs: 500, silentMs: 120_000, lookMs: 500, homeMs: 300_000 }
const NODES = 3
/** Of the first server, for the others; the next ones follow. */
const ROUTE_PORT = 20_056
const MOST_MS = 900_000
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** What another server of the cluster does first; rejects where it is not taken. */
async function joins(certificate: Buffer, key?: Buffer): Promise<void> {
  const own = key === undefined ? {} : { cert: certificate, key }
  const socket = connectTls({ host: OWN_HOST, port: ROUTE_PORT, ca: certificate, ...own })
  await once(socket, 'data')
  socket.destroy()
}

/** Servers by their names, and how to reach them. */
async function startCluster(): Promise<{ servers: Map<string, NatsServer>; address: FarmAddress }> {
  needPackages(['openssl'])
  const directory = temporary()
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  const subject = ['-subj', '/CN=farm', '-addext', `subjectAltName=IP:${OWN_HOST}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync(programOf('openssl'), ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore'
  })
  const user = nkeys.createUser()
  const credentials = join(directory, 'farm.nk')
  writeFileSync(credentials, Buffer.from(user.getSeed()), { mode: 0o600 })
  const hosts = Array.from({ length: NODES }, (_, index) => `${OWN_HOST}:${ROUTE_PORT + index}`)
  const routes = hosts.map((host) => `tls://${host}`).join(', ')
  const started = hosts.map(async (host, index): Promise<[string, NatsServer]> => {
    const settings = join(directory, `n${index}.conf`)
    writeFileSync(
      settings,
      `server_name: n${index}
       tls { cert_file: "${certificate}", key_file: "${key}" }
       authorization { users: [ { nkey: ${user.getPublicKey()} } ] }
       cluster {
         name: farm
         listen: "${host}"
         tls { cert_file: "${certificate}", key_file: "${key}", ca_file: "${certificate}" }
         routes: [ ${routes} ]
       }`
    )
    return [`n${index}`, await NatsServer.started(temporary(), ['--config', settings])]
  })
  const servers = new Map(await Promise.all(started))
  for (const server of servers.values()) ends.push(() => server.kill())
  const authority = readFileSync(certificate)
  await joins(authority, readFileSync(key))
  await expect(joins(authority)).rejects.toThrow(/alert (bad certificate|certificate required)/u)
  const url = [...servers.values()].map((server) => server.url.replace('nats:', 'tls:')).join(',')
  return { servers, address: { url, credentials, ca: certificate, network: 'cluster' } }
}

it('goes on when the server that leads its streams is killed', { timeout: MOST_MS }, async () => {
  const { servers, address } = await startCluster()
  // A worker is there first, and makes them for one server.
  const pools = [new FakePool(), new FakePool()]
  const abort = new AbortController()
  const working = pools.map((pool, index) =>
    runWorker({ address, pool, threads: 1, name: `w${index}`, log: silentLog, times: TIMES }, abort.signal)
  )
  ends.push(() => {
    abort.abort()
    return Promise.all(working)
  })
  const link = await waitFor(() => openLink(address, TIMES))
  ends.push(() => link.close())
  const manager: JetStreamManager = await jetstreamManager(link.connection)
  const streams = [link.names.queue, `KV_${link.names.bucket}`]
  const replicas = (): Promise<number[]> =>
    Promise.all(streams.map(async (name) => (await manager.streams.info(name)).config.num_replicas))
  expect(await replicas()).toEqual([1, 1])

  const pool = { verifyProof: () => Promise.resolve(true) }
  const farm = new Farm({ address: { ...address, replicas: NODES }, pool, log: silentLog, times: TIMES })
  ends.push(() => farm.close())
  await farm.start()
  await waitFor(async () => expect([farm.room(), await replicas()]).toEqual([2, [NODES, NODES]]))
  const kept: number[] = []
  const handle = farm.evaluate(planOf(1), { checkpointSeconds: 1 }, ({ squarings }) => kept.push(squarings))
  const evaluation = await waitFor(() => {
    const [begun] = pools.flatMap(({ evaluations }) => evaluations)
    expect(begun).toBeDefined()
    return begun!
  })
  evaluation.checkpoint(100)
  await waitFor(() => expect(kept).toEqual([100]))

  const leader = await waitFor(async () => {
    const { cluster } = await manager.streams.info(streams[1]!)
    expect(cluster?.replicas?.every(({ current }) => current)).toBe(true)
    return cluster!.leader!
  })
  await servers.get(leader)!.kill()
  await waitFor(() => {
    evaluation.checkpoint(evaluation.progress().squarings + 100)
    expect(kept.length).toBeGreaterThan(1)
  }, 1000)
  evaluation.finish()
  expect(await handle.outcome).toMatchObject({ kind: 'proof' })
  expect(evaluation.stops).toBe(0)
})
