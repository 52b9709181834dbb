/** Where the passphrase comes from when the daemon starts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { sealSeed } from '../../src/backup/sealed-seed.ts'
import { ServiceError } from '../../src/errors.ts'
import { writeOwnerSeed } from '../../src/data-directory/seed-files.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { type PassphraseSources, seedAtStart } from '../../src/daemon/seed-service.ts'
import { temporary } from '../temporary.ts'

const SEED = new Uint8Array(32).fill(7)
const RIGHT = 'correct horse battery'

let paths: DataPaths
let warnings: string[]

beforeEach(async () => {
  paths = dataPaths(temporary())
  writeFileSync(paths.sealedSeed, await sealSeed(SEED, RIGHT, { workFactor: 8 }), { mode: 0o600 })
  warnings = []
})

/** A terminal that answers so, one line after the other. */
const typing =
  (...lines: string[]): PassphraseSources['ask'] =>
  () =>
    lines.length > 0 ? Promise.resolve(lines.shift()!) : Promise.reject(new Error('asked too often'))

async function at(file: string, sources: Partial<PassphraseSources> = {}): Promise<Uint8Array | undefined> {
  const found = await seedAtStart(paths, {
    file,
    sources: { stdin: Readable.from([]), credentials: undefined, ask: undefined, ...sources },
    warn: (message) => warnings.push(message)
  })
  return found?.seed
}

function fileOf(text: string, name = 'passphrase'): string {
  const file = join(paths.root, name)
  writeFileSync(file, text)
  return file
}

const codeOf = (starting: Promise<unknown>): Promise<string> =>
  starting.then(String, (error: unknown) => (error instanceof ServiceError ? error.code : String(error)))

describe('a sealed seed', () => {
  it('opens with the passphrase of a file, standard input, a credential or the terminal, in that order', async () => {
    const file = fileOf(`${RIGHT}\n`)
    expect(await at(file, { ask: typing() })).toEqual(SEED)
    expect(await at('-', { stdin: Readable.from([`${RIGHT}\n`]), ask: typing() })).toEqual(SEED)
    expect(await at('', { credentials: paths.root, ask: typing(RIGHT) })).toEqual(SEED)
    fileOf(RIGHT, 'chronym-passphrase')
    expect(await at('', { credentials: paths.root, ask: typing() })).toEqual(SEED)
    fileOf('another passphrase', 'chronym-passphrase')
    expect(await at(file, { credentials: paths.root })).toEqual(SEED)
    expect(await codeOf(at('', { credentials: paths.root, ask: typing(RIGHT) }))).toBe('SVC-KEY-007')
  })

  it('stays locked where there is none, and after an empty line', async () => {
    expect(await at('')).toBeUndefined()
    expect(await at('', { credentials: paths.root })).toBeUndefined()
    expect(await at('', { ask: typing('') })).toBeUndefined()
    expect(await at('', { ask: typing('wrong', '') })).toBeUndefined()
  })

  it('refuses a wrong one of a file at once, of the terminal after three tries', async () => {
    expect(await codeOf(at(fileOf('another passphrase')))).toBe('SVC-KEY-007')
    expect(await at('', { ask: typing('wrong one', 'wrong two', RIGHT) })).toEqual(SEED)
    expect(warnings).toHaveLength(2)
    expect(await codeOf(at('', { ask: typing('wrong one', 'wrong two', 'wrong three', RIGHT) }))).toBe('SVC-KEY-007')
  })

  it('refuses a file that cannot be read or is empty', async () => {
    expect(await codeOf(at(join(paths.root, 'none')))).toBe('SVC-KEY-008')
    expect(await codeOf(at(fileOf('\n')))).toBe('SVC-KEY-008')
  })

  it('is no longer asked for where the words are in clear', async () => {
    writeOwnerSeed(paths.seed, SEED)
    expect(await at(fileOf('never read'), { ask: typing() })).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('key passphrase')])
  })
})
