/** Workers that are not trusted: what counts of their checkpoints, on a real nats-server and the real kernel. */
import { createHash } from 'node:crypto'
import { encode } from 'cborg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import type { PlaceHandle } from '../../src/evaluations/places.ts'
import { Farm } from '../../src/farm/farm.ts'
import { type FarmTimes, type Link, openLink } from '../../src/farm/link.ts'
import { decodeJob, encodeAlive, encodeReport, FARM_VERSION, jobOf } from '../../src/farm/messages.ts'
import {
  RECORD_BYTES,
  readBase,
  readRecords,
  readState,
  type SavedState,
  StateWriter
} from '../../src/farm/saved-state.ts'
import { addon, type Evaluation } from '../../src/native/addon.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { Checkpoint, EvaluationRequest, NativePool } from '../../src/native/types.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { computationOf, planOf, WorkerProcess } from './processes.ts'
import { FEW } from './stepped-pool.ts'
import { startWorker, type StartedWorker } from './workers.ts'

/** Never done before its test stops it. */
const ENDLESS = 10 ** 9
const MEMORY_BYTES = 1 << 16
const SOON_MS = 1
const LATE_MS = 3_600_000
const TIMES: FarmTimes = { reportMs: 100, silentMs: 60_000, lookMs: 200, homeMs: 120_000 }

let server: NatsServer
let pool: NativePool
let network: string
let networks = 0
const ends: (() => Promise<unknown>)[] = []

const address = () => ({ url: server.url, credentials: '', ca: '', network })

async function farmOf(verifyMs: number, times = TIMES): Promise<Farm> {
  const farm = new Farm({ address: address(), pool, log: silentLog, verifyMs, times })
  await farm.start()
  ends.push(() => farm.close())
  return farm
}

async function linked(): Promise<Link> {
  const link = await openLink(address(), TIMES)
  ends.push(() => link.close())
  return link
}

function worker(name: string): StartedWorker {
  const started = startWorker(address(), name, TIMES)
  ends.push(started.drain)
  return started
}

interface Begun {
  readonly job: string
  readonly handle: PlaceHandle
  /** What the daemon keeps: all accepted. */
  readonly kept: Checkpoint[]
}

function begin(farm: Farm, seed: number, { iterations = ENDLESS, resume }: Partial<EvaluationRequest> = {}): Begun {
  const computation = computationOf(planOf(seed, iterations))
  const kept: Checkpoint[] = []
  const request = { ...computation, checkpointSeconds: 0.05, memoryBytes: MEMORY_BYTES, ...(resume && { resume }) }
  const handle = farm.evaluate(request, (checkpoint) => kept.push(checkpoint))
  ends.push(async () => {
    handle.stop(true)
    await handle.outcome
  })
  return { job: jobOf(computation), handle, kept }
}

/** What another place goes on from. */
function resumeOf(kept: readonly Checkpoint[]): NonNullable<EvaluationRequest['resume']> {
  const { state, squarings } = kept.at(-1)!
  return { state, squarings, intermediates: Buffer.concat(kept.map(({ appended }) => appended)) }
}

/** Says that it is idle. */
async function boaster(name: string): Promise<Link> {
  const link = await linked()
  const alive = encodeAlive({ worker: name, threads: 1, busy: 0, squaringsPerSecond: 0, leaving: false })
  const telling = setInterval(() => link.connection.publish(link.names.alive, alive), TIMES.reportMs)
  ends.push(() => {
    clearInterval(telling)
    return Promise.resolve()
  })
  return link
}

/** Squares on from what there is, for as many squarings. */
async function squared(link: Link, job: string, seed: number, squarings: number): Promise<[SavedState, Evaluation]> {
  const base = (await readBase(link, job, true))!
  const { seed: bytes, bits } = computationOf(planOf(seed))
  const { Discriminant, Evaluation } = addon()
  const discriminant = Discriminant.fromSeed(bytes, bits)
  const evaluation =
    base.state.length === 0
      ? new Evaluation(discriminant, null, ENDLESS, null, MEMORY_BYTES)
      : Evaluation.resume(discriminant, base.state, (await readRecords(link, job, base)).records)
  evaluation.advance(squarings, new Uint32Array(1))
  return [base, evaluation]
}

