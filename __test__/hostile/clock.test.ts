/** The wall clock of the whole process, its Rust too, jumps while the daemon works, and over a restart. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstLine, runBeacon } from '../../scripts/program.ts'
import { ProblemError, type Client } from '../../src/api/client/client.ts'
import type { Daemon } from '../e2e/processes.ts'
import { waitFor } from '../wait-for.ts'
import { ALICE, clientOf, HostileDisk, look, publish, register } from './scene.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

let disk: HostileDisk
let daemon: Daemon
let client: Client
let address = 1
/** Of a machine whose clock is right: that of `local` itself follows the daemon's clock, and names end by it. */
let beacon: string
beforeAll(async () => {
  disk = new HostileDisk()
  beacon = (await firstLine<{ url: string }>(disk.scene.child(runBeacon()))).url
  daemon = await disk.daemon('--beacon-url', beacon)
  client = clientOf(daemon)
  await register(client, ALICE)
})
afterAll(() => disk.scene.end())

it.each([
  ['ahead by a day', DAY],
  ['ahead by a year', 365 * DAY],
  ['back by an hour', -HOUR],
  ['back by a day', -DAY],
  ['back by a year', -365 * DAY]
])('%s: answers, refuses in plain words, and all is there afterwards', async (_what, shift) => {
  const before = await look(client)
  for (const isRestarted of [false, true]) {
    disk.set('shift_s', shift)
    if (isRestarted) {
      await daemon.signal('SIGKILL')
      daemon = await disk.daemon('--beacon-url', beacon)
      client = clientOf(daemon)
    }
    const refusal = await publish(client, ALICE, `192.0.2.${++address}`).catch(
      (error: unknown) => error as ProblemError
    )
    if (refusal !== undefined) expect(refusal.code).toMatch(/^SVC-(BCN|PUB|RES|REQ)-/)
    expect(Object.keys(await look(client))).toEqual(expect.arrayContaining(Object.keys(before)))
    disk.set('shift_s', 0)
    await waitFor(async () => expect((await client.names())[0]).toMatchObject({ name: ALICE, state: 'live' }))
  }
  expect(daemon.logText()).not.toContain('SVC-INT-001')
})
