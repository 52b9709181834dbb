/** What a daemon remembers of checkpoints that it has accepted: the real kernel judges, a real nats-server keeps it. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { Accepted } from '../../src/farm/accepted.ts'
import { FARM_TIMES, type Link, openLink } from '../../src/farm/link.ts'
import { readState, RECORD_BYTES, type SavedState, SEGMENT_RECORDS, tailBytes } from '../../src/farm/saved-state.ts'
import { addon } from '../../src/native/addon.ts'
import type { CheckpointQuestion, EvaluationRequest, NativePool } from '../../src/native/types.ts'
import { unwrap } from '../../src/native/worker/requests.ts'
import { auditCheckpoint } from '../../src/native/worker/worker.ts'
import { temporary } from '../temporary.ts'
import { computationOf, planOf } from './processes.ts'

/** A form is stored every nine squarings: the third checkpoint has more of them than a segment. */
const REQUEST = {
  ...{ ...computationOf(planOf(1, 20_000)), bits: 256 },
  ...{ checkpointSeconds: 1, memoryBytes: 1 << 22 }
}
const SQUARINGS = [0, 5000, 12_000, 19_000, 19_900]

let server: NatsServer
let link: Link
/** On this thread: that of a pool yields to all else. */
const pool: Pick<NativePool, 'auditCheckpoint'> = {
  auditCheckpoint: (question) =>
    Promise.resolve(unwrap(auditCheckpoint({ ...question, stop: new SharedArrayBuffer(4) })) ?? undefined)
}
/** What a worker saves at {@link SQUARINGS}, and all records. */
let saved: SavedState[]
let records: Uint8Array
let jobs = 0

beforeAll(async () => {
  server = await NatsServer.started(temporary())
  link = await openLink({ url: server.url, credentials: '', ca: '', network: 'accepted' }, FARM_TIMES)
  const { Discriminant, Evaluation } = addon()
  const { seed, bits, iterations, memoryBytes } = REQUEST
  const evaluation = new Evaluation(Discriminant.fromSeed(seed, bits), null, iterations, null, memoryBytes)
  saved = SQUARINGS.map((squarings) => {
    evaluation.advance(squarings - evaluation.squarings(), new Uint32Array(1))
    const count = evaluation.intermediateCount()
    // Nothing here reads the tail that the worker saves with it.
    return { squarings, records: count, state: evaluation.state(), tail: new Uint8Array(0), worker: 'w1', revision: 0 }
  })
  records = evaluation.intermediates(0)
  expect(saved[2]!.records).toBeLessThan(SEGMENT_RECORDS)
  expect(saved[3]!.records).toBeGreaterThan(SEGMENT_RECORDS)
})

afterAll(async () => {
  await link.close()
  await server.kill()
})

const recordsOf = (from: number, to: number): Uint8Array =>
  Uint8Array.from(records.subarray(from * RECORD_BYTES, to * RECORD_BYTES))

/** From the checkpoint with this index on; 0: from the start. */
async function acceptedFrom(index: number): Promise<Accepted> {
  const { state, squarings, records: count } = saved[index]!
  const resume: EvaluationRequest['resume'] = { state, squarings, intermediates: recordsOf(0, count) }
  return Accepted.of(index === 0 ? undefined : resume)
}

const added = (before: number, index: number): Uint8Array => recordsOf(saved[before]!.records, saved[index]!.records)

it.each([0, 1, 3])('accepts one after the other from checkpoint %d on, and marks each whole', async (start) => {
  const accepted = await acceptedFrom(start)
  const job = `job${jobs++}`
  for (let index = start + 1; index < saved.length; index++) {
    const { state, squarings, records: count } = saved[index]!
    expect(await accepted.accept(pool, REQUEST, saved[index]!, added(index - 1, index))).toEqual(state)
    await accepted.mark(link, job)
    const tail = recordsOf(count - tailBytes(count) / RECORD_BYTES, count)
    expect(await readState(link, job, 'accepted')).toMatchObject({ squarings, records: count, state, tail, worker: '' })
  }
})

it.each([1, 3])('marks checkpoint %d, from which it began', async (start) => {
  const job = `job${jobs++}`
  await (await acceptedFrom(start)).mark(link, job)
  const { state, squarings, records: count } = saved[start]!
  const tail = recordsOf(count - tailBytes(count) / RECORD_BYTES, count)
  expect(await readState(link, job, 'accepted')).toMatchObject({ squarings, records: count, state, tail })
})

it('is what it was after a wrong one, and says nothing twice', async () => {
  const accepted = await acceptedFrom(0)
  const job = `job${jobs++}`
  await accepted.mark(link, job)
  const start = await readState(link, job, 'accepted')
  expect(start).toMatchObject({ squarings: 0, records: 0, state: new Uint8Array(0), tail: new Uint8Array(0) })
  const wrong = added(0, 1)
  wrong.copyWithin(0, RECORD_BYTES, 2 * RECORD_BYTES)
  expect(await accepted.accept(pool, REQUEST, saved[1]!, wrong)).toBeUndefined()
  await accepted.mark(link, job)
  expect(await readState(link, job, 'accepted')).toEqual(start)
  expect(await accepted.accept(pool, REQUEST, saved[1]!, added(0, 1))).toEqual(saved[1]!.state)
  await accepted.mark(link, job)
  const { revision } = (await readState(link, job, 'accepted'))!
  await accepted.mark(link, job)
  expect((await readState(link, job, 'accepted'))!.revision).toBe(revision)
})

it('hashes all that was accepted, however much', async () => {
  const intermediates = new Uint8Array(2 ** 23 + RECORD_BYTES).map((_byte, index) => index % 251)
  const accepted = await Accepted.of({ state: Uint8Array.of(1), squarings: 1, intermediates })
  const asked: CheckpointQuestion[] = []
  const auditCheckpoint = (question: CheckpointQuestion): Promise<undefined> => {
    asked.push(question)
    return Promise.resolve(undefined)
  }
  const more = new Uint8Array(RECORD_BYTES).fill(7)
  await accepted.accept({ auditCheckpoint }, REQUEST, saved[1]!, more)
  const recordsDigest = createHash('sha256').update(intermediates).update(more).digest()
  expect(asked).toMatchObject([{ accepted: Uint8Array.of(1), added: more, recordsDigest }])
})