async function save(
  link: Link,
  job: string,
  name: string,
  base: SavedState,
  evaluation: Evaluation,
  state: Uint8Array
) {
  const appendedFrom = base.records
  const appended = evaluation.intermediates(appendedFrom)
  const writer = new StateWriter(link, job, name, base)
  await writer.save([{ state, appended, appendedFrom, squarings: evaluation.squarings() }])
}

/** A state with another form than the one squared, under a right hash (crates/vdf/src/evaluation/checkpoint.rs). */
function withWrongForm(state: Uint8Array): Uint8Array {
  const body = Uint8Array.from(state.subarray(0, -32))
  const x = 6 + body[5]! + 16
  body.copyWithin(x + RECORD_BYTES + 8, x, x + RECORD_BYTES)
  return Buffer.concat([body, createHash('sha256').update(body).digest()])
}

beforeAll(async () => {
  server = await NatsServer.started(temporary())
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})

beforeEach(() => {
  network = `accepted${networks++}`
})

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

afterAll(async () => {
  await pool.close()
  await server.kill()
})

const hasRoom = (farm: Farm): Promise<void> => waitFor(() => expect(farm.room()).toBe(1), 10)
const isKept = ({ kept }: Begun): Promise<void> => waitFor(() => expect(kept.length).toBeGreaterThan(1), 20)

