/** A bench of the wide area that is ended before its end: its daemons, namespaces and links go with it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { afterAll, expect, it } from 'vitest'
import { needPackages } from '../../../scripts/packages.ts'
import { cleanEnvironment, ROOT } from '../../../scripts/program.ts'
import { makeNamespaces } from '../../../__test__/e2e/network/namespaces.ts'
import { eventually, Scene } from '../../../__test__/e2e/processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const lines = (...args: string[]): string[] =>
  execFileSync('ip', ['netns', ...args], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
const namespacesOf = (pid: number): string[] =>
  lines('list').flatMap((line) => (line.startsWith(`chronym-test-${pid}-`) ? [line.split(' ')[0]!] : []))

it.each([
  ['SIGTERM', 1],
  ['SIGKILL', null]
] as const)('ended by %s leaves nothing, at the latest once the next one begins', async (signal, code) => {
  needPackages(['iproute2', 'util-linux'])
  const bench = scene.child(
    spawn(process.execPath, ['lab/wan.ts', '--round-trips'], { cwd: ROOT, env: cleanEnvironment(), stdio: 'ignore' })
  )
  const pid = bench.pid!
  const daemons = await eventually(
    () => Promise.resolve(namespacesOf(pid).flatMap((name) => lines('pids', name))),
    (pids) => pids.length > 0
  )
  const ended = once(bench, 'exit')
  bench.kill(signal)
  expect((await ended)[0]).toBe(code)
  await eventually(
    () => Promise.resolve(daemons.filter((daemon) => existsSync(`/proc/${daemon}`))),
    (running) => running.length === 0
  )
  if (signal === 'SIGKILL') {
    makeNamespaces(1)!.remove()
    // Another test may be about to remove the same.
    await eventually(
      () => Promise.resolve(namespacesOf(pid)),
      (left) => left.length === 0
    )
  }
  expect(namespacesOf(pid)).toEqual([])
  // The kernel removes what was in a namespace some time after its name.
  await eventually(
    () => Promise.resolve(networkInterfaces()),
    (links) => !(`chr${pid}` in links)
  )
})
