/** What `chronym self-check` says of configuration, data directory, ports and daemon. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { serve } from '../../../src/api/serve.ts'
import { dataPaths } from '../../../src/data-directory/paths.ts'
import { writePrivateFile } from '../../../src/data-directory/private-files.ts'
import { writeRunningRecord } from '../../../src/data-directory/running-record.ts'
import { openStore } from '../../../src/store/open.ts'
import { VERSION } from '../../../src/version.ts'
import { createWorld, INSTANCE, MAIN_TOKEN } from '../../api/helpers/world.ts'
import { RENAMING } from '../../store/migrating.ts'
import { cli } from '../harness.ts'
import { temporary } from '../../temporary.ts'

let directory: string
let env: Record<string, string>

beforeEach(() => {
  directory = temporary()
  env = { CHRONYM_CONFIG: join(directory, 'config.toml'), CHRONYM_DATA_DIR: join(directory, 'data') }
  writeFileSync(env['CHRONYM_CONFIG']!, '[api]\nport = 0\n')
})

interface Answer {
  readonly healthy: boolean
  readonly checks: readonly { name: string; state: string; detail: string; cure?: string }[]
}

async function check(): Promise<{ exitCode: number; healthy: boolean; of: (name: string) => unknown }> {
  const { exitCode, stdout } = await cli(['self-check', '--json'], { env })
  const { healthy, checks } = JSON.parse(stdout) as Answer
  return { exitCode, healthy, of: (name) => checks.find((each) => each.name === name) }
}

describe('self-check', () => {
  it('passes before the first start, makes nothing, and says what it looked at', async () => {
    const { exitCode, healthy, of } = await check()
    expect({ exitCode, healthy }).toEqual({ exitCode: 0, healthy: true })
    for (const name of ['node', 'files', 'addon', 'proof', 'pulse', 'config', 'data', 'daemon', 'ports'])
      expect(of(name)).toMatchObject({ state: 'ok' })
    expect(of('data')).toMatchObject({ detail: expect.stringContaining('is not used yet') as string })
    expect(existsSync(join(directory, 'data'))).toBe(false)
  })

  it('fails for an invalid configuration, and names the field', async () => {
    writeFileSync(env['CHRONYM_CONFIG']!, '[api]\nport = "many"\n')
    const { exitCode, of } = await check()
    expect(exitCode).toBe(1)
    expect(of('config')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('api.port') as string
    })
  })

  it('reads the version of the data directory: passes for this one, warns for an older, fails for a newer', async () => {
    const { database } = dataPaths(join(directory, 'data'))
    openStore(database).close()
    const setVersion = (version: number): void => {
      const file = new Database(database)
      file.pragma(`user_version = ${version}`)
      file.close()
    }
    expect((await check()).of('data')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('can be read; schema 2') as string
    })
    setVersion(0)
    const older = await check()
    expect(older.exitCode).toBe(0)
    expect(older.of('data')).toMatchObject({
      state: 'warning',
      cure: expect.stringMatching(/next start.*moves it forward, after a copy/) as string
    })
    setVersion(RENAMING.version)
    const newer = await check()
    expect(newer.exitCode).toBe(1)
    expect(newer.of('data')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('newer version of Chronym') as string
    })
  })

  it('fails where a port of the configuration is in use, and names it', async () => {
    const other = createServer()
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const { port } = other.address() as AddressInfo
    for (const text of [
      `[api]\nport = ${port}\n`,
      `[api]\nport = 0\n[p2p]\nlisten = ["/ip4/127.0.0.1/tcp/${port}"]\n`,
      `[api]\nport = 0\n[dns]\nlisten = ["127.0.0.1:${port}"]\n`
    ]) {
      writeFileSync(env['CHRONYM_CONFIG']!, text)
      const { exitCode, of } = await check()
      expect(exitCode).toBe(1)
      expect(of('ports')).toMatchObject({
        state: 'failed',
        detail: `127.0.0.1:${port} cannot be listened on (EADDRINUSE)`
      })
    }
    other.close()
    await once(other, 'close')
  })

  it.each([
    [VERSION, 0, 'ok'],
    ['0.0.1', 1, 'failed']
  ])('compares versions with the running daemon: %s', async (version, exitCode, state) => {
    const world = createWorld()
    const server = await serve({ ...world.services, version }, { host: '127.0.0.1', port: 0 })
    const paths = dataPaths(join(directory, 'data'))
    openStore(paths.database).close()
    writePrivateFile(paths.token, `${MAIN_TOKEN}\n`)
    writeRunningRecord(paths, { url: server.url, instance: INSTANCE })
    const found = await check()
    await server.close()
    expect(found.exitCode).toBe(exitCode)
    expect(found.of('daemon')).toMatchObject({ state, detail: expect.stringContaining(`version ${version}`) as string })
    expect(found.of('ports')).toBeUndefined()
  })
})
