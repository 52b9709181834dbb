import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../src/cli/context.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { MEANT_FOR_A_DAEMON, shellWord, withDaemon } from '../../src/util/shell-commands.ts'

/** Of no daemon: they take neither directory nor address, or are about this program alone. */
const ALONE = ['beacon', 'completion', 'help', 'vdf', 'verify', 'worker']

describe('commands in messages', () => {
  const meant = { dataDir: '/tmp/my names', api: 'http://127.0.0.1:7469' }

  it.each([
    ['chronym tasks', "chronym --data-dir '/tmp/my names' --api http://127.0.0.1:7469 tasks"],
    ['see `chronym key show`.', "see `chronym --data-dir '/tmp/my names' key show`."],
    ['chronym key rotate alice', /^chronym --data-dir '.*' --api .* key rotate alice$/],
    ['one (chronym pins list); or: chronym tasks', /^one \(chronym --data-dir .* pins list\); or: chronym --data-dir/],
    ['cure\n   chronym doctor', /\n {3}chronym --data-dir '.*' --api .* doctor$/]
  ])('name the daemon that is meant: %j', (text, expected) => {
    expect(withDaemon(text, meant)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
    expect(withDaemon(text, {})).toBe(text)
  })

  it.each([
    'a file of chronym backup',
    'Written by chronym dns setup',
    'See: chronym help vdf verify',
    'start it: chronym daemon --network local --data-dir /x',
    'Use: chronym-tasks',
    'the chronym daemon'
  ])('are left alone where they are none, or complete: %j', (text) => {
    expect(withDaemon(text, meant)).toBe(text)
  })

  it('are all commands but those without a daemon', () => {
    const known = MEANT_FOR_A_DAEMON.split(' ')
    const names = buildProgram({ surroundings: { stdout: process.stdout } } as unknown as Run).commands.map((command) =>
      command.name()
    )
    expect(names.filter((name) => !ALONE.includes(name) && !known.includes(name))).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a word of the shell', () => {
  it.each(['/tmp/x', "it's", 'a b', '$(id)', 'a"b', 'ü', '', ';', "'"])('is read as it was: %j', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`]).toString()).toBe(text)
  })
})
