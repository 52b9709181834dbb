import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeDirectories } from '../../src/util/files.ts'
import { temporary } from '../temporary.ts'

let scratch: string
beforeEach(() => (scratch = temporary()))

describe('a directory', () => {
  it('is made with those above it, and made again without harm', () => {
    const place = join(scratch, 'a', 'b', 'c')
    makeDirectories(place)
    makeDirectories(place)
    expect(existsSync(place)).toBe(true)
  })

  it('is not made where a file has its name', () => {
    const file = join(scratch, 'file')
    writeFileSync(file, '')
    for (const place of [file, join(file, 'below')])
      expect(() => makeDirectories(place)).toThrow(`${file} can't be made: what has that name is not a directory`)
  })

  it('is not made over a link into nothing', () => {
    symlinkSync(join(scratch, 'nothing'), join(scratch, 'link'))
    expect(() => makeDirectories(join(scratch, 'link', 'below'))).toThrow(
      `${join(scratch, 'link')} can't be made: what has that name is not a directory`
    )
  })
})
