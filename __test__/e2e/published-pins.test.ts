/** One daemon publishes what it knows; a second one follows lists, and takes a bare name at first sight. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { sha256, utf8 } from '../../src/protocol/encoding/bytes.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { readPinList, signPinList } from '../../src/protocol/resolution/pin-list.ts'
import type { FollowedListsView } from '../../src/views/pin.ts'
import { cli } from '../cli/harness.ts'
import { acquainted, cheap, register, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
let page = ''
const server = createServer((_request, response) => response.end(page))
afterAll(async () => {
  server.close()
  await scene.end()
})

const NAME = 'alice.chronym'
const NETWORK = scene.network()
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()

it('is published by one, pinned at first sight by another, contested by a third list, and no list goes back', async () => {
  const root = scene.directory()
  const at = (who: string): string => join(root, who)
  const start = (who: string, ...more: string[]): Promise<Daemon> =>
    scene.daemon(['--network', NETWORK, '--data-dir', at(who), ...more])
  const chronym = async (who: string, ...args: string[]) => cli(['--data-dir', at(who), '--json', ...args], { env: {} })
  const answerOf = async <T>(who: string, ...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await chronym(who, ...args)
    expect(exitCode, stderr).toBe(0)
    return JSON.parse(stdout) as T
  }
  const owner = await start('owner')
  const publisher = await start('publisher', '--bootstrap', owner.address)
  const follower = await start('follower', '--bootstrap', owner.address)
  await acquainted(owner, publisher, follower)
  await register(owner, NAME, { zone: { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } } })
  const { check_code: code } = (await owner.request('GET', `/api/names/${NAME}/keys`)).body as { check_code: string }

  // Two keys, as of two publishers.
  const publish = (index: number) =>
    answerOf<{ serial: number; key: string }>(
      'publisher',
      'pins',
      'publish',
      at(`list-${index}`),
      '--key',
      at(`key-${index}`),
      '--network',
      NETWORK
    )
  const refused = await chronym(
    'publisher',
    'pins',
    'publish',
    at('list-1'),
    '--key',
    at('key-1'),
    '--network',
    NETWORK
  )
  expect(refused.stderr).toContain('no name to publish')
  await answerOf('publisher', 'pins', 'add', NAME, code)
  const first = await publish(1)
  await publish(2)
  expect(readPinList(readFileSync(at('list-1'), 'utf8'), cheap(), Infinity).pins).toMatchObject([
    { name: NAME, code: code.slice(0, 12) }
  ])
  const third = keyPairFromSeed(sha256(utf8('third')))
  const list = (serial: number, others: string): string =>
    signPinList({ serial, pins: [{ name: NAME as Name, code: others, since: '2026-11-29' }] }, third, cheap())

  page = readFileSync(at('list-1'), 'utf8')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pins.txt`
  const explained = async (): Promise<unknown> => (await follower.request('GET', `/api/explain/${NAME}`)).body
  const resolved = async (): Promise<unknown> => (await follower.request('GET', `/api/resolve/${NAME}`)).body
  expect(await explained(), 'no list by default').toMatchObject({ rule: 'majority' })
  await answerOf('follower', 'pins', 'follow', url, '--key', first.key)
  const { agree } = await answerOf<FollowedListsView>('follower', 'pins', 'follow', at('list-2'), '--agree', '2')
  expect(agree).toBe(2)
  expect(await explained()).toMatchObject({ resolves: 'proven' })
  expect((await answerOf<{ notes: string[] }>('follower', 'explain', NAME)).notes[0]).toContain(`${url} (made 20`)

  writeFileSync(at('list-3'), list(1_000, 'zzzzzzzzzzzz'))
  await answerOf('follower', 'pins', 'follow', at('list-3'))
  expect(await resolved()).toMatchObject({ code: 'SVC-RES-004' })
  await answerOf('follower', 'pins', 'unfollow', at('list-3'))
  expect(await explained()).toMatchObject({ resolves: 'proven' })

  await publish(1)
  page = readFileSync(at('list-1'), 'utf8')
  const newer = await answerOf<FollowedListsView>('follower', 'pins', 'follow', url)
  expect(Date.parse(newer.lists[0]!.made_at)).toBeGreaterThan(first.serial * 1_000)
  page = readFileSync(at('list-2'), 'utf8')
  expect((await chronym('follower', 'pins', 'follow', url)).stderr).toContain('SVC-PIN-003')

  writeFileSync(at('list-3'), list(2_000, code.slice(0, 12)))
  await answerOf('follower', 'pins', 'follow', at('list-3'))
  writeFileSync(at('list-3'), list(1_000, 'zzzzzzzzzzzz'))
  const back = await answerOf<FollowedListsView>('follower', 'pins', 'follow', at('list-3'))
  expect(back.lists.find(({ source }) => source === at('list-3'))).toMatchObject({
    made_at: iso(2_000),
    rolled_back_to: iso(1_000)
  })
  writeFileSync(at('list-3'), list(2_000, 'zzzzzzzzzzzz'))
  await answerOf('follower', 'pins', 'follow', at('list-3'))
  const { stdout } = await cli(['--data-dir', at('follower'), '--no-json', 'pins', 'lists'], { env: {} })
  expect(stdout).toContain(`EQUIVOCATES`)
  expect(stdout).toContain(`${NAME}: ${code.slice(0, 12)} and zzzzzzzzzzzz`)
  expect(await explained(), 'two others agree').toMatchObject({ resolves: 'proven' })
})
