import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { OwnedNameView } from '../../../../src/views/own.ts'
import { ServiceError } from '../../../../src/errors.ts'
import { NAME, ownedName, REVEAL } from '../../../api/helpers/records.ts'
import { explanation } from '../../../api/helpers/explanation.ts'
import { MAIN_TOKEN } from '../../../api/helpers/world.ts'
import { DaemonScene } from '../../daemon-scene.ts'
import { cli, type CliResult, says } from '../../harness.ts'
import { temporary } from '../../../temporary.ts'

const DETAIL = "alice.chronym is registered already by a key of this daemon's seed, and this daemon has taken it up."

describe('registering a name that is ours and was forgotten', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  async function register(extensions: Record<string, unknown>, ...args: string[]): Promise<CliResult> {
    const { url, world } = await scene.daemon()
    world.answers.register = () => Promise.reject(new ServiceError('SVC-REG-001', DETAIL, { extensions }))
    return cli(['--api', url, '--token', MAIN_TOKEN, 'register', 'alice.chronym', '--yes', ...args])
  }

  it.each([[], ['--no-wait']])('says that the daemon has taken it up, and ends with 0', async (...args) => {
    const { exitCode, stdout } = await register({ taken_up: true }, '--json', ...args)
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ event: 'taken-up', name: 'alice.chronym', message: DETAIL })
  })

  it('ends with 6 where a zone was to be published with it, and where another key has the name', async () => {
    const directory = temporary()
    writeFileSync(join(directory, 'zone'), '@ A 192.0.2.1\n')
    expect(await register({ taken_up: true }, '--zone', join(directory, 'zone'))).toMatchObject({
      ...says(6, DETAIL),
      stdout: ''
    })
    expect(await register({})).toMatchObject({ exitCode: 6, stdout: '' })
  })
})

describe('a name that is sold', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  it('is released without a question, and leaves the list; a look-up calls it no name of the daemon', async () => {
    const { url, world } = await scene.daemon()
    const sold = { to: 'ab'.repeat(32), at: '2026-11-24T12:00:00.000Z' }
    let owned: OwnedNameView = { ...ownedName(NAME), state: 'sold', sold }
    world.hold(REVEAL)
    world.answers.ownedNames = () => [owned]
    world.answers.release = () => owned
    world.answers.explain = () =>
      Promise.resolve(explanation({ own: { name: owned, claim: null, receipts: null, tasks: [] } }))
    const run = (...args: string[]) => cli(['--api', url, '--token', MAIN_TOKEN, '--no-json', ...args])
    const { stdout } = await run('resolve', NAME)
    expect(stdout).toMatch(/^owner +[0-9a-f]{64}$/m)
    expect(stdout).toMatch(/^sold +by this daemon, for good since 2026-11-24T12:00:00.000Z$/m)
    expect(await run('release', NAME)).toMatchObject({
      exitCode: 0,
      stdout: `${NAME} is off the list: it is another owner's.\n`
    })
    owned = ownedName(NAME)
    expect((await run('resolve', NAME)).stdout).toMatch(/^owner +this daemon \([0-9a-f]{64}\)$/m)
    expect((await run('release', NAME)).exitCode).toBe(2)
  })
})

describe('a name or a word that a command refuses', () => {
  const scene = new DaemonScene()
  afterEach(() => scene.end())

  /** The commands in a message, as a person pastes them. */
  const pasted = (text: string): string[][] =>
    [...text.matchAll(/`chronym ([^`]+)`/gu)].map(([, command]) => command!.split(' '))

  it('is one of this daemon: the message has the renewal alone, and it works when pasted', async () => {
    const { url, world } = await scene.daemon()
    await world.own('alice.chronym')
    const detail = 'This daemon owns alice.chronym already; extend its lease: `chronym renew alice.chronym`.'
    world.answers.register = () =>
      Promise.reject(new ServiceError('SVC-REG-001', detail, { extensions: { owned: true } }))
    const dataDir = scene.dataDirectory(url)
    const { exitCode, stderr } = await cli(['--data-dir', dataDir, 'register', 'alice.chronym', '--yes'])
    expect(exitCode).toBe(6)
    expect(stderr).not.toContain('another name')
    const [renewal, ...others] = pasted(stderr)
    expect(others).toEqual([])
    expect((await cli([...renewal!, '--yes', '--no-wait'])).exitCode).toBe(0)
  })

  it.each(['kid', 'manifest'])('is no DID: both commands that `%s show` names work when pasted', async (group) => {
    const { url, world } = await scene.daemon()
    world.hold(REVEAL)
    const { exitCode, stderr } = await cli(['--data-dir', scene.dataDirectory(url), group, 'show', NAME])
    expect(exitCode).toBe(2)
    const commands = pasted(stderr)
    expect(commands).toHaveLength(2)
    for (const command of commands) expect((await cli(command)).exitCode, command.join(' ')).toBe(0)
  })
})
