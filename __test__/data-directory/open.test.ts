import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { encode } from 'cborg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { admitUnlocked, openDataDirectory } from '../../src/data-directory/open.ts'
import { ServiceError } from '../../src/errors.ts'
import type { ErrorCode } from '../../src/error-table.ts'
import { seedFingerprint } from '../../src/data-directory/seed-files.ts'
import { dataPaths, type DataPaths } from '../../src/data-directory/paths.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { nameKey, seedToWords, wordsToSeed } from '../../src/protocol/crypto/keys.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { encodeVdfProof } from '../../src/protocol/claim/proof.ts'
import { encodeReveal, signReveal } from '../../src/protocol/claim/reveal.ts'
import { keys } from '../../src/store/keys.ts'

const { local, test } = builtInProfiles
const OURS = new Uint8Array(32).fill(1)
const OTHER = new Uint8Array(32).fill(2)

let root: string
let paths: DataPaths
/** A directory beside it, as a kill or a copy leaves it. */
let copy: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chronym-directory-'))
  copy = `${root}-copy`
  paths = dataPaths(root)
})

afterEach(() => {
  for (const path of [root, copy]) rmSync(path, { recursive: true, force: true })
})

const writeWords = (seed: Uint8Array, at = paths): void => {
  writeFileSync(at.seed, `${seedToWords(seed)}\n`, { mode: 0o600 })
}

/** A reveal of a name as its owner signs it; that its proof proves nothing does not matter on disk. */
function owned(name: string, seed: Uint8Array): { put: string; value: Uint8Array } {
  const [pulse, proof, salt] = [48, 200, 32].map((length) => new Uint8Array(length))
  const vdf_proof = encodeVdfProof({ pulse: pulse!, proof: proof!, salt: salt! })
  const unsigned = { name, drand_pulse: 1, iterations: 1, vdf_proof, payload: new Uint8Array(8) }
  const reveal = signReveal(unsigned, nameKey(seed, profileHash(local), name as Name), profileHash(local))
  return { put: keys.ownedName(name), value: encode({ reveal: encodeReveal(reveal), publishedSerial: 0 }) }
}

