/**
 * Peers that speak raw multistream and yamux inside noise, against a real daemon: what it holds, how late its event loop
 * is and how soon it answers meanwhile. HOSTILE_PEER_SECONDS is how long they go on.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { local } from '../../src/protocol/profile/built-in.ts'
import { Scene, type Daemon } from '../e2e/processes.ts'
import { waitFor } from '../wait-for.ts'
import type { Measured } from './measure.ts'
import { count } from './scene.ts'
import type { Order, Sent } from './stranger.ts'

const SECONDS = count('HOSTILE_PEER_SECONDS', 5)
/** What was held for strangers is gone two minutes later. */
const REST_SECONDS = count('HOSTILE_PEER_REST_SECONDS', 1)
const ASK_EACH_MS = 100
const MIB = 2 ** 20

// eslint-disable-next-line no-restricted-properties -- how late answers are is what is asked, of a free machine
const now = (): number => performance.now()

const scene = new Scene()
afterAll(() => scene.end())

async function measure(daemon: Daemon, file: string): Promise<Measured> {
  rmSync(file, { force: true })
  process.kill(daemon.pid, 'SIGUSR2')
  return waitFor(() => {
    expect(existsSync(file)).toBe(true)
    return JSON.parse(readFileSync(file, 'utf8')) as Measured
  })
}

/** From the system, so that no stall hides it. */
function peakBytes({ pid }: Daemon): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

function residentBytes({ pid }: Daemon): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

it('strangers take little memory and little time of a daemon that they dial, and that dials them', async () => {
  const file = join(scene.directory(), 'measured')
  const profile = join(scene.directory(), 'profile.json')
  writeFileSync(
    profile,
    JSON.stringify({ ...local, id: 'strangers', answers_per_prefix: 2, answers_per_wide_prefix: 4 })
  )
  const strangers = scene.child(fork(join(import.meta.dirname, 'stranger.ts'), [profile]))
  const [bootstrap] = (await once(strangers, 'message')) as [string]
  const daemon = await scene.daemon(
    ['--network', profile, '--data-dir', scene.directory(), '--bootstrap', bootstrap, '--dns-enabled', 'false'],
    { preload: '__test__/hostile/measure.ts', environment: { MEASURED: file } }
  )
  await setTimeout(2_000)
  await measure(daemon, file)
  const idle = await measure(daemon, file)
  writeFileSync(`/proc/${daemon.pid}/clear_refs`, '5')
  const idlePeak = peakBytes(daemon)

  const order: Order = { address: daemon.address, seconds: SECONDS }
  strangers.send(order)
  const answersMs: number[] = []
  let sent: Sent | undefined
  void once(strangers, 'message').then(([message]: Sent[]) => (sent = message))
  while (sent === undefined) {
    const start = now()
    expect((await daemon.request('GET', '/api/network-status')).status).toBe(200)
    answersMs.push(now() - start)
    await setTimeout(ASK_EACH_MS)
  }
  const during = await measure(daemon, file)
  const peak = peakBytes(daemon)
  await setTimeout(REST_SECONDS * 1_000)
  const after = await measure(daemon, file)
  const longestAnswerMs = Math.max(...answersMs)
  process.stdout.write(
    `strangers: ${sent.connections} connections, ${Math.round(sent.bytes / MIB)} MiB sent; ` +
      `peak ${Math.round((peak - idlePeak) / MIB)} MiB above ${Math.round(idlePeak / MIB)}, now ${Math.round(residentBytes(daemon) / MIB)}; ` +
      `held ${((after.heldBytes - idle.heldBytes) / MIB).toFixed(1)} MiB more than before; event loop p99 ${during.p99Ms.toFixed(0)} ms, ` +
      `longest ${during.longestMs.toFixed(0)} ms; ${answersMs.length} answers, the slowest after ${longestAnswerMs.toFixed(0)} ms; ` +
      `${Math.round(during.cpuMs - idle.cpuMs)} ms of processors\n`
  )
  expect(sent.connections).toBeGreaterThan(5)
  expect(peak - idlePeak).toBeLessThan(150 * MIB)
  expect(after.heldBytes - idle.heldBytes).toBeLessThan(20 * MIB)
  expect(during.p99Ms).toBeLessThan(100)
  // An answer takes no longer than one turn of the loop, and is late by other work of the machine too.
  expect(during.longestMs).toBeLessThan(300)
})
