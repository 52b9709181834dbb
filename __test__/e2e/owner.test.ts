/** Root helps in the directory of a service: all that is there stays the service's, so that its daemon starts again. */
import { spawnSync } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Scene } from './processes.ts'

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const RECIPIENT = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
/** nobody, in the place of the service's user. */
const SERVICE = 65_534

const scene = new Scene()
afterAll(() => scene.end())

let directory: string
let elsewhere: string

const filesOf = (): string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' })

/** The files that are not of the service. */
const strange = (): string[] => filesOf().filter((name) => statSync(join(directory, name)).uid !== SERVICE)

beforeAll(async () => {
  elsewhere = scene.directory()
  directory = join(scene.directory(), 'service')
  const daemon = await scene.daemon(['--data-dir', directory, '--dns-enabled', 'false'])
  await daemon.signal('SIGTERM')
  writeFileSync(join(elsewhere, 'words'), readFileSync(join(directory, 'seed-words')), { mode: 0o600 })
  writeFileSync(join(elsewhere, 'phrase'), 'correct horse battery staple', { mode: 0o600 })
})

describe.runIf(process.getuid?.() === 0)('a command of root', () => {
  const commands: [what: string, args: () => string[], before?: () => void][] = [
    ['key check', () => ['key', 'check', join(elsewhere, 'words')]],
    ['backup', () => ['backup', join(elsewhere, 'b.age'), '--recipient', RECIPIENT]],
    ['backup into the directory', () => ['backup', join(directory, 'b.age'), '--recipient', RECIPIENT]],
    ['key import', () => ['key', 'import', join(elsewhere, 'words')], () => rmSync(join(directory, 'seed-words'))],
    ['key passphrase', () => ['key', 'passphrase', '--passphrase-file', join(elsewhere, 'phrase')]],
    [
      'key passphrase --remove',
      () => ['key', 'passphrase', '--remove', '--seed-passphrase-file', join(elsewhere, 'phrase')]
    ]
  ]
  it.each(commands)('leaves every file to the owner: %s', (_what, args, before) => {
    chownSync(directory, SERVICE, SERVICE)
    before?.()
    for (const name of filesOf()) chownSync(join(directory, name), SERVICE, SERVICE)
    const { stderr, status } = spawnSync(process.execPath, [MAIN, '--data-dir', directory, ...args()], {
      input: '',
      encoding: 'utf8'
    })
    expect(stderr).not.toContain('error')
    // A backup of a directory without names ends with 9.
    expect([0, 9]).toContain(status)
    expect(strange()).toEqual([])
  })
})
