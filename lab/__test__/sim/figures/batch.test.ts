/** Runs over threads, and runs that go on where they were cut off: the command as users start it. */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runBatch, runScheduleBatch } from '../../../sim/figures/batch/batch.ts'
import type { Job } from '../../../sim/figures/batch/jobs.ts'
import { runSchedules } from '../../../sim/search/schedules/schedules.ts'
import { waitFor } from '../../../../__test__/wait-for.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const JOBS = ['1', '2', '3'].map((seed): Job => ({ nodes: 12, days: 0.3, names: 1, seed }))

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chronym-sim-'))
  file = join(directory, 'runs.jsonl')
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const lines = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)

function sim(...options: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['lab/sim.ts', ...options], { cwd: ROOT, encoding: 'utf8' })
}

describe('runs over threads', () => {
  it('have the same results in the same order with one thread and with two', async () => {
    const one = await runBatch(JOBS, { workers: 1 })
    expect(one.map(({ seed }) => seed)).toEqual(['1', '2', '3'])
    expect(await runBatch(JOBS, { workers: 2 })).toEqual(one)
  })

  it('of schedules have the results of one after the other', async () => {
    expect(await runScheduleBatch(8, 7, { workers: 2 })).toEqual(await runSchedules(8, 7, () => undefined))
  })
})

describe('a file of results', () => {
  it('gives what is done, whatever runs are asked for beside it, and nothing of other options', async () => {
    const all = await runBatch(JOBS, { workers: 1 })
    await runBatch(JOBS.slice(0, 1), { workers: 1, resume: file })
    const [line] = lines()
    // Not a result of these options: it shows what was not run again.
    writeFileSync(file, `${line!.replace('"harm":"harmless"', '"harm":"taken"')}\n`)
    const results = await runBatch(JOBS, { workers: 1, resume: file })
    expect(results).toEqual([{ ...all[0]!, harm: 'taken' }, ...all.slice(1)])
    expect(lines()).toHaveLength(3)
    expect(await runBatch([{ ...JOBS[0]!, names: 0 }], { workers: 1, resume: file })).not.toEqual(results.slice(0, 1))
  })

  it('loses a line that a kill has cut off, and no other', async () => {
    const all = await runBatch(JOBS.slice(0, 2), { workers: 1, resume: file })
    const whole = lines()
    writeFileSync(file, whole.join('\n').slice(0, -20))
    expect(await runBatch(JOBS.slice(0, 2), { workers: 1, resume: file })).toEqual(all)
    expect(lines()).toEqual(whole)
  })

  it('that holds something else is refused and kept', async () => {
    appendFileSync(file, '{"names": []}\n')
    await expect(runBatch(JOBS, { workers: 1, resume: file })).rejects.toThrow(`${file} is not a file of --resume`)
    expect(lines()).toEqual(['{"names": []}'])
  })

  it('lets a command that was killed go on to the same end', async () => {
    const options = ['--nodes', '12,16', '--days', '0.3', '--names', '1', '--seed', '1,2,3', '--json', '--workers', '1']
    const unbroken = sim(...options)
    const child = spawn(process.execPath, ['lab/sim.ts', ...options, '--resume', file], { cwd: ROOT })
    const ended = new Promise((done) => child.once('exit', done))
    await waitFor(() => expect(lines()).not.toEqual([]))
    child.kill('SIGKILL')
    await ended
    const before = lines().length
    const resumed = sim(...options, '--resume', file)
    expect(resumed.stdout).toBe(unbroken.stdout)
    expect(lines()).toHaveLength(6)
    expect(before).toBeGreaterThan(0)
  })
})

it.each([
  [['--move', 'none,no-such-move'], '--move: all, none or one of'],
  [['--nodes', '10,1'], '--nodes: a number from 2 is expected, not 1'],
  [['--nodes', '10,'], '--nodes: a number from 2 is expected, not '],
  [['--no-such-option'], "Unknown option '--no-such-option'; --help lists the options"],
  [['--replay', '{}'], '--replay: a schedule is expected, as --schedules prints it'],
  [['--workers', '0'], '--workers: a number from 1 is expected, not 0'],
  [['--resume', 'package.json', '--nodes', '2'], 'package.json is not a file of --resume']
])('%j is a wrong option', (options, problem) => {
  expect(sim(...options)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(problem) as string })
})
