/** A file of names, and what a run says before it begins the first of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
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

describe('a file of names', () => {
  it('has one name a line in any spelling, comments, empty lines, and line ends of any system', async () => {
    await register('\uFEFF# mine\r\nAlice # the first\r\n\r\n  bob.chronym.  \rb\u00fccher\n', ['--yes'])
    expect(daemon.registrations()).toEqual(['alice.chronym', 'bob.chronym', 'xn--bcher-kva.chronym'])
  })

  it('may come from standard input', async () => {
    await cli(['--api', url, '--token', 'x', 'register', '--from', '-', '--yes'], { stdin: 'alice' })
    expect(daemon.registrations()).toEqual(['alice.chronym'])
  })

  it('names a repeated name once', async () => {
    const { stderr } = await register('alice\nbob\nALICE.chronym\n', ['--yes'])
    expect(daemon.registrations()).toEqual(['alice.chronym', 'bob.chronym'])
    expect(stderr).toContain('line 3: alice.chronym is there twice')
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

  it.each([[['alice', '--from', 'x']], [[]], [['--from', 'x', '--zone', 'y']]])('%j is wrong use', async (args) => {
    expect(await cli(['--api', url, '--token', 'x', 'register', ...args])).toMatchObject(says(2, 'CLI-USE-001'))
  })
})

describe('the question before long work', () => {
  it('says the cost of all, and starts nothing after a no', async () => {
    const { exitCode, stderr } = await register('alice\nbob\n', [], { terminal: true, stdin: 'n\n' })
    expect(stderr).toContain(
      '2 names of 2 to register: 1,200,000,000 squarings, 1.03 core-hours; about 1 h 02 min on 1 slot of this machine'
    )
    expect({ exitCode, started: daemon.registrations() }).toEqual({ exitCode: 130, started: [] })
  })

  it('counts neither names that are ours or in work, nor proofs that are kept, and shares the rest among slots', async () => {
    daemon.owned.add('mine.chronym')
    daemon.tasks = [{ ...TASK, name: 'busy.chronym' }]
    daemon.machine = {
      ...MACHINE,
      config: { ...MACHINE.config, vdf: { ...MACHINE.config.vdf, max_tasks: 4, threads: 2 } }
    }
    const { stderr } = await register('alice\nmine\nbusy\nbob\n', [], { terminal: true, stdin: 'n\n' })
    expect(stderr).toContain(
      '2 names of 4 to register: 1,200,000,000 squarings, 1.03 core-hours; about 31 min 00 s on 2 slots'
    )
    daemon.estimate = { proof_kept: true, seconds: 0, proving_seconds: 0 }
    expect((await register('alice\n', ['--no-wait'])).stderr).toContain(
      '1 name of 1 to register: 0 squarings, 0 core-hours'
    )
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
