/** A machine at its first start: behind the login page of a network, with a clock that nobody has set. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { end, firstLine, run, runBeacon } from '../../scripts/program.ts'
import type { NetworkStatusView } from '../../src/views/network.ts'
import { eventually, runToEnd, Scene, type Daemon } from './processes.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS

let scene: Scene
let shift: string
let beaconUrl: string

beforeEach(async () => {
  scene = new Scene()
  shift = join(scene.directory(), 'shift')
  writeFileSync(shift, '0')
  // In a process of its own: the true time.
  beaconUrl = (await firstLine<{ url: string }>(scene.child(runBeacon()))).url
})

afterEach(() => scene.end())

const start = (url: string): Promise<Daemon> =>
  scene.daemon(['--network', 'local', '--data-dir', scene.directory(), '--beacon-url', url], {
    preload: '__test__/e2e/clock-shift.ts',
    environment: { CLOCK_SHIFT_FILE: shift }
  })

const beaconOf = async (daemon: Daemon): Promise<NetworkStatusView['beacon']> =>
  ((await daemon.request('GET', '/api/network-status')).body as NetworkStatusView).beacon

const isWell = ({ round, message }: NetworkStatusView['beacon']): boolean => round !== null && message === null

/** Answers everything with a page, or leads there, until it lets through. */
async function portal(): Promise<{ url: string; open: () => void }> {
  let isOpen = false
  const pass = async (path: string, response: ServerResponse): Promise<void> => {
    const answer = await fetch(`${beaconUrl}${path}`, { headers: { connection: 'close' } })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }
  const server = createServer((request, response) => {
    const path = request.url!
    if (isOpen) void pass(path, response)
    else if (path === '/login') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>Log in')
    else response.writeHead(302, { location: '/login' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  scene.onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, open: () => (isOpen = true) }
}

it('a login page in place of the beacon is told from it, and harms nothing once it lets through', async () => {
  const { url, open } = await portal()
  const daemon = await start(url)
  const { round } = await eventually(
    () => beaconOf(daemon),
    ({ message }) => message !== null
  )
  expect(round).toBe(null)
  expect((await beaconOf(daemon)).message).toContain('captive portal')
  const { stdout } = await runToEnd('src/cli/main.ts', ['doctor', '--data-dir', daemon.summary.data_dir])
  expect(stdout).toContain('captive portal')
  open()
  await eventually(() => beaconOf(daemon), isWell)
})

it.each([
  ['ahead of', 40 * MINUTE_MS, '40 minutes ahead of'],
  ['ahead of', 3 * YEAR_MS, '1,095 days ahead of'],
  ['behind', -40 * MINUTE_MS, '40 minutes behind'],
  ['behind', -YEAR_MS, '365 days behind']
])('a clock that is %s the beacon by %i ms is said to be, until it is set', async (_, byMs, words) => {
  writeFileSync(shift, String(byMs))
  const daemon = await start(beaconUrl)
  const { message } = await eventually(
    () => beaconOf(daemon),
    (beacon) => beacon.message !== null
  )
  expect(message).toContain(`this machine's clock is ${words}`)
  writeFileSync(shift, '0')
  await eventually(() => beaconOf(daemon), isWell)
})

it('offers change words at the very first start alone, and waits for no answer', async () => {
  const directory = scene.directory()
  const flags = ['--network', 'local', '--data-dir', directory, '--beacon-url', beaconUrl]
  const banner = async (): Promise<string> => {
    const child = scene.child(run('src/daemon/main.ts', [...flags, '--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0']))
    child.stderr!.resume()
    let text = ''
    for await (const chunk of child.stdout!.setEncoding('utf8')) {
      text += String(chunk)
      if (text.includes('Ctrl-C stops it.')) break
    }
    await end(child, 'SIGTERM')
    return text
  }
  expect(await banner()).toContain(`\n  chronym --data-dir ${directory} key change-words\n`)
  expect(await banner()).not.toContain('change-words')
})
