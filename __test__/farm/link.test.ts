import { jetstreamManager } from '@nats-io/jetstream'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OWN_HOST } from '../../scripts/loopback.ts'
import { NatsServer } from '../../scripts/nats-server.ts'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { FARM_TIMES, openLink } from '../../src/farm/link.ts'
import { temporary } from '../temporary.ts'

it('a farm raises replicas where there are fewer, and leaves more as they are', async () => {
  const server = await NatsServer.started(temporary())
  onTestFinished(() => server.kill())
  const address = { url: server.url, credentials: '', ca: '', network: 'replicas' }
  await expect(openLink({ ...address, replicas: 3 }, FARM_TIMES)).rejects.toThrow(/replicas > 1 not supported/u)
  /** What there are then. */
  const after = async (replicas?: number): Promise<number[]> => {
    const link = await openLink({ ...address, ...(replicas !== undefined && { replicas }) }, FARM_TIMES)
    const { streams } = await jetstreamManager(link.connection)
    const names = [link.names.queue, `KV_${link.names.bucket}`]
    const found = await Promise.all(names.map(async (name) => (await streams.info(name)).config.num_replicas))
    await link.close()
    return found
  }
  // This server takes the number for streams that it has, and keeps them alone.
  expect([await after(), await after(3), await after(1), await after()]).toEqual([
    [1, 1],
    [3, 3],
    [3, 3],
    [3, 3]
  ])
})

it('a farm is reached by any of several URLs', async () => {
  const server = await NatsServer.started(temporary())
  onTestFinished(() => server.kill())
  // Nothing listens at the first.
  const url = `nats://127.0.0.1:1,${server.url}`
  await (await openLink({ url, credentials: '', ca: '', network: 'several' }, FARM_TIMES)).close()
})

it('a farm at an IP address is known by a certificate for that address alone', async () => {
  needPackages(['openssl'])
  const open = async (subject: string): Promise<string> => {
    const directory = temporary()
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    const made = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=farm'
    ]
    const names = ['-addext', `subjectAltName=${subject}`, '-keyout', key, '-out', cert]
    execFileSync(programOf('openssl'), ['req', '-x509', ...made, ...names], { stdio: 'ignore' })
    const server = await NatsServer.started(temporary(), ['--tls', '--tlscert', cert, '--tlskey', key])
    onTestFinished(() => server.kill())
    const url = server.url.replace('nats:', 'tls:')
    await (await openLink({ url, credentials: '', ca: cert, network: 'tls' }, FARM_TIMES)).close()
    return url
  }
  expect(await open(`IP:${OWN_HOST}`)).toContain(OWN_HOST)
  await expect(open('DNS:localhost')).rejects.toThrow(/does not match certificate's altnames/u)
})

it('a farm lets more than 512 threads wait for work at once', async () => {
  const server = await NatsServer.started(temporary())
  onTestFinished(() => server.kill())
  const link = await openLink({ url: server.url, credentials: '', ca: '', network: 'crowd' }, FARM_TIMES)
  const consumer = await link.consumer()
  const waiting = Array.from({ length: 600 }, () => consumer.next({ expires: 30_000 }))
  await link.connection.flush()
  for (let job = 0; job < waiting.length; job++) await link.addWork(String(job), new Uint8Array(1))
  const subjects = new Set((await Promise.all(waiting)).map((message) => message?.subject))
  expect(subjects.size).toBe(waiting.length)
  await link.close()
})
