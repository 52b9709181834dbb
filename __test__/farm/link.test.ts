import { expect, it, onTestFinished } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { FARM_TIMES, openLink } from '../../src/farm/link.ts'
import { temporary } from '../temporary.ts'

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
