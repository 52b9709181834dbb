/** Signals to programs that run until they are told to end, beside the daemon. */
import type { ChildProcess } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import { end, firstLine, run, runBeacon } from '../../scripts/program.ts'
import { NatsServer } from '../../scripts/nats-server.ts'
import { eventually, Scene } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

/** What it writes to standard error. */
function listen(child: ChildProcess): () => string {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  return () => said
}

it('a beacon goes on after SIGUSR1 without a debugger, and stops in order when its terminal is closed', async () => {
  const child = scene.child(runBeacon())
  const said = listen(child)
  const { url } = await firstLine<{ url: string }>(child)
  child.kill('SIGUSR1')
  expect((await fetch(`${url}/`, { headers: { connection: 'close' } })).status).toBeGreaterThan(0)
  expect(await end(child, 'SIGHUP')).toBe(0)
  expect(said()).not.toContain('Debugger')
})

it('a worker goes on after SIGUSR1 without a debugger, and hands back its work when its terminal is closed', async () => {
  const server = await NatsServer.started(scene.directory())
  scene.onEnd(() => server.kill())
  const args = ['worker', '--farm', server.url, '--network', 'local', '--threads', '1', '--label', 'w1']
  const child = scene.child(run('src/cli/main.ts', args))
  const said = listen(child)
  await eventually(
    () => Promise.resolve(said()),
    (text) => text.includes('the worker takes work')
  )
  child.kill('SIGUSR1')
  expect(await end(child, 'SIGHUP')).toBe(0)
  expect(said()).not.toContain('Debugger')
})
