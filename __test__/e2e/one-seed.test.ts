/** Two real daemons with one seed, as after a restore beside an original that still runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, expect, it } from 'vitest'
import { cli } from '../cli/harness.ts'
import { acquainted, eventually, register, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const zone = (value: string) => ({ records: { '@': [{ type: 'A', value }] } })
const shown = async (daemon: Daemon): Promise<unknown> => (await daemon.request('GET', '/api/zone/alice.chronym')).body

async function chronym(...args: string[]): Promise<void> {
  const { exitCode, stderr } = await cli(args, { env: {} })
  expect({ exitCode, stderr }, stderr).toMatchObject({ exitCode: 0 })
}

it("the second that publishes is refused before it sends; its next serial is above the first's", async () => {
  const directory = scene.directory()
  const witness = await scene.daemon(['--data-dir', join(directory, 'witness')])
  const beside = ['--bootstrap', witness.address]
  const one = await scene.daemon(['--data-dir', join(directory, 'one'), ...beside])
  await acquainted(one, witness)
  await register(one, 'alice.chronym')

  const secret = await generateX25519Identity()
  const [key, file] = [join(directory, 'key.txt'), join(directory, 'backup.age')]
  writeFileSync(key, `${secret}\n`)
  await chronym('--data-dir', join(directory, 'one'), 'backup', file, '--recipient', await identityToRecipient(secret))
  await chronym('--data-dir', join(directory, 'two'), 'restore', file, '--identity', key, '--yes')
  // A light node holds nothing, so no record that comes to it tells it of the other.
  const two = await scene.daemon(['--data-dir', join(directory, 'two'), '--mode', 'light', ...beside])
  await acquainted(one, two, witness)

  await two.request('POST', '/api/zone/alice.chronym', zone('192.0.2.2'))
  await one.request('POST', '/api/zone/alice.chronym', zone('192.0.2.1'))
  expect(await one.request('POST', '/api/zone/alice.chronym/publish')).toMatchObject({
    status: 200,
    body: { serial: 2 }
  })
  const refusal = await two.request('POST', '/api/zone/alice.chronym/publish')
  expect(refusal.body).toMatchObject({
    code: 'SVC-PUB-001',
    detail: expect.stringContaining('Another daemon has this seed') as string
  })
  expect((await two.request('GET', '/api/names')).body).toMatchObject([
    {
      published_serial: 2,
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'other-daemon' })]) as unknown
    }
  ])
  expect(await shown(witness)).toMatchObject({ serial: 2, ...zone('192.0.2.1') })
  expect(await two.request('POST', '/api/zone/alice.chronym/publish')).toMatchObject({
    status: 200,
    body: { serial: 3 }
  })

  // A thief of the seed jumps as far as time allows. The owner looks, and is above it with the next attempt.
  const jump = (serial: number) => two.request('POST', '/api/zone/alice.chronym', { ...zone('192.0.2.3'), serial })
  const { body: ahead } = await jump(Number.MAX_SAFE_INTEGER)
  expect(ahead).toMatchObject({ code: 'SVC-ZON-002' })
  const highest = Number(/to (\d+)$/.exec((ahead.errors as { message: string }[])[0]!.message)![1])
  expect(await jump(highest)).toMatchObject({ status: 200, body: { serial: highest } })
  const published = (daemon: Daemon) =>
    eventually(
      () => daemon.request('POST', '/api/zone/alice.chronym/publish'),
      ({ status }) => status === 200
    )
  expect(await published(two)).toMatchObject({ body: { serial: highest } })
  await eventually(
    () => one.request('POST', '/api/zone/alice.chronym', zone('192.0.2.4')),
    ({ status }) => status === 200
  )
  expect((await published(one)).body.serial).toBeGreaterThan(highest)
  expect(await shown(witness)).toMatchObject(zone('192.0.2.4'))
})