describe('an evaluation whose workers are not trusted', () => {
  it('is proved by one that squares', async () => {
    const farm = await farmOf(SOON_MS)
    worker('w1')
    await hasRoom(farm)
    const iterations = FEW
    const { handle } = begin(farm, 1, { iterations })
    const outcome = await handle.outcome
    expect(outcome).toMatchObject({ kind: 'proof' })
    const question = { ...computationOf(planOf(1, iterations)), ...(outcome as { proof: Uint8Array }) }
    expect(await pool.verifyProof(question)).toBe(true)
    expect(farm.view().wrong_proofs).toBe(0)
  })

  it('ends the loss and the blame at the last accepted checkpoint', async () => {
    const farm = await farmOf(SOON_MS)
    const first = worker('w1')
    await hasRoom(farm)
    const begun = begin(farm, 2)
    await isKept(begun)
    await first.drain()
    const link = await boaster('liar')
    await waitFor(async () => {
      const newest = (await readState(link, begun.job))!
      expect((await readState(link, begun.job, 'accepted'))!.squarings).toBe(newest.squarings)
    }, 10)
    const [base, evaluation] = await squared(link, begun.job, 2, 3000)
    await save(link, begun.job, 'liar', base, evaluation, withWrongForm(evaluation.state()))
    expect(await begun.handle.outcome).toEqual({
      kind: 'left',
      reason: 'worker liar: its checkpoint is wrong',
      isWrong: false
    })
    expect(farm.view()).toMatchObject({ wrong_proofs: 1, barred: ['liar'] })
    expect(begun.kept.at(-1)!.squarings).toBe(base.squarings)
    await waitFor(async () => expect(await readState(link, begun.job)).toBeUndefined(), 10)
    const next = worker('w2')
    begin(farm, 2, { resume: resumeOf(begun.kept) })
    await waitFor(() => expect(next.begun).toEqual([base.squarings]), 10)
  })

  it('takes as honest what is right, and no squarings that a worker only tells', async () => {
    const farm = await farmOf(SOON_MS)
    const link = await boaster('w1')
    await hasRoom(farm)
    const begun = begin(farm, 3)
    await waitFor(async () => expect(await readState(link, begun.job)).toBeDefined())
    const [base, evaluation] = await squared(link, begun.job, 3, 3000)
    await save(link, begun.job, 'w1', base, evaluation, evaluation.state())
    await waitFor(() => expect(begun.kept.map(({ squarings }) => squarings)).toEqual([3000]))
    const further = (await readState(link, begun.job))!
    const writer = new StateWriter(link, begun.job, 'w1', further)
    const nothing = { appended: new Uint8Array(0), appendedFrom: further.records }
    await writer.save([{ ...nothing, state: evaluation.state(), squarings: 4000 }])
    expect(await begun.handle.outcome).toMatchObject({ reason: 'worker w1: its checkpoint is wrong' })
    expect(begun.kept).toHaveLength(1)
  })

  it('is followed from what was accepted, not from what another worker saved', async () => {
    const farm = await farmOf(LATE_MS)
    const link = await boaster('liar')
    await hasRoom(farm)
    const { job } = begin(farm, 4)
    await waitFor(async () => expect(await link.hasWork(job)).toBe(true))
    const [base, evaluation] = await squared(link, job, 4, 3000)
    farm.leave()
    await farm.close()
    await save(link, job, 'liar', base, evaluation, withWrongForm(evaluation.state()))
    const follower = worker('w1')
    await waitFor(() => expect(follower.begun).toEqual([0]), 10)
    await waitFor(async () => expect(await readState(link, job)).toMatchObject({ worker: 'w1' }), 10)
  })

  it('has accepted what a worker saved that died, before another goes on', async () => {
    const times = { ...TIMES, silentMs: 1000 }
    const farm = await farmOf(LATE_MS, times)
    const first = new WorkerProcess({ url: server.url, network, name: 'w1', times, heldAt: null })
    ends.push(() => first.kill())
    await hasRoom(farm)
    const begun = begin(farm, 5)
    const link = await linked()
    const saved = await waitFor(async () => {
      const state = (await readState(link, begun.job))!
      expect(state.squarings).toBeGreaterThan(0)
      return state.squarings
    }, 20)
    await first.kill()
    const accepted = await waitFor(async () => {
      const { squarings } = (await readState(link, begun.job, 'accepted'))!
      expect(squarings).toBeGreaterThanOrEqual(saved)
      return squarings
    }, 20)
    const second = worker('w2')
    await waitFor(() => expect(second.begun).toHaveLength(1), 20)
    expect(second.begun[0]).toBeGreaterThanOrEqual(accepted)
    expect(begun.kept.at(-1)!.squarings).toBeGreaterThanOrEqual(accepted)
  })

  it('leaves one that says it squares and saves nothing', async () => {
    const farm = await farmOf(SOON_MS, { ...TIMES, reportMs: 1000, homeMs: 1500 })
    const link = await boaster('mute')
    await hasRoom(farm)
    const { job, handle } = begin(farm, 6)
    const said = {
      worker: 'mute',
      phase: 'squaring',
      squarings: 5,
      phaseProgress: 0,
      remaining: 9,
      squaringsPerSecond: 1
    }
    const report = encodeReport({ ...said, phase: 'squaring', saved: 0 })
    const telling = setInterval(() => link.connection.publish(link.names.at(job), report), 20)
    ends.push(() => {
      clearInterval(telling)
      return Promise.resolve()
    })
    expect(await handle.outcome).toMatchObject({ reason: 'worker mute: it saves nothing that counts', isWrong: false })
    expect(farm.view().barred).toEqual([])
  })
})

it('is asked of workers in a message that those who go on from anything leave to others', () => {
  const { seed, bits, iterations, split } = computationOf(planOf(1))
  const job = { seed, bits, iterations, split, checkpointSeconds: 1, isVerified: true }
  expect(decodeJob(encode({ version: FARM_VERSION, ...job, more: 1 }))).toEqual(job)
  expect(decodeJob(encode({ version: 1, ...job }))).toBeUndefined()
})
