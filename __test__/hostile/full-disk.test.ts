/** There is no room on the disk from the n-th change on, or for that change alone, for each n. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../scripts/crash/random.ts'
import { ProblemError, type Client } from '../../src/api/client/client.ts'
import { eventually, type Daemon } from '../e2e/processes.ts'
import { ALICE, clientOf, count, HostileDisk, look, publish, register, revive, SEED } from './scene.ts'

/** Of each kind of work; 0: every one. */
const FULL = count('HOSTILE_FULL', 3)
const IN_PLAIN_WORDS = /no space|disk is full|ENOSPC|free (?:some|space)/i
const random = seededRandom(SEED)

let disk: HostileDisk
beforeAll(() => void (disk = new HostileDisk()))
afterAll(() => disk.scene.end())

/** Which change is the first without room: all below `most` in turn, or some. */
function* instants(most: number): Generator<number> {
  if (FULL === 0) for (let nth = 1; nth < most; nth++) yield nth
  else for (let done = 0; done < FULL; done++) yield random.between(1, most)
}

const isReached = (): boolean => disk.get('takers') >= disk.get('full_from')

function expectPlain(said: string, nth: number): void {
  expect(said, `change ${nth}, HOSTILE_SEED=${SEED}`).toMatch(IN_PLAIN_WORDS)
  expect(said).not.toMatch(/\bbug\b|\n {4}at /)
}

it('a first start says so, and the next one with room is a first start or goes on', async () => {
  for (const nth of instants(100)) {
    rmSync(disk.data, { recursive: true, force: true })
    disk.fillAt(nth)
    const failed = await disk.failingStart()
    const wasReached = isReached()
    disk.free()
    if (failed !== 'started') expectPlain(failed, nth)
    const { seen, doctor } = await revive(disk, disk.data)
    expect({ nth, seen, doctor }).toMatchObject({ seen: { sealed: 'false', auto_renew: 'true' }, doctor: [] })
    if (!wasReached) break
  }
})

describe('a running daemon', () => {
  let daemon: Daemon
  let client: Client
  let turn = 0
  afterAll(() => daemon.signal('SIGTERM'))
  beforeAll(async () => {
    rmSync(disk.data, { recursive: true, force: true })
    daemon = await disk.daemon()
    client = clientOf(daemon)
    await register(client, ALICE)
    await publish(client, ALICE, '192.0.2.255')
  })

  const tokenOf = async (): Promise<string> => (await client.tokens()).find(({ label }) => label === 'ci')!.id
  const address = (): string => `192.0.2.${(turn++ % 250) + 1}`
  const acts: [what: string, act: () => Promise<unknown>][] = [
    ['saves a zone', () => client.saveZone(ALICE, { records: { '@': [{ type: 'A', value: address() }] } })],
    ['publishes', () => client.publishZone(ALICE)],
    ['makes a token', () => client.createToken({ scopes: ['read'], label: 'ci' })],
    ['revokes it', async () => client.revokeToken(await tokenOf())],
    ['changes the configuration', () => client.changeConfig({ auto_renew: false })],
    ['takes that back', () => client.unsetConfig('auto_renew')],
    ['looks for a name', () => client.want('carol.chronym')],
    ['looks for it no longer', () => client.unwant('carol.chronym')]
  ]

  it.each(acts)('%s as a whole or not at all', async (what, act) => {
    for (const changes of [Infinity, 1]) {
      // Everything below a number that the act does not reach.
      for (let nth = what === 'publishes' ? random.between(1, 12) : 1; nth < 40; nth++) {
        const before = await look(client)
        disk.fillAt(nth, changes)
        const refusal = await act().then(
          () => undefined,
          (error: unknown) => error as ProblemError
        )
        const wasReached = isReached()
        disk.free()
        // Peers take five changes in a row.
        if (refusal?.code === 'SVC-REQ-005') return
        if (refusal !== undefined) {
          expect(refusal, `change ${nth}`).toBeInstanceOf(ProblemError)
          expect(refusal.code, `change ${nth}: ${refusal.message}`).toBe('SVC-STO-001')
          expect(await look(client)).toEqual(before)
          continue
        }
        // What met the full disk may be another part of the daemon.
        if (changes === Infinity || wasReached) await undo(act)
        if (!wasReached) break
      }
    }
  })

  /** So that the same act can be tried again. */
  async function undo(act: () => Promise<unknown>): Promise<void> {
    const at = acts.findIndex(([, each]) => each === act)
    const partner = acts[at % 2 === 0 ? at + 1 : at - 1]!
    await partner[1]()
  }

  it('has on disk what it shows', async () => {
    const seen = await look(client)
    await daemon.signal('SIGKILL')
    expect(daemon.logText()).not.toContain('SVC-INT-001')
    expect(await revive(disk, disk.data)).toEqual({ seen, doctor: [] })
    daemon = await disk.daemon()
    client = clientOf(daemon)
  })

  it('halts a renewal, which goes on by itself', async () => {
    for (const nth of instants(60)) {
      const left = (await client.names())[0]!.renewal.left
      disk.fillAt(nth)
      const begun = await client.renew(ALICE).catch((error: unknown) => error as ProblemError)
      if (begun instanceof ProblemError) expect(begun.code, `change ${nth}`).toBe('SVC-STO-001')
      else
        await eventually(
          () => client.task(begun.task_id),
          ({ stalled, status }) => status !== 'running' || stalled?.code === 'SVC-STO-001'
        )
      const wasReached = isReached()
      disk.free()
      if (!(begun instanceof ProblemError)) {
        const ended = await eventually(
          () => client.task(begun.task_id),
          ({ status }) => status !== 'running'
        )
        expect(ended, `change ${nth}`).toMatchObject({ status: 'completed', error: null })
        expect((await client.names())[0]!.renewal.left).toBe(left - 1)
      }
      if (!wasReached) break
    }
  })
})

describe.each([
  ['backup', () => ['backup', disk.backup, '--passphrase-file', disk.passphraseFile]],
  ['key passphrase', () => ['key', 'passphrase', '--passphrase-file', disk.passphraseFile]]
])('chronym %s', (_what, args) => {
  it('says so, and leaves what was there', async () => {
    const words = readFileSync(`${disk.data}/seed-words`, 'utf8')
    for (let nth = 1; nth <= 16; nth++) {
      disk.fillAt(nth)
      const ended = await disk.chronym('--data-dir', disk.data, ...args())
      disk.free()
      if (ended.code === 0) break
      expectPlain(ended.stderr, nth)
      expect(existsSync(disk.backup)).toBe(false)
      expect(readFileSync(`${disk.data}/seed-words`, 'utf8')).toBe(words)
    }
    rmSync(disk.backup, { force: true })
  })
})
