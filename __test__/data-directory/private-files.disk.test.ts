/** A disk that takes only a part of a file: the limit of the shell on the size of files makes the writes short. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const PATHS = resolve(import.meta.dirname, '../../src/data-directory/private-files.ts')
/** Above the limit of one block, 512 or 1,024 bytes. */
const LONG = 'word '.repeat(1_000)

let scratch: string
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'chronym-private-'))))
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

describe('a file with secrets', () => {
  it('keeps its former content where the disk takes only a part of the new one, and leaves nothing beside it', () => {
    const file = join(scratch, 'seed-words')
    writeFileSync(file, 'the former words')
    const program = `
      process.on('SIGXFSZ', () => {})
      const { writePrivateFile } = await import(${JSON.stringify(PATHS)})
      try {
        writePrivateFile(${JSON.stringify(file)}, ${JSON.stringify(LONG)})
        console.log('written')
      } catch (error) {
        console.log(error.code)
      }`
    const said = execFileSync(
      'sh',
      ['-c', 'ulimit -f 1; exec "$0" --input-type=module -e "$1"', process.execPath, program],
      // Node's own files, written at its exit, have that limit too.
      { encoding: 'utf8', env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } }
    )
    expect(said).toBe('EFBIG\n')
    expect(readFileSync(file, 'utf8')).toBe('the former words')
    expect(readdirSync(scratch)).toEqual(['seed-words'])
  })
})
