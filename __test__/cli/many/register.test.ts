/** Plans of many names, and what comes before the first of them is begun. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/cli/many/plan.ts'
import { NO_FARM } from '../../../src/views/farm.ts'
import { temporary } from '../../temporary.ts'
import { TASK } from '../fake-daemon.ts'
import { cli, listen, says } from '../harness.ts'
import { MACHINE, RegistrarDaemon } from './registrar-daemon.ts'

let daemon: RegistrarDaemon
let url: string

beforeEach(async () => {
  daemon = new RegistrarDaemon()
  const server = await listen(daemon.app.fetch)
  url = server.url
  return server.close
})

const register = (names: string, args: readonly string[] = [], settings: Parameters<typeof cli>[1] = {}) => {
  const file = join(temporary(), 'names.txt')
  writeFileSync(file, names)
  return cli(['--api', url, '--token', 'secret', 'register', '--from', file, ...args], settings)
}
const planned = async (names: string): Promise<Plan> => JSON.parse((await register(names, ['--plan'])).stdout) as Plan
const codes = ({ warnings }: Plan): string[] => warnings.map(({ code }) => code)

describe('a plan', () => {
  it('says what each name takes, where and until when, and the whole of it; it starts nothing', async () => {
    daemon.owned.add('mine.chronym')
    daemon.taken.add('yours.chronym')
    daemon.forgotten.add('lost.chronym')
    daemon.tasks = [{ ...TASK, name: 'busy.chronym', iterations: 1000, progress: 500, eta_seconds: 100 }]
    const plan = await planned('alice\nmine\nyours\nlost\nbusy\nbob-and-carol\n')
    expect(plan.names).toMatchObject([
      { name: 'alice.chronym', state: 'free', length: 5, core_seconds: 1800, place: 'local', start_seconds: 100 },
      { name: 'mine.chronym', state: 'registered', iterations: 0, done_seconds: null },
      { name: 'yours.chronym', state: 'taken', taken_until: '2026-12-24T00:00:00.000Z', place: null },
      { name: 'lost.chronym', state: 'own', done_seconds: 0 },
      { name: 'busy.chronym', state: 'working', iterations: 500, done_seconds: 100 },
      { name: 'bob-and-carol.chronym', line: 6, state: 'free', iterations: 600_000_000, done_seconds: 100 + 2 * 1860 }
    ])
    expect(plan.classes).toEqual([{ shortest: 5, longest: 13, names: 2, iterations: 600_000_000, core_seconds: 3600 }])
    expect(plan.totals).toMatchObject({ names: 6, to_register: 2, registered: 1, taken: 1, seconds: 3820 })
    // A quarter of the squarings, each 0.9 years, of the five that are not taken.
    expect(plan.renewals).toMatchObject({ names: 5, lease_seconds: 31_536_000, core_seconds_a_year: 2500, most: 64 })
    expect(plan.renewals.share).toBeCloseTo(2500 / 31_536_000, 9)
    expect(daemon.asked.filter((each) => each.includes('register'))).toEqual([])
  })

  it('asks peers about those alone that are not ours and not in work', async () => {
    daemon.owned.add('mine.chronym')
    daemon.tasks = [{ ...TASK, name: 'busy.chronym' }]
    await planned('alice\nmine\nbusy\n')
    expect(daemon.lookedUp).toEqual(['alice.chronym'])
  })

  it('is a table for people', async () => {
    daemon.taken.add('yours.chronym')
    const { stdout, exitCode } = await register('alice\nyours\n', ['--plan', '--no-json'])
    expect(exitCode, 'not all can be registered').toBe(1)
    expect(stdout).toMatch(/^name +state +squarings +core time +where +done +in\n/u)
    expect(stdout).toMatch(/^alice\.chronym +free +600,000,000 +30 min 00 s +local +20.{14}Z +31 min 00 s$/mu)
    expect(stdout).toMatch(/^yours\.chronym +taken until 2026-12-24$/mu)
    expect(stdout).toMatch(/^5 +1 +600,000,000 +30 min 00 s +0\.5$/mu)
    expect(stdout).toContain('to register  1 of 2 names; 1 taken\n')
    expect(stdout).toContain('work         600,000,000 squarings, 0.5 core-hours at 400.0 K/s\n')
    expect(stdout).toContain('every 328 d 12 h of a lease of 1 y 0 d, 64 at most: 0.139 core-hours a year for 1 name')
  })

  it('ends with 0 where every name is ours or can be', async () => {
    daemon.owned.add('mine.chronym')
    expect((await register('alice\nmine\n', ['--plan'])).exitCode).toBe(0)
  })

  it('goes on without the peers where none answers, and says so', async () => {
    daemon.offline = 'none of the peers asked gave an answer'
    const plan = await planned('alice\nbob\n')
    expect(plan.names.map(({ state }) => state)).toEqual(['unknown', 'unknown'])
    expect(plan.totals.to_register).toBe(2)
    expect(plan.warnings[0]!.message).toContain('none of the peers asked gave an answer')
  })

  it('counts with the workers of a farm', async () => {
    const worker = { worker: 'w1', threads: 1, busy: 0, iterations_per_second: 0 }
    daemon.machine = { ...MACHINE, farm: { ...NO_FARM, enabled: true, connected: true, workers: [worker] } }
    const plan = await planned('alice\nbob\n')
    expect(plan.names.map(({ place, done_seconds: done }) => `${place} ${done}`)).toEqual(['local 1860', 'w1 1860'])
    expect(codes(plan)).toEqual(['rate-assumed'])
  })

  it('has no work for a proof that is kept', async () => {
    daemon.estimate = { proof_kept: true, seconds: 0, proving_seconds: 0 }
    const { stdout } = await register('alice\n', ['--plan', '--no-json'])
    expect(stdout).toContain('a proof is kept')
    expect(stdout).toContain('work         0 squarings')
  })

  it('warns of a disk, a queue, threads and a seed that do not allow it, of renewals that are off or too many', async () => {
    expect(codes(await planned('alice\n'))).toEqual([])
    daemon.machine = {
      farm: { ...NO_FARM, enabled: true },
      seed: 'locked',
      freeBytes: 2 ** 28,
      config: { vdf: { max_tasks: 2, threads: 1, queue: 1, memory_mib: 256 }, auto_renew: false }
    }
    daemon.estimate = { renewal_iterations: 7e12, lease_end: '2026-01-01T01:00:00.000Z' }
    const plan = await planned('alice\nbob\n')
    expect(codes(plan)).toEqual([
      'renewals',
      'renewals-meanwhile',
      'renewal-off',
      'disk',
      'queue',
      'locked',
      'threads',
      'farm-unreached'
    ])
    expect(plan.warnings[0]!.message).toContain('they cannot all be kept')
    expect(plan.warnings[3]!.message).toContain('512 MiB')
    daemon.estimate = { renewal_iterations: 4e12 }
    expect((await planned('alice\nbob\n')).warnings[0]!.message).toMatch(
      /take \d\d% of all slots, as long as they are kept/u
    )
  })
})

describe('a file of names', () => {
  it('has one name a line in any spelling, comments, empty lines, and line ends of any system', async () => {
    const plan = await planned('\uFEFF# mine\r\nAlice # the first\r\n\r\n  bob.chronym.  \rb\u00fccher\n')
    expect(plan.names.map(({ line, name }) => `${line} ${name}`)).toEqual([
      '2 alice.chronym',
      '4 bob.chronym',
      '5 xn--bcher-kva.chronym'
    ])
  })

  it('may come from standard input', async () => {
    const { stdout } = await cli(['--api', url, '--token', 'x', 'register', '--from', '-', '--plan'], {
      stdin: 'alice'
    })
    expect((JSON.parse(stdout) as Plan).totals.names).toBe(1)
  })

  it('names a repeated name once', async () => {
    const plan = await planned('alice\nbob\nALICE.chronym\n')
    expect(plan.totals.names).toBe(2)
    expect(plan.repeated_lines).toEqual([{ line: 3, name: 'alice.chronym' }])
  })

  it('with bad lines starts nothing, and all of them are named with their numbers', async () => {
    const names = `alice\nwww\na b\n\u0430pple\ndid:chronym:z\n${'x'.repeat(300)}\n`
    const refused = await register(names, ['--yes', '--no-json'])
    expect(refused).toMatchObject(says(2, 'has 5 lines without a name that can be registered'))
    for (const line of [
      'line 2: www.chronym: the label www is reserved',
      'line 3: "a b": a line holds one name',
      `line 4: "\u0430pple" can't be a name: it mixes letters of Cyrillic and Latin`,
      'line 5: "did:chronym:z" is a DID',
      'line 6: it is longer than any name: xxx'
    ])
      expect(refused.stderr).toContain(line)
    expect(daemon.registrations()).toEqual([])
    const plan = await register(names, ['--plan'])
    expect(plan.exitCode).toBe(1)
    expect((JSON.parse(plan.stdout) as Plan).bad_lines.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6])
  })

  it('of many bad lines shows the first twenty', async () => {
    const { stderr } = await register('a b\n'.repeat(30), ['--no-json'])
    expect(stderr.match(/^ {2}line /gmu)).toHaveLength(20)
    expect(stderr).toContain('has 30 lines without a name that can be registered; 10 more than these')
  })

  it.each([
    ['', 'names nothing'],
    ['# only\n\n', 'names nothing']
  ])('%j names nothing', async (names, message) => {
    expect(await register(names)).toMatchObject(says(2, message))
  })

  it('that is not there is exit code 2', async () => {
    expect(await cli(['--api', url, '--token', 'x', 'register', '--from', '/no/such/file'])).toMatchObject(
      says(2, 'CLI-INP-001')
    )
  })

  it.each([[['alice', '--from', 'x']], [['--plan', 'alice']], [['--from', 'x', '--zone', 'y']]])(
    '%j is wrong use',
    async (args) => {
      expect(await cli(['--api', url, '--token', 'x', 'register', ...args])).toMatchObject(says(2, 'CLI-USE-001'))
    }
  )
})

describe('the question before long work', () => {
  it('says the cost of all, and starts nothing after a no', async () => {
    const { exitCode, stderr } = await register('alice\nbob\n', [], { terminal: true, stdin: 'n\n' })
    expect(stderr).toContain(
      '2 names of 2 to register: 1,200,000,000 squarings, 1 core-hours; all done in about 1 h 02'
    )
    expect({ exitCode, started: daemon.registrations() }).toEqual({ exitCode: 130, started: [] })
  })

  it('needs --yes where nobody can answer', async () => {
    expect(await register('alice\n')).toMatchObject(says(2, '--yes'))
    expect(daemon.registrations()).toEqual([])
  })

  it('is not asked for little work', async () => {
    daemon.estimate = { iterations: 400_000, seconds: 5, proving_seconds: 1 }
    expect((await register('alice\n', ['--no-wait'])).exitCode).toBe(0)
    expect(daemon.registrations()).toEqual(['alice.chronym'])
  })
})
