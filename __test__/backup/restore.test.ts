/** What a restore makes durable, and when: a power failure after it must find the whole directory. */
import { mkdtempSync, rmSync } from 'node:fs'
import type * as FileSystem from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeDirectory } from '../../src/backup/restore.ts'
import { seedToWords } from '../../src/protocol/crypto/keys.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'

/** Directories synchronised, and renames, in order. */
const done = vi.hoisted((): string[] => [])
vi.mock('node:fs', async (original) => {
  const system = await original<typeof FileSystem>()
  const opened = new Map<number, string>()
  return {
    ...system,
    openSync: (...args: Parameters<typeof system.openSync>) => {
      const handle = system.openSync(...args)
      opened.set(handle, String(args[0]))
      return handle
    },
    fsyncSync: (handle: number) => {
      done.push(`sync ${opened.get(handle)}`)
      system.fsyncSync(handle)
    },
    renameSync: (from: string, to: string) => {
      done.push(`rename to ${to}`)
      system.renameSync(from, to)
    }
  }
})

let scratch: string
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'chronym-restore-'))))
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

it('synchronises the directory before it has its name, and the one above afterwards', () => {
  const place = join(scratch, 'new', 'data')
  writeDirectory(place, {
    profile: builtInProfiles.local,
    words: seedToWords(new Uint8Array(32).fill(7)),
    records: new Map(),
    files: [{ path: 'tasks/one/state', bytes: Buffer.from('state') }]
  })
  const renamed = done.indexOf(`rename to ${place}`)
  const syncedBefore = done.slice(0, renamed).map((each) => each.slice('sync '.length))
  const staging = syncedBefore.findLast((each) => basename(each).startsWith('.data.restoring-'))!
  expect(dirname(staging)).toBe(dirname(place))
  expect(syncedBefore).toEqual(
    expect.arrayContaining([scratch, staging, join(staging, 'tasks'), join(staging, 'tasks/one')])
  )
  expect(syncedBefore.lastIndexOf(staging)).toBe(syncedBefore.length - 1)
  expect(done.slice(renamed + 1)).toEqual([`sync ${dirname(place)}`])
})
