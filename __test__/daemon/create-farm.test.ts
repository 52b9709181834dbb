/** Farms of configurations: also of those whose credentials were a folder, with a file for each account. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/config.ts'
import { createFarm } from '../../src/daemon/create-farm.ts'
import { createLogger } from '../../src/log.ts'
import { makeKey } from '../../src/farm/credentials.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { createNativePool } from '../../src/native/pool/pool.ts'
import { temporary } from '../temporary.ts'

const pool = createNativePool({ evaluationThreads: 1 })
const log = createLogger('silent', (text) => text)
let folder: string
let warnings: string[]

beforeEach(() => {
  folder = temporary()
  warnings = []
  log.warn = (message: unknown) => void warnings.push(String(message))
})

const create = (credentials: string) => {
  const { vdf } = checkConfig({ vdf: { farm: 'nats://127.0.0.1:4222', farm_credentials: credentials } }, 'test')
  return createFarm({ settings: vdf, profile: local, pool, log })
}

it('takes a file without a word', async () => {
  makeKey(join(folder, 'own.nk'))
  expect(await create(join(folder, 'own.nk'))).toBeDefined()
  expect(warnings).toEqual([])
})

it('takes the only file of a folder, and says so', async () => {
  makeKey(join(folder, 'own.nk'))
  // As Kubernetes has it.
  mkdirSync(join(folder, '..data'))
  expect(await create(folder)).toBeDefined()
  expect(warnings).toEqual([expect.stringContaining(`${join(folder, 'own.nk')} is used`)])
})

it.each([[[]], [['alice.nk', 'own.nk']]])('goes without a farm where a folder has the files %j', async (files) => {
  for (const file of files) writeFileSync(join(folder, file), '')
  expect(await create(folder)).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining(`vdf.farm_credentials is the folder ${folder}`)])
  expect(warnings[0]).toContain('no farm is used')
})

it.each([
  ['is not there', 'none.nk', 'there is no file'],
  ['others may read', 'open.nk', 'is open to others of this machine (mode 644). Close it: chmod 600 '],
  ['is none', 'bad.nk', 'has neither the seed of a user']
])('refuses a file that %s', async (_what, file, message) => {
  makeKey(join(folder, 'open.nk'))
  chmodSync(join(folder, 'open.nk'), 0o644)
  writeFileSync(join(folder, 'bad.nk'), 'SAxyz', { mode: 0o600 })
  await expect(create(join(folder, file))).rejects.toMatchObject({
    code: 'SVC-CFG-001',
    message: expect.stringContaining(message) as string
  })
})
