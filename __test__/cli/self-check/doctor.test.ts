/** What `doctor` says of the configuration: the running daemon's, or that of the file where none runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApiServer, serve } from '../../../src/api/serve.ts'
import { changePoint } from '../../../src/protocol/crypto/change-keys.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { createConfigService, type StartSources } from '../../../src/config/service.ts'
import { checkConfig, mergeConfig } from '../../../src/config/config.ts'
import { dataPaths } from '../../../src/data-directory/paths.ts'
import { writePrivateFile } from '../../../src/data-directory/private-files.ts'
import { writeRunningRecord } from '../../../src/data-directory/running-record.ts'
import { createWorld, INSTANCE, MAIN_TOKEN, type World } from '../../api/helpers/world.ts'
import { bytesOf } from '../../protocol/fixtures.ts'
import { profile } from '../../registry/test-profile.ts'
import { cli, says } from '../harness.ts'
import { temporary } from '../../temporary.ts'

interface Diagnosis {
  readonly checks: readonly { name: string; state: string; detail: string; cure?: string }[]
  readonly configuration: { from: string; fields: { field: string; value: unknown; source: string }[] } | null
}

let directory: string
let world: World
let server: ApiServer | undefined
let env: Record<string, string>

/** The configuration of a daemon that started with these sources. */
function configured(sources: StartSources): void {
  const started = checkConfig(mergeConfig(sources.file, sources.flags), 'test')
  world.services.config = createConfigService({
    initial: started,
    started,
    sources,
    overrides: {},
    save: () => undefined,
    apply: async () => undefined
  })
}

beforeEach(() => {
  directory = temporary()
  writeFileSync(join(directory, 'config.toml'), 'mode = "light"\n')
  env = { CHRONYM_CONFIG: join(directory, 'config.toml'), CHRONYM_DATA_DIR: directory }
  world = createWorld()
  configured({ file: { mode: 'light' }, environment: {}, flags: { api: { port: 0 } } })
})
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(): Promise<void> {
  server = await serve(world.services, { host: '127.0.0.1', port: 0 })
  writePrivateFile(dataPaths(directory).token, `${MAIN_TOKEN}\n`)
  writeRunningRecord(dataPaths(directory), { url: server.url, instance: INSTANCE })
}

async function diagnose(args: readonly string[] = []): Promise<Diagnosis> {
  return JSON.parse((await cli(['doctor', '--json', ...args], { env })).stdout) as Diagnosis
}

const of = ({ checks }: Diagnosis, name: string) => checks.find((check) => check.name === name)
const field = ({ configuration }: Diagnosis, path: string) => configuration?.fields.find((each) => each.field === path)

