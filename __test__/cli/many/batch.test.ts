/** Many registrations at a daemon: begun, waited for, and taken up again by a second run. */
import { beforeEach, describe, expect, it } from 'vitest'
import { TASK } from '../fake-daemon.ts'
import { cli, listen, says } from '../harness.ts'
import { MACHINE, RegistrarDaemon } from './registrar-daemon.ts'

let daemon: RegistrarDaemon
let url: string

beforeEach(async () => {
  daemon = new RegistrarDaemon()
  daemon.estimate = { iterations: 1000, seconds: 3, proving_seconds: 1 }
  const server = await listen(daemon.app.fetch)
  url = server.url
  return server.close
})

const register = (names: string, args: readonly string[] = [], settings: Parameters<typeof cli>[1] = {}) =>
  cli(['--api', url, '--token', 'secret', 'register', '--from', '-', ...args], { stdin: names, ...settings })
const eventsOf = (stdout: string, ...types: string[]) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; name?: string; code?: string; working?: number })
    .filter(({ event }) => types.includes(event))
const ended = (stdout: string) => eventsOf(stdout, 'ended')[0]

describe('many registrations', () => {
  it('are begun in the order of the file and waited for; what is ours already is counted', async () => {
    daemon.owned.add('mine.chronym')
    const { exitCode, stdout } = await register('bob\nmine\nalice\n', ['--json'])
    expect(exitCode).toBe(0)
    expect(eventsOf(stdout, 'started', 'completed').map(({ event, name }) => `${event} ${name}`)).toEqual([
      'started bob.chronym',
      'started alice.chronym',
      'completed bob.chronym',
      'completed alice.chronym'
    ])
    expect(ended(stdout)).toMatchObject({ names: 3, before: 1, registered: 2, left: 0 })
  })

  it('show a bar and a line for each name to a person', async () => {
    const { stdout, stderr } = await register('alice\nbob\n', [], { terminal: true })
    expect(stdout).toBe(
      'alice.chronym is registered (1 of 2)\nbob.chronym is registered (2 of 2)\n2 names: 2 registered now, 0 before\n'
    )
    expect(stderr).toContain('0 of 2 names')
    expect(stderr).toContain('500/2,000')
  })

  it('go on where another run ended: names in work are waited for and not begun again', async () => {
    daemon.owned.add('alice.chronym')
    daemon.tasks = [{ ...TASK, task_id: 'before', name: 'bob.chronym' }]
    const { exitCode, stdout } = await register('alice\nbob\ncarol\n', ['--json'])
    expect(exitCode).toBe(0)
    expect(eventsOf(stdout, 'started').map(({ name }) => name)).toEqual(['carol.chronym'])
    expect(ended(stdout)).toMatchObject({ before: 1, registered: 2 })
    const again = await register('alice\nbob\ncarol\n', ['--json'])
    expect(again.exitCode).toBe(0)
    expect(ended(again.stdout)).toMatchObject({ before: 3, registered: 0 })
  })

  it('leave one place of the queue to others, and come to their end all the same', async () => {
    daemon.machine = { ...MACHINE, config: { ...MACHINE.config, vdf: { ...MACHINE.config.vdf, queue: 3 } } }
    const { exitCode, stdout } = await register('a1\nb2\nc3\nd4\n', ['--json'])
    const working = eventsOf(stdout, 'progress').map((each) => each.working ?? 0)
    expect({ exitCode, most: Math.max(...working) }).toEqual({ exitCode: 0, most: 2 })
    expect(
      daemon.asked.filter((each) => each === 'POST /api/vdf/register'),
      'none was refused'
    ).toHaveLength(4)
  })

  it('with --no-wait end once the daemon takes no more, with 7 while some are not begun', async () => {
    daemon.machine = { ...MACHINE, config: { ...MACHINE.config, vdf: { ...MACHINE.config.vdf, queue: 2 } } }
    const { exitCode, stdout, stderr } = await register('a1\nb2\nc3\n', ['--no-wait', '--no-json'])
    expect(exitCode).toBe(7)
    expect(stdout).toBe('3 names: 0 registered now, 0 before, 1 in work, 2 not begun\n')
    expect(stderr).toContain('2 names not begun: run the same command again')
    expect((await register('a1\n', ['--no-wait'])).exitCode).toBe(0)
  })

  it('end with 1 where some are taken or fail, after all others are done', async () => {
    daemon.taken.add('yours.chronym')
    daemon.unlucky.add('late.chronym')
    const { exitCode, stdout } = await register('yours\nlate\nalice\n', ['--no-json'])
    expect(exitCode).toBe(1)
    expect(stdout).toBe(
      'yours.chronym is not registered (SVC-REG-001): yours.chronym is registered by another key\n' +
        'late.chronym is not registered (SVC-REG-001): somebody was faster\n' +
        'alice.chronym is registered (1 of 3)\n' +
        '3 names: 1 registered now, 0 before, 1 taken by others, 1 failed\n'
    )
  })

  it('take up names of this seed, and those that got a task meanwhile', async () => {
    daemon.forgotten.add('lost.chronym')
    const { exitCode, stdout } = await register('lost\n', ['--json'])
    expect({ exitCode, ended: ended(stdout) }).toMatchObject({ exitCode: 0, ended: { registered: 1 } })

    daemon.begunMeanwhile = 'alice.chronym'
    const other = await register('alice\n', ['--json'])
    expect({ exitCode: other.exitCode, ended: ended(other.stdout) }).toMatchObject({
      exitCode: 0,
      ended: { registered: 1 }
    })
  })

  it('wait where the daemon cannot begin one now, and say why once', async () => {
    daemon.refusals = [['SVC-BCN-001', 'the beacon is silent']]
    const { exitCode, stdout } = await register('alice\n', ['--no-wait', '--json'])
    expect(exitCode).toBe(7)
    expect(eventsOf(stdout, 'waiting')).toEqual([
      { event: 'waiting', code: 'SVC-BCN-001', message: 'the beacon is silent' }
    ])
  })

  it('end at once where the daemon is broken', async () => {
    daemon.refusals = [['SVC-STO-001', 'the disk is full']]
    expect(await register('alice\n')).toMatchObject(says(8, 'SVC-STO-001'))
  })

  it('say at Ctrl-C what goes on and what does not', async () => {
    const interruption = new AbortController()
    const running = register('alice\nbob\n', ['--no-json'], { signal: interruption.signal })
    while (daemon.registrations().length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    interruption.abort()
    const { exitCode, stderr } = await running
    expect(exitCode).toBe(130)
    expect(stderr).toContain('the daemon goes on with')
  })

  it('ask again while the daemon does not answer, and say so once', async () => {
    daemon.tasks = [{ ...TASK, name: 'alice.chronym' }]
    const running = register('alice\n', ['--no-json'])
    // The last request before those that are made again.
    while (!daemon.asked.includes('GET /api/vdf/tasks')) await new Promise((resolve) => setTimeout(resolve, 1))
    daemon.absent = 2
    const { exitCode, stderr } = await running
    expect(exitCode).toBe(0)
    expect(stderr.match(/does not answer; trying again/gu)).toHaveLength(1)
  })
})
