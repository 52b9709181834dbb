/** Workers of several owners, each in an account of a real nats-server, as docs/operate/farm.md sets it up. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { NatsServer } from '../../scripts/nats-server.ts'
import { checkConfig } from '../../src/config/config.ts'
import { createFarm, type WholeFarm } from '../../src/daemon/create-farm.ts'
import { Places } from '../../src/evaluations/places.ts'
import { FarmAccounts } from '../../src/farm/accounts.ts'
import { Farm } from '../../src/farm/farm.ts'
import { FARM_TIMES, type FarmTimes, type Link, openLink } from '../../src/farm/link.ts'
import { encodeAlive, farmNetwork, jobOf } from '../../src/farm/messages.ts'
import { readState, saveAccepted, saveProof, saveStart } from '../../src/farm/saved-state.ts'
import { createLogger } from '../../src/log.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import type { NativePool } from '../../src/native/types.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { silentLog } from '../registry/claims/fakes.ts'
import { temporary } from '../temporary.ts'
import { waitFor } from '../wait-for.ts'
import { computationOf, evaluationWith, planOf, proofOf } from './processes.ts'
import { FEW, HALF, SteppedPool } from './stepped-pool.ts'
import { startWorker } from './workers.ts'

const TIMES: FarmTimes = { reportMs: 100, silentMs: 1000, lookMs: 200, homeMs: 1500 }
const PROFILE = builtInProfiles.local
const NETWORK = farmNetwork(profileHash(PROFILE))
/** More than end within a test. */
const ENDLESS = 10 ** 9

const keys = temporary()
/** Of daemons alone, as `vdf.farm_credentials` names it. */
const folder = join(keys, 'daemon')
const ends: (() => Promise<unknown>)[] = []
let server: NatsServer
let pool: NativePool

const address = (file: string) => ({ url: server.url, credentials: join(keys, file), ca: '', network: NETWORK })

/** What the page says, with keys of this test. */
function accountsOfThePage(): string {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/operate/farm.md'), 'utf8')
  const [block = ''] = /^accounts \{\n[\s\S]*?^\}\n/mu.exec(page) ?? []
  return block.replaceAll(/U\.\.\.(DAEMON|WORKER)-(\w+)/gu, (_text, side: string, account: string) => {
    const key = nkeys.createUser()
    const directory = side === 'DAEMON' ? folder : keys
    writeFileSync(join(directory, `${account.toLowerCase()}.nk`), Buffer.from(key.getSeed()))
    return key.getPublicKey()
  })
}

function worker(account: string, name: string, times = TIMES, itsPool?: SteppedPool): () => Promise<void> {
  const { drain } = startWorker(address(`${account}.nk`), name, times, itsPool)
  ends.push(drain)
  return drain
}

async function started<T extends WholeFarm>(farm: T): Promise<T> {
  await farm.start()
  ends.push(() => farm.close())
  return farm
}

function farmOf(account: string, times = TIMES): Farm {
  return new Farm({ address: address(`daemon/${account}.nk`), account, pool, log: silentLog, times })
}

/** As a daemon runs it, which has no slot of its own. */
function daemonsTask(farm: WholeFarm, seed: number) {
  const plan = planOf(seed, FEW)
  const resumed: number[] = []
  const said: string[] = []
  const say = (fields: object, message: string): void => {
    said.push(`${message} ${(fields as { reason?: string }).reason ?? ''}`)
    if (message.endsWith('resumes from a checkpoint')) resumed.push((fields as { squarings: number }).squarings)
  }
  const evaluation = evaluationWith({
    directory: temporary(),
    places: new Places(new SteppedPool(), farm, () => 0),
    checkpointSeconds: 0.05,
    log: { info: say, warn: say, error: say }
  })
  return { plan, resumed, said, evaluation, running: proofOf(evaluation, plan) }
}

const hasRoom = (farm: WholeFarm, room = 1): Promise<void> => waitFor(() => expect(farm.room()).toBe(room), 10)

beforeAll(async () => {
  mkdirSync(folder)
  const settings = join(keys, 'nats.conf')
  writeFileSync(settings, accountsOfThePage())
  server = await NatsServer.started(temporary(), ['--config', settings])
  pool = createNativePool({ evaluationThreads: 1, auxiliaryThreads: 1 })
})

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

afterAll(async () => {
  await pool.close()
  await server.kill()
})