describe('doctor', () => {
  it('reads file and environment where no daemon runs, and says so', async () => {
    const found = await diagnose()
    expect(of(found, 'config')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(
        /from file and environment, as no daemon answers: network local, mode light/
      ) as string
    })
    expect(of(found, 'daemon')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining(`no daemon runs on ${directory}`) as string,
      cure: expect.stringContaining('chronym daemon --data-dir') as string
    })
    expect(found.configuration?.from).toBe('file')
    expect([field(found, 'mode')?.source, field(found, 'data_dir')?.source, field(found, 'vdf.queue')?.source]).toEqual(
      ['file', 'environment', 'default']
    )
  })

  it('reports what the running daemon holds, not what the file says by now', async () => {
    await start()
    writeFileSync(join(directory, 'config.toml'), 'mode = "offline"\n')
    const found = await diagnose()
    expect(of(found, 'config')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/of the running daemon: .* mode light/) as string
    })
    expect(found.configuration?.from).toBe('daemon')
    expect([field(found, 'mode')?.source, field(found, 'api.port')?.source]).toEqual(['file', 'flag'])
  })

  it('changes single entries of a list, and prints what changed and no other setting', async () => {
    await start()
    const config = (...args: string[]) => cli(['--no-json', 'config', ...args], { env })
    const hosts = 'api.allowed_hosts'
    expect((await config('set', `${hosts}=a.example`)).stdout).toBe(`${hosts}  ["a.example"] (before: [])\n`)
    expect((await config('add', hosts, 'b.example', 'a.example', 'c.example,d.example')).stdout).toBe(
      `${hosts}  ["a.example","b.example","c.example","d.example"] (before: ["a.example"])\n`
    )
    expect((await config('add', hosts, 'b.example')).stdout).toBe('nothing changed\n')
    expect((await config('remove', hosts, 'a.example', 'c.example')).stdout).toMatch(
      /^api\.allowed_hosts {2}\["b\.example","d\.example"\] /u
    )
    expect(await config('remove', hosts, 'b.example', 'z.example')).toMatchObject(says(4, 'has no entry "z.example"'))
    expect(await config('add', 'vdf.queue', '7')).toMatchObject(says(2, 'chronym config set vdf.queue=VALUE'))
    expect(await config('add', 'moed', '7')).toMatchObject(says(4, 'there is no field "moed"'))
    expect((await config('set', 'vdf.queue=5')).stdout).toBe('vdf.queue  5 (before: 100)\n')
    expect((await config('unset', 'vdf.queue')).stdout).toBe('vdf.queue  100 (before: 5)\n')
    const { stdout } = await cli(['--no-json', 'doctor'], { env })
    expect(stdout).toMatch(/^api\.allowed_hosts +\["b\.example","d\.example"\] +run time$/mu)
    expect(stdout).not.toMatch(/^vdf\.queue|^log\.level|default$/mu)
  })

  it('shows what was set at run time and hides the file, until it is unset', async () => {
    await start()
    await cli(['config', 'set', 'mode=offline', 'vdf.queue=5'], { env })
    const found = await diagnose()
    expect(of(found, 'config')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('mode = "offline" (file: "light"), vdf.queue = 5 (default: 100)') as string,
      cure: 'Undo it: chronym config unset mode vdf.queue'
    })
    expect(field(found, 'mode')?.source).toBe('run time')
    const unset = await cli(['config', 'unset', 'mode', 'vdf.queue', '--json'], { env })
    expect(JSON.parse(unset.stdout)).toMatchObject({ mode: 'light', vdf: { queue: 100 } })
    expect(of(await diagnose(), 'config')).toMatchObject({ state: 'ok' })
    for (const [assignment, fault] of [
      ['moed=light', 'moed: unknown field'],
      ['vdf.queue=many', 'vdf.queue: must be a number, not "many"']
    ] as const) {
      expect(await cli(['config', 'set', 'mode=offline', assignment], { env })).toMatchObject(
        says(6, `(nothing was changed)\n  ${fault}\n  cure: `)
      )
    }
    expect(field(await diagnose(), 'mode')?.source).toBe('file')
    for (const act of ['get', 'unset'])
      expect(await cli(['config', act, 'moed'], { env })).toMatchObject(
        says(4, 'there is no field "moed"\n  cure: `chronym config get`')
      )
  })

  it.each([
    [
      { name: 'backup', ok: true, detail: 'written 9 s ago' },
      { name: 'backup', state: 'ok', detail: '/srv/names.age: written 9 s ago' }
    ],
    [
      { name: 'backup', ok: true, warning: true, detail: 'not written yet' },
      {
        name: 'backup',
        state: 'warning',
        detail: '/srv/names.age: not written yet',
        cure: expect.stringContaining('Move away a file there') as string
      }
    ],
    [{ name: 'peers', ok: true, detail: 'no backup is kept' }, undefined]
  ])('tells file and age of the kept backup, and warns where it cannot be written: %j', async (check, expected) => {
    configured({ file: { backup: { file: '/srv/names.age' } }, environment: {}, flags: {} })
    world.state.checks = [check]
    await start()
    expect(of(await diagnose(), 'backup')).toEqual(expected)
  })

  it('warns of names without change words', async () => {
    await start()
    expect(of(await diagnose(), 'change words')).toBeUndefined()
    await world.own('alice.chronym')
    expect(of(await diagnose(), 'change words')).toMatchObject({
      state: 'warning',
      cure: expect.stringContaining('chronym key change-words') as string
    })
    world.node.registry.setChangePoint(changePoint(bytesOf('words'), profileHash(profile)))
    expect(of(await diagnose(), 'change words')).toMatchObject({ state: 'ok' })
  })

  it('prints each field that is not the default, with its value and source, on a terminal', async () => {
    await start()
    const { stdout } = await cli(['doctor'], { env, terminal: true })
    expect(stdout).toContain('settings other than the default, of the running daemon\n')
    expect(stdout).toMatch(/^mode +"light" +file$/m)
    expect(stdout).not.toContain('log.level')
  })

  it('says so where the daemon does not tell its configuration to this token', async () => {
    await start()
    const { token } = world.services.tokens.create(['vdf'])
    const found = await diagnose(['--token', token])
    expect(of(found, 'config')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('SVC-AUT-002') as string,
      cure: expect.stringContaining('scope read') as string
    })
    expect(found.configuration).toBeNull()
  })
})
