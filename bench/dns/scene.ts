/** Knot and our server with one zone, each in its own process, and the questions for both. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transfer, type Server } from '../../scripts/dns/ask.ts'
import { startKnot } from '../../scripts/dns/knot.ts'
import { recordsOf } from '../../scripts/dns/records.ts'
import { end, firstLine, passErrorsOn, run } from '../../scripts/program.ts'
import { endWithUs, scratchDirectory } from '../network/scratch.ts'
import type { Served } from './ours.ts'
import { masterFile, NAMES, questions } from './zone.ts'

export interface Measured extends Server {
  readonly pid: number
  stop(): Promise<unknown>
}

export interface Scene {
  readonly knot: Measured
  readonly ours: Measured
  /** File of `name type` lines. */
  readonly questions: string
  /** Another one of ours, on any CPU, beside this many evaluations in its process. */
  startSquaring(evaluations: number): Promise<Measured>
}

/** `cpu`: the one that both are bound to; null where they can't be. */
export async function startScene(cpu: number | null): Promise<Scene> {
  const directory = scratchDirectory()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const forKnot = join(directory, 'knot')
  mkdirSync(forKnot)
  const knot = await startKnot({
    directory: forKnot,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    zones: [{ name: 'chronym.', text: masterFile, signing: 'static' }],
    ...(cpu !== null && { cpu })
  })
  const records = await transfer(knot, 'chronym')
  const served: Served = {
    key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    zones: Object.fromEntries(NAMES.map((name) => [name, recordsOf(name, records).toString('base64')]))
  }
  const file = join(directory, 'served.json')
  writeFileSync(file, JSON.stringify(served), { mode: 0o600 })
  writeFileSync(join(directory, 'questions'), questions)

  const start = async (evaluations: number, bound: number | null): Promise<Measured> => {
    const within = bound === null ? [] : ['taskset', '-c', String(bound)]
    const child = run('bench/dns/ours.ts', [file, String(evaluations)], { within })
    endWithUs(child)
    passErrorsOn(child)
    return { ...(await firstLine<Server>(child)), pid: child.pid!, stop: () => end(child, 'SIGTERM') }
  }
  return {
    knot,
    ours: await start(0, cpu),
    questions: join(directory, 'questions'),
    startSquaring: (evaluations) => start(evaluations, null)
  }
}

/** CPU time of all threads of a process, microseconds, to the nanosecond that the scheduler counts. */
export function processorMicroseconds(pid: number): number {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks)
    .map((id) => Number(readFileSync(join(tasks, id, 'schedstat'), 'utf8').split(' ')[0]) / 1000)
    .reduce((total, time) => total + time, 0)
}
