/**
 * A daemon whose process is stopped: its system still takes connections and questions, and nobody answers. To others it
 * is a peer behind a line that stalls.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, Scene } from './processes.ts'
import { Fleet } from './network/fleet.ts'

const DAEMONS = 6
const ASKER = 0
const STALLED = DAEMONS - 1

const scene = new Scene()
let fleet: Fleet

beforeAll(async () => {
  fleet = await Fleet.create(scene, DAEMONS, new Map())
  await fleet.start(Array.from({ length: DAEMONS }, (_, index) => index))
  // A peer is asked once it has said what it serves.
  await eventually(
    async () => (await fleet.daemon(ASKER).request('GET', '/api/peers')).body as { in_table: boolean }[],
    (peers) => peers.filter(({ in_table }) => in_table).length === DAEMONS - 1
  )
  process.kill(fleet.daemon(STALLED).pid, 'SIGSTOP')
})

afterAll(() => scene.end())

it('is no part of an answer that nobody holds a name, and an explanation names it', async () => {
  const name = 'nowhere.chronym'
  expect(await fleet.resolve(ASKER, name)).toMatchObject({ status: 404, code: 'SVC-RES-002' })
  const { asked } = (await fleet.explain(ASKER, name)) as { asked: unknown }
  expect(asked).toMatchObject({ silent: [{ peer: fleet.daemon(STALLED).summary.peer_id, reason: 'late' }] })
})