/** Files with their bytes and modes, directories with theirs. */
function imageOf(directory: string): Record<string, string> {
  const image: Record<string, string> = { '.': String(statSync(directory).mode) }
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name)
    const { mode } = statSync(path)
    image[name] = statSync(path).isDirectory()
      ? String(mode)
      : `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  }
  return image
}

function made(seed: Uint8Array = OURS, at = paths): void {
  writeWords(seed, at)
  openDataDirectory(at, local).store.close()
}

/**
 * The directory as a kill -9 leaves it: the log is not in the database yet, and the pid file names the dead process.
 */
function killed(): DataPaths {
  writeWords(OURS)
  const { store } = openDataDirectory(paths, local)
  store.batch([owned('alice.chronym', OURS)])
  cpSync(root, copy, { recursive: true })
  store.close()
  chmodSync(copy, 0o755)
  expect(existsSync(`${dataPaths(copy).database}-wal`)).toBe(true)
  return dataPaths(copy)
}

function refusal(at: DataPaths, profile = local): ServiceError {
  const before = imageOf(at.root)
  let thrown: unknown
  try {
    openDataDirectory(at, profile).store.close()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ServiceError)
  expect(imageOf(at.root)).toEqual(before)
  return thrown as ServiceError
}

describe('a new data directory', () => {
  it('gets a seed, a node key and the fingerprint of the seed, and opens with them again', () => {
    const first = openDataDirectory(paths, local)
    first.store.close()
    expect(first).toMatchObject({ isSeedNew: true, isNodeKeyReplaced: false })
    const second = openDataDirectory(paths, local)
    expect(second).toMatchObject({ isSeedNew: false, isNodeKeyReplaced: false })
    expect(second.masterSeed).toEqual(first.masterSeed)
    expect(second.nodeKey).toEqual(first.nodeKey)
    expect(second.store.get(keys.seedFingerprint())).toEqual(seedFingerprint(first.masterSeed!))
    second.store.close()
    for (const file of [paths.seed, paths.nodeKey]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('has a node key that does not follow from the seed', () => {
    made()
    const first = readFileSync(paths.nodeKey, 'utf8')
    made(OURS, dataPaths((copy = mkdtempSync(join(tmpdir(), 'chronym-directory-')))))
    expect(readFileSync(dataPaths(copy).nodeKey, 'utf8')).not.toBe(first)
  })

  it('takes the words that were put into it', () => {
    made()
    expect(wordsToSeed(readFileSync(paths.seed, 'utf8'))).toEqual(OURS)
  })
})

describe('a data directory that does not fit is refused and stays byte for byte what it was:', () => {
  const cases: [string, ErrorCode, (at: DataPaths) => void, typeof local?][] = [
    ['without its seed', 'SVC-KEY-001', (at) => rmSync(at.seed)],
    ['with another valid seed', 'SVC-KEY-002', (at) => writeWords(OTHER, at)],
    ['with words that cannot be read', 'SVC-KEY-003', (at) => writeFileSync(at.seed, 'zoo '.repeat(24))],
    ['with an empty seed file', 'SVC-KEY-003', (at) => writeFileSync(at.seed, '')],
    [
      'with a short node key',
      'SVC-KEY-004',
      (at) => writeFileSync(at.nodeKey, readFileSync(at.nodeKey, 'utf8').slice(0, 100))
    ],
    ['of another network', 'SVC-CFG-001', () => undefined, test],
    ['of another network and without its seed', 'SVC-CFG-001', (at) => rmSync(at.seed), test]
  ]

  it.each(cases)('%s', (_title, code, spoil, profile) => {
    made()
    spoil(paths)
    const error = refusal(paths, profile)
    expect(error.code).toBe(code)
    expect(error.message).toContain(root)
  })

  it.each(cases)('%s, as a kill left it', (_title, code, spoil, profile) => {
    const at = killed()
    spoil(at)
    expect(refusal(at, profile).code).toBe(code)
    // The index of the log may be missing, and so may the lock, in a copy.
    for (const file of [`${at.database}-shm`, join(copy, 'lock.db'), join(copy, 'lock.pid')])
      rmSync(file, { force: true })
    expect(refusal(at, profile).code).toBe(code)
  })

  it('with the database of another directory', () => {
    made(OTHER)
    const foreign = readFileSync(paths.database)
    rmSync(paths.database)
    rmSync(paths.seed)
    made()
    writeFileSync(paths.database, foreign)
    expect(refusal(paths).code).toBe('SVC-KEY-002')
  })

  it('and says what it holds, and opens again once the seed is back', () => {
    const at = killed()
    rmSync(at.seed)
    expect(refusal(at).message).toContain('1 name')
    writeWords(OURS, at)
    const { store } = openDataDirectory(at, local)
    expect(store.get(keys.ownedName('alice.chronym'))).toBeDefined()
    store.close()
  })
})

describe('a data directory of before fingerprints', () => {
  function withoutFingerprint(change: Parameters<ReturnType<typeof openDataDirectory>['store']['batch']>[0]): void {
    writeWords(OURS)
    const { store } = openDataDirectory(paths, local)
    store.batch([{ delete: keys.seedFingerprint() }, ...change])
    store.close()
    rmSync(paths.nodeKey)
  }

  it('adopts the seed that its names belong to, passes over what cannot be read, and gets a node key', () => {
    withoutFingerprint([
      owned('alice.chronym', OURS),
      { put: keys.ownedName('torn.chronym'), value: new Uint8Array([1]) }
    ])
    const opened = openDataDirectory(paths, local)
    expect(opened).toMatchObject({ isSeedNew: false, isNodeKeyReplaced: true })
    expect(opened.store.get(keys.seedFingerprint())).toEqual(seedFingerprint(OURS))
    expect(opened.store.get(keys.ownedName('torn.chronym'))).toBeDefined()
    opened.store.close()
  })

  it('is refused where one of its names belongs to another seed', () => {
    withoutFingerprint([owned('alice.chronym', OURS), owned('bob.chronym', OTHER)])
    const error = refusal(paths)
    expect(error.code).toBe('SVC-KEY-002')
    expect(error.message).toContain('bob.chronym')
  })

  it.each([
    ['a name', owned('alice.chronym', OURS)],
    ['an identity', { put: keys.ownIdentity('did:chronym:zQm'), value: new Uint8Array(1) }],
    ['a task', { put: keys.task('t1'), value: new Uint8Array(1) }],
    ['a finished proof', { put: keys.proof('register', 'alice.chronym'), value: new Uint8Array(1) }]
  ])('and without its seed is refused for %s', (_what, record) => {
    withoutFingerprint([record])
    rmSync(paths.seed)
    expect(refusal(paths).code).toBe('SVC-KEY-001')
  })

  it('and without a seed gets one where it holds nothing', () => {
    withoutFingerprint([])
    rmSync(paths.seed)
    const opened = openDataDirectory(paths, local)
    expect(opened.isSeedNew).toBe(true)
    opened.store.close()
  })
})

describe('a node key', () => {
  it('with any digit changed is refused', () => {
    made()
    const text = readFileSync(paths.nodeKey, 'utf8')
    for (const at of [0, 63, 64, 127]) {
      writeFileSync(paths.nodeKey, `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`)
      expect(refusal(paths).code).toBe('SVC-KEY-004')
    }
  })

  it('that is gone is replaced', () => {
    made()
    const former = readFileSync(paths.nodeKey, 'utf8')
    rmSync(paths.nodeKey)
    const opened = openDataDirectory(paths, local)
    expect(opened.isNodeKeyReplaced).toBe(true)
    expect(toHex(opened.nodeKey.secretKey)).not.toBe(former.trim())
    opened.store.close()
  })
})

describe('looking into a database', () => {
  it('waits for a writer where a crash left its journal', () => {
    made()
    // A journal that belongs to a database which is not in WAL mode yet, as when the first start was cut off.
    const database = new Database(paths.database)
    database.pragma('journal_mode = DELETE')
    database.pragma('cache_size = 1')
    database.exec(
      'BEGIN IMMEDIATE; UPDATE records SET value = zeroblob(100000); ' +
        "INSERT INTO records VALUES ('k', zeroblob(1000000))"
    )
    cpSync(root, copy, { recursive: true })
    database.exec('ROLLBACK')
    database.close()
    expect(existsSync(join(copy, 'chronym.db-journal'))).toBe(true)
    writeWords(OTHER, dataPaths(copy))
    expect(() => openDataDirectory(dataPaths(copy), local)).toThrow(/belongs to another seed/)
    writeWords(OURS, dataPaths(copy))
    const opened = openDataDirectory(dataPaths(copy), local)
    expect(opened.store.get(keys.seedFingerprint())).toEqual(seedFingerprint(OURS))
    opened.store.close()
  })
})

describe('a directory whose seed is sealed', () => {
  beforeEach(() => {
    made()
    rmSync(paths.seed)
    writeFileSync(paths.sealedSeed, 'opaque here', { mode: 0o600 })
  })

  it('opens without its seed, and with its own', () => {
    const lockedDirectory = openDataDirectory(paths, local)
    expect(lockedDirectory.masterSeed).toBeUndefined()
    expect(() => admitUnlocked(paths, local, lockedDirectory.store, OTHER)).toThrow(/another seed/)
    admitUnlocked(paths, local, lockedDirectory.store, OURS)
    lockedDirectory.store.close()
    const opened = openDataDirectory(paths, local, { unsealed: OURS })
    expect(opened).toMatchObject({ masterSeed: OURS, isSeedNew: false })
    opened.store.close()
    expect(existsSync(paths.seed)).toBe(false)
  })

  it('is refused with another seed, and is what it was', () => {
    const before = imageOf(root)
    expect(() => openDataDirectory(paths, local, { unsealed: OTHER })).toThrow(/belongs to another seed/)
    expect(imageOf(root)).toEqual(before)
  })
})
