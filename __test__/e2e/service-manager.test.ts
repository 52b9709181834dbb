/** The daemon beside a service manager: a real datagram socket, in the file system and in the abstract namespace. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages, programOf } from '../../scripts/packages.ts'
import { notify } from '../../src/native/addon.ts'
import { waitFor } from '../wait-for.ts'
import { Scene } from './processes.ts'

const scene = new Scene()
beforeAll(() => needPackages(['socat']))
afterAll(() => scene.end())

const WATCHDOG_MS = 200

/** What arrived at a socket, as socat names it. */
function received(socket: string): () => string {
  const child = scene.child(
    spawn(programOf('socat'), ['-u', socket, 'STDOUT'], { stdio: ['ignore', 'pipe', 'inherit'] })
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  return () => text
}

function pings(text: string): number {
  return text.split('\n').filter((line) => line === 'WATCHDOG=1').length
}

it('hears that the daemon answers and stops, and gets no ping once the daemon hangs', async () => {
  const address = join(scene.directory(), 'notify')
  const text = received(`UNIX-RECV:${address}`)
  await waitFor(() => expect(existsSync(address)).toBe(true))
  const daemon = await scene.daemon(['--data-dir', scene.directory()], {
    preload: '__test__/e2e/hang-on-signal.ts',
    environment: { NOTIFY_SOCKET: address, WATCHDOG_USEC: String(WATCHDOG_MS * 1000) }
  })
  await waitFor(() => expect(pings(text())).toBeGreaterThan(2))
  expect(text()).toMatch(/^STATUS=Starting\nREADY=1\nSTATUS=(?:Not ready|Needs attention|Ready): /)

  const ended = daemon.signal('SIGUSR2')
  await waitFor(() => expect(daemon.logText()).toContain('hung\n'))
  notify(address, 'X_MARK=hung\n')
  await new Promise((resolve) => setTimeout(resolve, 4 * WATCHDOG_MS))
  notify(address, 'X_MARK=later\n')
  await waitFor(() => expect(text()).toContain('X_MARK=later'))
  expect(text()).toMatch(/X_MARK=hung\nX_MARK=later\n$/)
  await daemon.signal('SIGKILL')
  await ended
})

it('hears of the stop before the daemon ends, at an abstract socket', async () => {
  const name = `chronym-${randomUUID()}`
  const text = received(`ABSTRACT-RECV:${name}`)
  await waitFor(() => notify(`@${name}`, 'X_MARK=open\n'))
  const daemon = await scene.daemon(['--data-dir', scene.directory()], { environment: { NOTIFY_SOCKET: `@${name}` } })
  await waitFor(() => expect(text()).toContain('READY=1'))
  expect((await daemon.request('GET', '/healthz')).status).toBe(200)
  expect(await daemon.signal('SIGTERM')).toBe(0)
  await waitFor(() => expect(text()).toMatch(/\nSTOPPING=1\nSTATUS=Stopping\n$/))
  expect(pings(text())).toBe(0)
})

it('does not keep the daemon from its work when nobody reads the socket', async () => {
  const daemon = await scene.daemon(['--data-dir', scene.directory()], {
    environment: { NOTIFY_SOCKET: join(scene.directory(), 'nobody'), WATCHDOG_USEC: '200000' }
  })
  await waitFor(() => expect(daemon.logText()).toContain('the service manager cannot be told how the daemon fares'))
  expect((await daemon.request('GET', '/healthz')).status).toBe(200)
  expect(await daemon.signal('SIGTERM')).toBe(0)
})
