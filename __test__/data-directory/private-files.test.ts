/** What another user of this machine may have prepared: directories, secrets, temporary files. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, readSync } from 'node:fs'
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readPrivateFile, requirePrivateDirectory, writePrivateFile } from '../../src/data-directory/private-files.ts'
import { lockDirectory } from '../../src/store/lock.ts'

const SOURCE = resolve(import.meta.dirname, '../../src/data-directory/private-files.ts')
const NOBODY = 65_534
/** Only root can give files to another user. */
const isRoot = process.getuid?.() === 0

let scratch: string
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'chronym-private-'))))
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

const refusal = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe.skipIf(process.platform === 'win32')('a directory', () => {
  it.each([0o777, 0o770, 0o702])('that others can write to (mode %o) is refused with all that is in it', (mode) => {
    writeFileSync(join(scratch, 'seed-words'), 'planted', { mode: 0o600 })
    chmodSync(scratch, mode)
    expect(refusal(() => requirePrivateDirectory(scratch))).toBe('SVC-KEY-010')
    expect(statSync(scratch).mode & 0o777).toBe(mode)
    for (const safe of [0o700, 0o755]) {
      chmodSync(scratch, safe)
      expect(refusal(() => requirePrivateDirectory(scratch))).toBeUndefined()
    }
  })

  it('that all can move away is refused, and not where each may move only their own', () => {
    const directory = join(scratch, 'below', 'data')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    chmodSync(scratch, 0o777)
    expect(refusal(() => requirePrivateDirectory(directory))).toBe('SVC-KEY-010')
    for (const safe of [0o1777, 0o775]) {
      chmodSync(scratch, safe)
      expect(refusal(() => requirePrivateDirectory(directory))).toBeUndefined()
    }
  })

  it('that is empty is closed to others', () => {
    chmodSync(scratch, 0o777)
    requirePrivateDirectory(scratch)
    expect(statSync(scratch).mode & 0o777).toBe(0o700)
  })

  it.runIf(isRoot)('of another user has no file of root, to which a link there may lead', () => {
    writeFileSync(join(scratch, 'secret'), 'of root', { mode: 0o600 })
    expect(readPrivateFile(join(scratch, 'secret'))).toBe('of root')
    chownSync(scratch, NOBODY, NOBODY)
    expect(refusal(() => readPrivateFile(join(scratch, 'secret')))).toBe('SVC-KEY-010')
    chownSync(join(scratch, 'secret'), NOBODY, NOBODY)
    expect(readPrivateFile(join(scratch, 'secret'))).toBe('of root')
  })

  it.runIf(isRoot)('of another user is refused, to root too', () => {
    chownSync(scratch, NOBODY, NOBODY)
    expect(refusal(() => requirePrivateDirectory(scratch))).toBe('SVC-KEY-010')
  })
})

describe.skipIf(process.platform === 'win32')('a secret', () => {
  it.each([0o644, 0o640, 0o602])('that others can read or change (mode %o) is refused', (mode) => {
    const file = join(scratch, 'seed-words')
    writeFileSync(file, 'words')
    chmodSync(file, mode)
    expect(refusal(() => readPrivateFile(file))).toBe('SVC-KEY-010')
    chmodSync(file, 0o600)
    expect(readPrivateFile(file)).toBe('words')
    expect(readPrivateFile(join(scratch, 'none'))).toBeUndefined()
  })

  it('reads as empty where it is a FIFO or a directory, and waits for nobody', () => {
    const [fifo, directory] = [join(scratch, 'fifo'), join(scratch, 'directory')]
    execFileSync('mkfifo', ['-m', '600', fifo])
    mkdirSync(directory, { mode: 0o700 })
    expect([readPrivateFile(fifo), readPrivateFile(directory)]).toEqual(['', ''])
  })

  it.runIf(isRoot)('that another user put there is refused; root reads those of the user of the directory', () => {
    const file = join(scratch, 'seed-words')
    writeFileSync(file, 'words', { mode: 0o600 })
    chownSync(file, NOBODY, NOBODY)
    expect(refusal(() => readPrivateFile(file))).toBe('SVC-KEY-010')
    chownSync(scratch, NOBODY, NOBODY)
    expect(readPrivateFile(file)).toBe('words')
  })

  it.runIf(isRoot)('is not read by another user who may write beside it and guesses names', () => {
    chmodSync(scratch, 0o1777)
    const file = join(scratch, 'backup.age')
    const guess = join(scratch, `.backup.age.${process.pid}.tmp`)
    execFileSync(process.execPath, ['-e', `fs.writeFileSync(${JSON.stringify(guess)}, '', { mode: 0o666 })`], {
      uid: NOBODY,
      gid: NOBODY
    })
    const theirs = openSync(guess, 'r')
    writePrivateFile(file, 'the 24 words')
    expect(readSync(theirs, Buffer.alloc(100))).toBe(0)
    expect([statSync(file).uid, statSync(file).mode & 0o777]).toEqual([0, 0o600])
    expect(readFileSync(file, 'utf8')).toBe('the 24 words')
  })

  it('has a temporary file of another name each time, and none stays', () => {
    const names = new Set<string>()
    const program = `
      const fs = await import('node:fs')
      const { writePrivateFile } = await import(${JSON.stringify(SOURCE)})
      for (let count = 0; count < 3; count++) {
        try { writePrivateFile(process.argv[1], 'words') } catch (error) { console.log(error.path) }
      }`
    mkdirSync(join(scratch, 'seed-words'))
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program, join(scratch, 'seed-words')], {
      encoding: 'utf8'
    })
    for (const name of said.trim().split('\n')) names.add(name)
    expect(names.size).toBe(3)
    expect(readdirSync(scratch)).toEqual(['seed-words'])
  })
})

it('the file with the pid replaces a link, and leaves what that leads to', () => {
  const victim = join(scratch, 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, join(scratch, 'lock.pid'))
  const lock = lockDirectory(scratch)
  lock.announce()
  expect(readFileSync(victim, 'utf8')).toBe('precious')
  expect(readFileSync(join(scratch, 'lock.pid'), 'utf8')).toBe(`${process.pid}\n`)
  lock.release()
})
