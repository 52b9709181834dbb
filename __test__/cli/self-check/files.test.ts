import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkFiles } from '../../../src/cli/self-check/files.ts'
import { temporary } from '../../temporary.ts'

const ADDON = 'chronym.linux-x64-gnu.node'
let root: string

beforeEach(() => {
  root = temporary()
  mkdirSync(join(root, 'native'))
  mkdirSync(join(root, 'platform'))
  writeFileSync(join(root, 'platform', ADDON), 'the addon')
  const sha256 = createHash('sha256').update('the addon').digest('hex')
  writeFileSync(join(root, 'native/checksums.json'), JSON.stringify({ 'linux-x64-gnu': { [ADDON]: sha256 } }))
})

const check = (target = 'linux-x64-gnu', find = (file: string): string | undefined => join(root, 'platform', file)) =>
  checkFiles({ root, target, find })

describe('the installed files', () => {
  it('pass with the checksums that were packed', () => {
    expect(check()).toMatchObject({ state: 'ok', detail: expect.stringContaining(ADDON) as string })
  })

  it('fail when one byte differs', () => {
    writeFileSync(join(root, 'platform', ADDON), 'the addom')
    expect(check()).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(/is not the file that was packed: its SHA-256 is [0-9a-f]{64}, not /) as string,
      cure: expect.stringContaining('npm install --global ./chronym-*.tgz') as string
    })
  })

  it('fail when one is missing', () => {
    const none = (): undefined => undefined
    expect(check(undefined, none)).toMatchObject({
      state: 'failed',
      detail: `${ADDON} of @chronym/native-linux-x64-gnu is not installed`
    })
  })

  it('fail where nothing was packed for the platform or at all, and name the cure', () => {
    const missing = {
      state: 'failed',
      detail: expect.stringMatching(/without an addon for .*, and none was built here/) as string,
      cure: expect.stringContaining('npm rebuild chronym') as string
    }
    expect(check('linux-x64-musl')).toMatchObject(missing)
    rmSync(join(root, 'native/checksums.json'))
    expect(check()).toMatchObject(missing)
  })

  it('have no checksum where the addon was built', () => {
    writeFileSync(join(root, 'native', ADDON), 'built here')
    expect(check()).toMatchObject({ state: 'ok', detail: expect.stringContaining('built on this machine') as string })
  })

  it('fail with the reason when the list cannot be read', () => {
    writeFileSync(join(root, 'native/checksums.json'), '{')
    expect(check()).toMatchObject({ state: 'failed' })
  })
})
