/** Directories of other versions: older ones move forward after a copy, newer ones are refused. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { copyOf, LAYOUT, type Layout, type Migrated, SCHEMA_VERSION } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { readSnapshot } from '../../src/store/inspect.ts'
import { RENAMING, RECORDS } from './migrating.ts'
import { directory, file } from './scene.ts'

/** A directory of the layout before `RENAMING`, as its daemon left it. */
function oldDirectory(): void {
  const store = openStore(file)
  store.batch(Array.from({ length: RECORDS }, (_, index) => ({ put: `old/${index}`, value: new Uint8Array([index]) })))
  store.close()
}

function setVersion(version: number): void {
  const database = new Database(file)
  database.pragma(`user_version = ${version}`)
  database.close()
}

function keysOf(path: string): string[] {
  const database = new Database(path, { readonly: true })
  const rows = database.prepare<[], { key: string }>('SELECT key FROM records').all()
  database.close()
  return rows.map(({ key }) => key)
}

const isOld = (keys: string[]): boolean => keys.length === RECORDS && keys.every((key) => key.startsWith('old/'))
const isNew = (keys: string[]): boolean => keys.length === RECORDS && keys.every((key) => key.startsWith('new/'))

describe('a directory of an older version', () => {
  it('is moved forward, after a copy that only its owner reads', () => {
    oldDirectory()
    let told: Migrated | undefined
    const store = openStore(file, { layout: RENAMING, onMigrated: (migrated) => (told = migrated) })
    expect(store.count('new/')).toBe(RECORDS)
    expect(store.count('old/')).toBe(0)
    store.close()
    const copy = copyOf(file, SCHEMA_VERSION)
    expect(told).toEqual({ from: SCHEMA_VERSION, to: RENAMING.version, copy })
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(isOld(keysOf(copy))).toBe(true)
    // Once is enough, and the copy stays.
    openStore(file, { layout: RENAMING, onMigrated: () => expect.unreachable() }).close()
    expect(existsSync(copy)).toBe(true)
  })

  it('can be put back from the copy, for the older version', () => {
    oldDirectory()
    openStore(file, { layout: RENAMING }).close()
    writeFileSync(file, readFileSync(copyOf(file, SCHEMA_VERSION)))
    const store = openStore(file)
    expect(store.count('old/')).toBe(RECORDS)
    store.close()
  })

  it.each(['copying', 'first step', 'last step'])('loses nothing when the process is killed: %s', async (moment) => {
    oldDirectory()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'migrating.ts'), file, moment], {
      stdio: ['ignore', 'ignore', 'inherit']
    })
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
    // A whole copy or none; the temporary one counts for nothing.
    const copies = readdirSync(directory).filter(
      (name) => name.startsWith('chronym.db.schema') && !name.includes('.tmp')
    )
    for (const copy of copies) expect(isOld(keysOf(join(directory, copy)))).toBe(true)
    expect(copies).toHaveLength(moment === 'copying' ? 0 : 1)
    expect(isOld(keysOf(file))).toBe(true)
    openStore(file, { layout: RENAMING }).close()
    expect(isNew(keysOf(file))).toBe(true)
    expect(isOld(keysOf(copyOf(file, SCHEMA_VERSION)))).toBe(true)
  })

  it('stays as it was when a step fails', () => {
    oldDirectory()
    const failing: Layout = {
      version: RENAMING.version,
      migrations: new Map([
        [
          SCHEMA_VERSION,
          (database) => {
            database.exec("DELETE FROM records WHERE key LIKE 'old/1%'")
            throw new Error('a bug')
          }
        ]
      ])
    }
    expect(() => openStore(file, { layout: failing })).toThrow('a bug')
    expect(isOld(keysOf(file))).toBe(true)
  })

  it('is not changed before it is admitted', () => {
    oldDirectory()
    const refuse = (): void => {
      throw new Error('another network')
    }
    expect(() => openStore(file, { layout: RENAMING, admit: refuse })).toThrow('another network')
    expect(existsSync(copyOf(file, SCHEMA_VERSION))).toBe(false)
    expect(isOld(keysOf(file))).toBe(true)
  })

  it('is refused when no step leads from it, by daemon and backup alike', () => {
    oldDirectory()
    setVersion(0)
    expect(() => openStore(file)).toThrow(/has schema 0, which this version cannot migrate to 2/)
    expect(() => readSnapshot(file, ['old/'])).toThrow(/older version.*Start the daemon on it once/)
  })
})

describe('a directory of a newer version', () => {
  it('is refused as it is, and says what to do', () => {
    openStore(file, { layout: RENAMING }).close()
    const before = readFileSync(file)
    const refusal = expect.objectContaining({
      code: 'newer',
      message: expect.stringMatching(/newer version.*was not changed.*Install that version again/) as string
    }) as Error
    expect(() => openStore(file)).toThrow(refusal)
    expect(() => readSnapshot(file, ['old/'])).toThrow(refusal)
    expect(readFileSync(file)).toEqual(before)
  })
})

it('learns pins again that were by public key, and keeps all else', () => {
  const store = openStore(file)
  store.batch(
    [
      'pin/a.chronym',
      'pin-look/0000000000000001/a.chronym',
      'pin-end/0000000000000001/a.chronym',
      'seen/a.chronym/00',
      'pins'
    ].map((put) => ({ put, value: new Uint8Array(1) }))
  )
  store.close()
  setVersion(1)
  openStore(file).close()
  expect(keysOf(file)).toEqual(['pins', 'seen/a.chronym/00'])
  expect(keysOf(copyOf(file, 1))).toHaveLength(5)
})

it('has a step from every version since the first', () => {
  const steps = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1)
  expect([...LAYOUT.migrations.keys()]).toEqual(steps)
})