/** All that a worker could do to a job, whose numbers it has guessed, by subjects that the server takes. */
async function intrude(link: Link, job: string): Promise<{ readonly isRead: boolean }> {
  const { connection, names } = link
  const isRead = (await readState(link, job)) !== undefined
  // Whatever the consumer's own number and the time are, the message is meant.
  for (const end of ['+ACK', '+TERM']) connection.publish(`$JS.ACK.${names.queue}.workers.1.1.1.1.0`, end)
  await link.put(`${job}.state`, new Uint8Array(1))
  await saveProof(link, job, { proof: new Uint8Array(300), worker: 'intruder' })
  connection.publish(names.stop(job), 'discard')
  await connection.flush()
  return { isRead }
}

describe('a farm of several accounts', () => {
  it('lets no worker read, acknowledge or overwrite what the worker of another account has', async () => {
    const farm = await started(
      (await createFarm({
        settings: checkConfig({ vdf: { farm: server.url, farm_credentials: folder } }, 'test').vdf,
        profile: PROFILE,
        pool,
        log: createLogger('silent')
      }))!
    )
    worker('alice', 'w1', FARM_TIMES)
    await hasRoom(farm)
    const computation = computationOf(planOf(1, ENDLESS))
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 0.05 }, () => undefined)!
    await waitFor(() => expect(handle.progress().worker).toBe('alice/w1'))
    const job = jobOf(computation)
    const [own, alice] = [await openLink(address('own.nk'), TIMES), await openLink(address('alice.nk'), TIMES)]
    ends.push(
      () => own.close(),
      () => alice.close()
    )
    const seen: string[] = []
    own.connection.subscribe('>', { callback: (_error, { subject }) => void seen.push(subject) })

    expect(await intrude(own, job)).toEqual({ isRead: false })
    const { squarings } = (await readState(alice, job))!
    await waitFor(async () => expect((await readState(alice, job))!.squarings).toBeGreaterThan(squarings))
    expect(await alice.hasWork(job)).toBe(true)
    expect(farm.view().wrong_proofs).toBe(0)
    expect(seen.filter((subject) => subject.includes('.at.') || subject.endsWith('.alive'))).toEqual([])

    // Within an account it is otherwise.
    expect(await intrude(alice, job)).toEqual({ isRead: true })
    await waitFor(async () => expect(await alice.hasWork(job)).toBe(false))
    handle.stop(true)
    await handle.outcome
  })

  it('lets no worker say what the daemon has accepted', async () => {
    const [daemon, alice] = [
      await openLink(address('daemon/alice.nk'), TIMES),
      await openLink(address('alice.nk'), TIMES)
    ]
    ends.push(
      () => daemon.close(),
      () => alice.close()
    )
    const state = { records: 0, state: new Uint8Array(0), tail: new Uint8Array(0), worker: '' }
    await saveAccepted(daemon, 'job', { ...state, squarings: 1 })
    await expect(saveAccepted(alice, 'job', { ...state, squarings: 2 })).rejects.toThrow(/permissions/iu)
    expect(await readState(alice, 'job', 'accepted')).toMatchObject({ squarings: 1 })
  })

  it('goes on in another account from what the daemon has, when the workers of one are gone', async () => {
    const farm = await started(new FarmAccounts([farmOf('own'), farmOf('alice')]))
    const drain = worker('alice', 'w1', TIMES, new SteppedPool(HALF))
    await hasRoom(farm)
    const { evaluation, running, resumed, plan } = daemonsTask(farm, 2)
    await waitFor(() => expect(evaluation.progress()?.squarings).toBeGreaterThan(0), 10)
    expect(evaluation.progress()!.worker).toBe('alice/w1')
    await drain()
    worker('own', 'w2')
    const proof = await running
    expect(await pool.verifyProof({ ...computationOf(plan), proof })).toBe(true)
    expect(resumed.at(-1)).toBeGreaterThan(0)
    // The account that had it last has the proof until it is forgotten.
    expect(await farm.holds(computationOf(plan))).toBe(true)
    farm.forget(computationOf(plan))
    await waitFor(async () => expect(await farm.holds(computationOf(plan))).toBe(false))
  })

  it('takes up what is furthest, where two accounts have some of it', async () => {
    const computation = computationOf(planOf(6))
    const job = jobOf(computation)
    const reached = { own: 0, alice: 5000 }
    for (const [account, squarings] of Object.entries(reached)) {
      const link = await openLink(address(`daemon/${account}.nk`), TIMES)
      await saveStart(link, job, { state: new Uint8Array(1), squarings, intermediates: new Uint8Array(0) })
      await link.close()
    }
    const [own, alice] = [farmOf('own'), farmOf('alice')]
    const farm = await started(new FarmAccounts([own, alice]))
    expect([await own.reached(computation), await alice.reached(computation)]).toEqual([0, 5000])
    expect(await farm.holds(computation)).toBe(true)
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)!
    expect([own.view().tasks, alice.view().tasks]).toEqual([0, 1])
    handle.stop(true)
    await handle.outcome
    farm.forget(computation)
  })

  it('does not go where an account had some of it, once that is gone', async () => {
    const computation = computationOf(planOf(8))
    const patient = { ...TIMES, homeMs: 120_000 }
    const [own, alice] = [farmOf('own', patient), farmOf('alice', patient)]
    const farm = await started(new FarmAccounts([own, alice]))
    await waitFor(() => expect([own, alice].every((account) => account.view().connected)).toBe(true))
    own.room = () => 1
    let isThere = true
    alice.reached = () => Promise.resolve(isThere ? 5000 : undefined)
    expect(await farm.holds(computation)).toBe(true)
    isThere = false
    expect(await farm.holds(computation)).toBe(false)
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)!
    expect([own.view().tasks, alice.view().tasks]).toEqual([1, 0])
    handle.stop(true)
    await handle.outcome
    farm.forget(computation)
  })

  it('leaves an account whose workers say that they are idle and take nothing', async () => {
    const farm = await started(new FarmAccounts([farmOf('own'), farmOf('alice', { ...TIMES, silentMs: 200 })]))
    const boaster = await openLink(address('alice.nk'), TIMES)
    const alive = { worker: 'b', threads: 8, busy: 0, squaringsPerSecond: 0, leaving: false }
    const telling = setInterval(
      () => boaster.connection.publish(boaster.names.alive, encodeAlive(alive)),
      TIMES.reportMs
    )
    ends.push(() => {
      clearInterval(telling)
      return boaster.close()
    })
    worker('own', 'w2')
    await hasRoom(farm, 9)
    const { running, said, plan } = daemonsTask(farm, 4)
    expect(await pool.verifyProof({ ...computationOf(plan), proof: await running })).toBe(true)
    expect(said.join()).toContain('idle workers do not take it')
  })

  it('gives an account no more work once three of its workers have lied', async () => {
    const [own, alice] = [farmOf('own'), farmOf('alice')]
    const farm = await started(new FarmAccounts([own, alice]))
    worker('alice', 'w1')
    await hasRoom(farm)
    const barred = ['alice/a', 'alice/b']
    const view = alice.view.bind(alice)
    let views = 0
    alice.view = () => {
      views++
      return { ...view(), barred }
    }
    alice.liars = () => barred.length
    const computation = computationOf(planOf(3))
    expect([farm.room(), farm.accepts(computation), farm.isAtWork(computation)]).toEqual([1, true, false])
    // They are asked for each task that waits, and a view is of each worker.
    expect(views).toBe(0)
    const handle = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)!
    await waitFor(() => expect(handle.progress().worker).toBe('alice/w1'))
    handle.stop(true)
    await handle.outcome
    barred.push('alice/c')
    expect(farm.room()).toBe(0)
    expect(farm.view()).toMatchObject({ connected: true, barred })
    // The other one has no worker, but takes it.
    const waiting = farm.evaluate({ ...computation, checkpointSeconds: 10 }, () => undefined)!
    expect([own.view().tasks, alice.view().tasks]).toEqual([1, 0])
    waiting.stop(true)
    await waiting.outcome
  })

  it('has what is moved there wait in an account whose workers can be reached', async () => {
    const [own, alice] = [farmOf('own'), farmOf('alice')]
    const farm = await started(new FarmAccounts([own, alice]))
    worker('alice', 'w1')
    await hasRoom(farm)
    await waitFor(() => expect([own.isThere(), farm.isThere()]).toEqual([false, true]))
    const begin = (seed: number) =>
      farm.evaluate({ ...computationOf(planOf(seed, ENDLESS)), checkpointSeconds: 10 }, () => undefined)!
    const first = begin(4)
    await waitFor(() => expect(first.progress().worker).toBe('alice/w1'))
    const second = begin(5)
    expect([own.view().tasks, alice.view().tasks]).toEqual([0, 2])
    for (const handle of [first, second]) handle.stop(true)
    await Promise.all([first.outcome, second.outcome])
  })

  it('needs a file for each account', async () => {
    const settings = checkConfig({ vdf: { farm: server.url, farm_credentials: temporary() } }, 'test').vdf
    await expect(createFarm({ settings, profile: PROFILE, pool, log: createLogger('silent') })).rejects.toMatchObject({
      code: 'SVC-CFG-001',
      message: expect.stringContaining('put one in for each account') as string
    })
  })
})
