import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { StoreError } from '../../src/store/types.ts'
import { directory, failure, file, opened } from './scene.ts'

/** It cannot be opened, and the message has these words. */
function expectFailure(code: StoreError['code'], ...words: string[]): void {
  const error = failure(() => openStore(file))
  expect(error.code).toBe(code)
  for (const word of words) expect(error.message).toContain(word)
}

describe('opening a store', () => {
  it('refuses a second daemon and names the first and the cure', () => {
    opened()
    expectFailure('locked', String(process.pid), 'Stop it')
  })

  it('refuses a second daemon also after the file of the lock is deleted, which comes back', () => {
    const store = opened()
    const lock = join(directory, 'lock.db')
    rmSync(lock)
    expect(failure(() => openStore(file)).message).toContain(`process ${process.pid}`)
    expect(store.check()).toEqual({
      isFatal: false,
      message: expect.stringContaining('made and locked again') as string
    })
    expect(store.check()).toBeUndefined()
    const other = new Database(lock, { timeout: 0 })
    expect(() => other.exec('BEGIN EXCLUSIVE')).toThrow('locked')
    other.close()
  })

  it('notices that another process has the file of the lock, where that alone counts', () => {
    const store = opened()
    const lock = join(directory, 'lock.db')
    rmSync(lock)
    const other = new Database(lock)
    other.exec('BEGIN EXCLUSIVE')
    expect(store.check()).toEqual({ isFatal: true, message: expect.stringContaining('another daemon took') as string })
    other.close()
  })

  it('writes the database again at its end where its file was deleted meanwhile', () => {
    const store = opened()
    store.put('zone/alice', new Uint8Array([1]))
    store.put('stub/1', new Uint8Array([2]))
    rmSync(file)
    store.put('zone/bob', new Uint8Array([3]))
    store.close()
    expect([...opened().list('')].map(([key]) => key)).toEqual(['stub/1', 'zone/alice', 'zone/bob'])
    expect(readdirSync(directory).filter((name) => name.includes('again'))).toEqual([])
  })

  it('notices that the database is gone or another, and that the directory is', () => {
    const fatal = (what: string) => ({ isFatal: true, message: expect.stringContaining(what) as string })
    const store = opened()
    expect(store.check()).toBeUndefined()
    renameSync(file, `${file}.away`)
    expect(store.check()).toEqual(fatal('chronym.db was moved, replaced or deleted'))
    copyFileSync(`${file}.away`, file)
    expect(store.check()).toEqual(fatal('chronym.db was moved, replaced or deleted'))
    const away = `${directory}-away`
    renameSync(directory, away)
    expect(store.check()).toEqual(fatal('was moved or deleted'))
    expect(failure(() => openStore(join(away, 'chronym.db'))).code).toBe('locked')
    // A new directory at its place belongs to another daemon, and keeps its files.
    mkdirSync(directory)
    const pid = join(directory, 'lock.pid')
    writeFileSync(pid, '1\n')
    expect(store.check()).toEqual(fatal('was moved or deleted'))
    store.close()
    expect(readFileSync(pid, 'utf8')).toBe('1\n')
    openStore(join(away, 'chronym.db')).close()
    rmSync(away, { recursive: true })
  })

  it('loses nothing that was confirmed before kill -9, and is not blocked by the dead process', async () => {
    const writer = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), file], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const lines = createInterface({ input: writer.stdout })
    let confirmed = -1
    lines.on('line', (line) => {
      confirmed = Number(line)
      if (confirmed === 50) {
        expect(failure(() => openStore(file)).message).toContain(`process ${writer.pid}`)
        writer.kill('SIGKILL')
      }
    })
    await once(lines, 'close')
    expect(confirmed).toBeGreaterThanOrEqual(50)
    const store = opened()
    for (let index = 0; index <= confirmed; index++)
      expect(store.get(`task/${index}`)).toEqual(new Uint8Array([index & 0xff]))
    const newest = Number(new TextDecoder().decode(store.get('zone/newest')))
    expect(store.get(`task/${newest}`)).toBeDefined()
    expect(store.get(`task/${newest + 1}`)).toBeUndefined()
  })

  it('names a file that is not a database, says how to go on, and leaves it as it was', () => {
    writeFileSync(file, 'this is not a database at all, whatever its name says'.repeat(100))
    const before = readFileSync(file)
    expectFailure('corrupt', file, 'backup')
    expect(readFileSync(file)).toEqual(before)
  })

  it('finds pages that were overwritten', () => {
    const store = opened()
    store.batch(Array.from({ length: 500 }, (_, index) => ({ put: `k/${index}`, value: new Uint8Array(500) })))
    store.close()
    const damaged = readFileSync(file)
    damaged.fill(0xa5, 4096, 4096 * 12)
    writeFileSync(file, damaged)
    expectFailure('corrupt')
  })

  it('refuses the database of another program', () => {
    const other = new Database(file)
    other.exec('CREATE TABLE t (x); PRAGMA user_version = 3')
    other.close()
    expectFailure('corrupt', 'not one of chronym')
  })

  it('refuses a database of a newer version', () => {
    opened().close()
    const newer = new Database(file)
    newer.pragma('user_version = 99')
    newer.close()
    expectFailure('newer', 'newer version')
  })

  it('frees the lock when opening fails', () => {
    const good = join(directory, 'good.db')
    openStore(good).close()
    writeFileSync(file, 'x'.repeat(5000))
    expectFailure('corrupt')
    copyFileSync(good, file)
    expect(opened().count('')).toBe(0)
  })

  it.skipIf(process.platform === 'win32').each(['', '-wal', '-shm'])(
    'names what is not a file, and waits for nobody (%s)',
    (part) => {
      opened().close()
      rmSync(`${file}${part}`, { force: true })
      execFileSync('mkfifo', [`${file}${part}`])
      expectFailure('corrupt', `${file}${part}: it is not a file`)
    }
  )

  it('keeps what it could not replace, and says so', () => {
    mkdirSync(join(directory, 'lock.pid'))
    expect(failure(() => openStore(file)).message).toContain(`${directory} cannot be used`)
  })

  it('says so when the directory cannot be made', () => {
    writeFileSync(join(directory, 'a-file'), '')
    const { code, message } = failure(() => openStore(join(directory, 'a-file', 'chronym.db')))
    expect([code, message]).toEqual(['failing', expect.stringContaining('a-file')])
  })
})
