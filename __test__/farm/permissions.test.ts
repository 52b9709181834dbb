/** Keys that a real nats-server lets hear less than a farm needs: daemon and worker say what is missing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { afterEach, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { Farm } from '../../src/farm/farm.ts'
import { type FarmTimes, openLink } from '../../src/farm/link.ts'
import { runWorker } from '../../src/farm/worker.ts'
import { FakePool, silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { planOf } from './processes.ts'

const NETWORK = 'permissions'
const TIMES: FarmTimes = { reportMs: 100, silentMs: 60_000, lookMs: 200, homeMs: 120_000 }
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Where a key is, that may do all but hear this; and what was said. */
async function deniedTo(subject: string) {
  const directory = temporary()
  const key = nkeys.createUser()
  const credentials = join(directory, 'key.nk')
  writeFileSync(credentials, Buffer.from(key.getSeed()), { mode: 0o600 })
  const settings = join(directory, 'nats.conf')
  const user = `{ nkey: ${key.getPublicKey()}, permissions: { publish: ">", subscribe: { deny: "${subject}" } } }`
  writeFileSync(settings, `authorization { users: [ ${user} ] }\n`)
  const server = await NatsServer.started(temporary(), ['--config', settings])
  ends.push(() => server.kill())
  const said: string[] = []
  const warn = (_fields: object, message: string): void => void said.push(message)
  return { address: { url: server.url, credentials, ca: '', network: NETWORK }, said, log: { ...silentLog, warn } }
}

const pool = { verifyProof: () => Promise.reject(new Error('there is none')) }

it('a daemon that may not hear its workers says so', async () => {
  const { address, said, log } = await deniedTo('chronym.*.alive')
  const farm = new Farm({ address, pool, log, times: TIMES })
  ends.push(() => farm.close())
  await farm.start()
  await waitFor(() =>
    expect(said).toEqual([
      'the key of the daemon may not hear its workers: at the server, let it subscribe to chronym.>'
    ])
  )
})

it('a daemon that may not hear what they reach says so', async () => {
  const { address, said, log } = await deniedTo('chronym.*.at.*')
  const farm = new Farm({ address, pool, log, times: TIMES })
  ends.push(() => farm.close())
  await farm.start()
  const handle = farm.evaluate(planOf(1), { checkpointSeconds: 1 }, () => undefined)
  await waitFor(() => expect(said.join()).toContain('the daemon may not hear what its workers reach'))
  handle.stop(true)
  await handle.outcome
})

it('a worker that may not hear when to stop says so', async () => {
  const { address, said, log } = await deniedTo('chronym.*.stop.*')
  const abort = new AbortController()
  const fake = new FakePool()
  const done = runWorker({ address, pool: fake, threads: 1, name: 'w1', log, times: TIMES }, abort.signal)
  ends.push(() => {
    abort.abort()
    return done
  })
  const link = await openLink(address, TIMES)
  ends.push(() => link.close())
  const farm = new Farm({ address, pool, log: silentLog, times: TIMES })
  ends.push(() => farm.close())
  await farm.start()
  const handle = farm.evaluate(planOf(1), { checkpointSeconds: 1 }, () => undefined)
  await waitFor(() => expect(said.join()).toContain('the worker may not hear when to stop'))
  await waitFor(() => expect(fake.evaluations).toHaveLength(1))
  fake.evaluations[0]!.stop()
  handle.stop(true)
  await handle.outcome
})
