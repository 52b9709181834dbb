import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeDirectories } from '../../src/util/durable-directories.ts'

let scratch: string
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'chronym-directories-'))))
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

describe('a directory', () => {
  it('is made with those above it, and made again without harm', () => {
    const place = join(scratch, 'a', 'b', 'c')
    makeDirectories(place)
    makeDirectories(place)
    expect(existsSync(place)).toBe(true)
  })

  it('is not made over a link into nothing', () => {
    symlinkSync(join(scratch, 'nothing'), join(scratch, 'link'))
    expect(() => makeDirectories(join(scratch, 'link', 'below'))).toThrow(
      `${join(scratch, 'link')} can't be made: what has that name is not a directory`
    )
  })
})
