/** A real daemon that owns a name, and its directory without what belongs to it. */
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { register, runToEnd, Scene, type Daemon } from './processes.ts'

const scene = new Scene()
afterAll(() => scene.end())

const NAME = 'alice.chronym'
const QUIET = ['--port', '0', '--listen', '/ip4/127.0.0.1/tcp/0']

const network = ['--network', scene.network()]
let directory: string
let words: string
let peerId: string

/** Names, modes and bytes of all that is in the directory. */
function image(): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    ['.', ...files].map((name) => {
      const path = join(directory, name)
      const stat = statSync(path)
      return [
        name,
        `${stat.mode} ${stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
      ]
    })
  )
}

async function ownsTheName(daemon: Daemon): Promise<void> {
  const { body } = await daemon.request('GET', '/api/names')
  expect(body).toMatchObject([{ name: NAME, state: 'live' }])
}

beforeAll(async () => {
  // Commands in messages quote it.
  directory = join(scene.directory(), 'my names')
  const daemon = await scene.daemon([...network, '--data-dir', directory])
  expect(daemon.logText()).toContain('write its 24 words down')
  expect(daemon.logText()).toContain(`chronym --data-dir '${directory}' key show`)
  words = readFileSync(join(directory, 'seed-words'), 'utf8').trim()
  expect(daemon.logText()).not.toContain(words.split(' ').slice(0, 6).join(' '))
  await register(daemon, NAME)
  await ownsTheName(daemon)
  peerId = daemon.summary.peer_id
  await daemon.signal('SIGKILL')
})

describe('the directory of a killed daemon that owns a name', () => {
  const cases: [title: string, code: string, exitCode: number, spoil: () => void, args: string[]][] = [
    ['without its seed', 'SVC-KEY-001', 1, () => rmSync(join(directory, 'seed-words')), []],
    ['started on another network', 'SVC-CFG-001', 2, () => undefined, ['--network', 'test']]
  ]

  it.each(cases)('%s is refused and not changed', async (_title, code, exitCode, spoil, args) => {
    const kept = ['seed-words', 'node-key'].map(
      (name) => [join(directory, name), join(scene.directory(), name)] as const
    )
    for (const [file, copy] of kept) copyFileSync(file, copy)
    spoil()
    const before = image()
    expect(Object.keys(before)).toContain('chronym.db-wal')
    const { code: ended, stderr } = await runToEnd('src/daemon/main.ts', [
      ...[...QUIET, '--data-dir', directory],
      ...(args.length === 0 ? network : args)
    ])
    expect(stderr).toContain(code)
    expect(stderr).toContain(directory)
    const commands = stderr.match(/`chronym (?!daemon)[^`]*`/gu) ?? []
    for (const command of commands) expect(command).toContain(`chronym --data-dir '${directory}' `)
    if (code === 'SVC-KEY-001') expect(commands).toHaveLength(1)
    expect(ended).toBe(exitCode)
    expect(image()).toEqual(before)
    for (const [file, copy] of kept) copyFileSync(copy, file)
  })

  it('works again once its words are put back', async () => {
    rmSync(join(directory, 'seed-words'))
    const paper = join(scene.directory(), 'paper')
    writeFileSync(paper, words)
    expect(await runToEnd('src/cli/main.ts', ['key', 'import', paper, '--data-dir', directory])).toMatchObject({
      code: 0
    })
    const daemon = await scene.daemon([...network, '--data-dir', directory, '--seed-passphrase-file', '/not/needed'])
    expect(daemon.logText()).toContain(`\`chronym --data-dir '${directory}' key passphrase\` gives it one`)
    await ownsTheName(daemon)
    expect(daemon.summary.peer_id).toBe(peerId)
    expect(daemon.logText()).not.toContain('24 words')
    expect(
      (await daemon.request('POST', `/api/zone/${NAME}`, { records: { www: [{ type: 'A', value: '192.0.2.1' }] } }))
        .status
    ).toBe(200)
    expect((await daemon.request('POST', `/api/zone/${NAME}/publish`)).body).toMatchObject({ success: true })
    await daemon.signal('SIGTERM')
  })

  it('without a node key is another peer with the same names', async () => {
    rmSync(join(directory, 'node-key'))
    const daemon = await scene.daemon([...network, '--data-dir', directory])
    expect(daemon.summary.peer_id).not.toBe(peerId)
    expect(daemon.logText()).toContain('there was no node key')
    await ownsTheName(daemon)
    await daemon.signal('SIGTERM')
  })
})
