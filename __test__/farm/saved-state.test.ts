/** What a worker saves at a real nats-server, when that loses its disk. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { FARM_TIMES, type Link, openLink } from '../../src/farm/link.ts'
import {
  Overtaken,
  readRecords,
  readState,
  RECORD_BYTES,
  saveStart,
  SEGMENT_RECORDS,
  StateWriter
} from '../../src/farm/saved-state.ts'
import type { Checkpoint } from '../../src/native/types.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'

let server: NatsServer
let link: Link

beforeAll(async () => {
  server = await NatsServer.started(temporary())
  link = await openLink({ url: server.url, credentials: '', ca: '', network: 'saved' }, FARM_TIMES)
})

afterAll(async () => {
  await link.close()
  await server.kill()
})

/** All of the same squarings, so that they can be told apart. */
const recordsUpTo = (segments: number): Buffer =>
  Buffer.concat(Array.from({ length: segments }, (_, index) => Buffer.alloc(SEGMENT_RECORDS * RECORD_BYTES, index + 1)))

/** The segments after the first `from`, up to `to`. */
const checkpoint = (from: number, to: number): Checkpoint => ({
  squarings: to * 1000,
  state: Uint8Array.of(to),
  appended: recordsUpTo(to).subarray(from * SEGMENT_RECORDS * RECORD_BYTES),
  appendedFrom: from * SEGMENT_RECORDS
})

/** A worker that has saved this number of segments since the daemon sent `job`. */
async function leader(job: string, segments: number): Promise<StateWriter> {
  await saveStart(link, job, undefined)
  const writer = new StateWriter(link, job, 'w1', await readState(link, job))
  await writer.save([checkpoint(0, segments)])
  return writer
}

async function loseDisk(): Promise<void> {
  await server.kill()
  await waitFor(() => expect(link.connected).toBe(false), 10)
  server.wipeDisk()
  await server.start()
  await waitFor(() => expect(link.connected).toBe(true), 10)
}

it('saves again what the server lost and the daemon never had', async () => {
  const writer = await leader('a', 16)
  await loseDisk()
  await saveStart(link, 'a', undefined)
  // It forgets none of the 16 before a state is saved again.
  await writer.save([checkpoint(16, 18)])
  const state = await readState(link, 'a')
  expect(state).toMatchObject({ squarings: 18_000, worker: 'w1' })
  const { records } = await readRecords(link, 'a', state!)
  expect(Buffer.compare(records, recordsUpTo(18))).toBe(0)
})

it('knows its state from another one that has the same revision since the server lost its disk', async () => {
  const writer = await leader('c', 3)
  const { revision } = (await readState(link, 'c'))!
  await loseDisk()
  for (let filler = 1; filler < revision; filler++) await link.put('filler', Uint8Array.of(filler))
  await saveStart(link, 'c', undefined)
  expect(await readState(link, 'c')).toMatchObject({ revision, squarings: 0 })
  await writer.save([checkpoint(3, 4)])
  const { records } = await readRecords(link, 'c', (await readState(link, 'c'))!)
  expect(Buffer.compare(records, recordsUpTo(4))).toBe(0)
})

it('is overtaken where it has not kept what the server lost', async () => {
  const writer = await leader('b', 17)
  await loseDisk()
  await saveStart(link, 'b', undefined)
  await expect(writer.save([checkpoint(17, 18)])).rejects.toThrow(Overtaken)
  expect(await readState(link, 'b')).toMatchObject({ squarings: 0, worker: '' })
})
