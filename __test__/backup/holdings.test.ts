/** A database that loses something: real files, damaged as disks and people do it, opened as the daemon opens them. */
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Lifecycle } from '../../src/daemon/lifecycle.ts'
import { openDirectory, type OpenedDirectory } from '../../src/daemon/open-directory.ts'
import { dataPaths } from '../../src/data-directory/paths.ts'
import { createLogger } from '../../src/log.ts'
import { createIdentity } from '../../src/protocol/identity/seed.ts'
import { storedAdoptions } from '../../src/registry/stored/owned-names.ts'
import { keys, prefixes } from '../../src/store/keys.ts'
import type { Store } from '../../src/store/types.ts'
import { temporary } from '../temporary.ts'
import { profile } from '../registry/test-profile.ts'
import type { TestNode } from '../registry/test-node.ts'
import { ALICE, publish, useWorkbench, ZONE } from '../registry/workbench.ts'

const SEED = new Uint8Array(32).fill(1)
const NAMES = [ALICE, 'bob.chronym', 'carol.chronym']
const GONE = 'not in the database'
const PAGE_BYTES = 4096
const WAL_HEADER_BYTES = 32
const FRAME_BYTES = 24 + PAGE_BYTES

describe('what the database must have', () => {
  const bench = useWorkbench()
  let scratch: string
  let root: string
  let node: TestNode
  let did: string
  let life: Lifecycle
  let opened: OpenedDirectory
  let images = 0

  const open = async (at = root): Promise<OpenedDirectory> => {
    life = new Lifecycle((_what, error) => {
      throw error
    })
    opened = await openDirectory({
      paths: dataPaths(at),
      profile,
      keptBackup: undefined,
      passphrase: { file: '', sources: { stdin: Readable.from([]), credentials: undefined, ask: undefined } },
      log: createLogger('silent'),
      life
    })
    return opened
  }
  const close = (): Promise<void> => life.stop()
  const loseDatabase = async (): Promise<void> => {
    await close()
    rmSync(dataPaths(root).database)
    await open()
  }
  /** What a kill leaves at this moment. */
  const image = (): string => {
    const copy = join(scratch, `image-${images++}`)
    cpSync(root, copy, { recursive: true })
    return copy
  }
  const copyOf = (prefix: string, store: Store): void => {
    for (const [key, value] of node.store.list(prefix)) store.put(key, value)
  }
  const missingIds = (): string[] => opened.holdings.missing().map(({ what, id }) => `${what} ${id}`)
  const ALL = (): string[] => [...NAMES.map((name) => `name ${name}`), `identity ${did}`, 'task dave.chronym']

  beforeEach(async () => {
    scratch = temporary()
    root = join(scratch, 'data')
    node = await bench.start()
    for (const name of NAMES) await bench.registered(node, name)
    const document = createIdentity(SEED, { index: 0, services: [], alsoKnownAs: [] }, '2026-01-01T00:00:00Z', profile)
    did = (await node.registry.publishKid({ document })).did
    await node.registry.register('dave.chronym', {})
    const { store } = await open()
    for (const prefix of [prefixes.ownedNames, prefixes.ownIdentities, prefixes.tasks]) copyOf(prefix, store)
  })
  afterEach(close)

  it('costs nothing where the log is damaged, cut or gone, since names do not wait in it', async () => {
    opened.store.batch(Array.from({ length: 20 }, (_, index) => ({ put: `stub/${index}`, value: Buffer.alloc(3_000) })))
    const log = (at: string): string => `${dataPaths(at).database}-wal`
    const frames = (readFileSync(log(root)).length - WAL_HEADER_BYTES) / FRAME_BYTES
    expect(frames).toBeGreaterThan(20)
    const damages: ((file: string) => void)[] = [
      (file) => rmSync(file),
      (file) => truncateSync(file, WAL_HEADER_BYTES + 2.5 * FRAME_BYTES),
      ...Array.from({ length: frames }, (_, frame) => (file: string) => {
        const bytes = readFileSync(file)
        bytes.fill(0xa5, WAL_HEADER_BYTES + frame * FRAME_BYTES, WAL_HEADER_BYTES + (frame + 1) * FRAME_BYTES)
        writeFileSync(file, bytes)
      })
    ]
    const crashed = image()
    await close()
    for (const damage of damages) {
      const copy = join(scratch, 'damaged')
      cpSync(crashed, copy, { recursive: true })
      damage(log(copy))
      await open(copy)
      expect([...opened.store.keys(prefixes.ownedNames)].map((key) => key.split('/')[1])).toEqual(NAMES)
      expect(missingIds()).toEqual([])
      await close()
      rmSync(copy, { recursive: true })
    }
  })

  it('is named where the database is gone, over restarts, until it is back or given up', async () => {
    await loseDatabase()
    expect(missingIds()).toEqual(ALL())
    expect([...storedAdoptions(opened.store)].map(([id, { isGuess }]) => [id, isGuess])).toEqual(
      [...NAMES, 'dave.chronym', did].sort().map((id) => [id, false])
    )
    // Whatever is saved meanwhile.
    copyOf(keys.ownedName('carol.chronym'), opened.store)
    await close()
    await open()
    const left = ALL().filter((each) => each !== 'name carol.chronym')
    expect(missingIds()).toEqual(left)
    // A second loss.
    await loseDatabase()
    expect(missingIds()).toEqual(ALL())

    copyOf(prefixes.ownedNames, opened.store)
    copyOf(prefixes.ownIdentities, opened.store)
    expect(missingIds()).toEqual(['task dave.chronym'])
    expect(opened.holdings.forget('dave.chronym')).toBe(true)
    expect(opened.holdings.forget('dave.chronym')).toBe(false)
    await close()
    await open()
    expect(missingIds()).toEqual([])
  })

  it('is named where the database is an older one, until its state is reached again', async () => {
    await close()
    copyFileSync(dataPaths(root).database, join(scratch, 'older.db'))
    await publish(node, ZONE)
    await open()
    copyOf(keys.ownedName(ALICE), opened.store)
    await close()
    copyFileSync(join(scratch, 'older.db'), dataPaths(root).database)
    await open()
    const detail = 'the database has an older state than serial 2, which was saved here'
    expect(opened.holdings.missing()).toEqual([{ what: 'name', id: ALICE, detail }])
    // The name is here, so nobody has to look for it.
    expect([...storedAdoptions(opened.store)]).toEqual([])
    copyOf(keys.ownedName(ALICE), opened.store)
    expect(missingIds()).toEqual([])
  })

  it('is named where a record cannot be read any more, also while the daemon runs', async () => {
    await close()
    const database = new Database(dataPaths(root).database)
    database.prepare('UPDATE records SET value = ? WHERE key = ?').run(Buffer.from('?'), keys.ownedName(ALICE))
    database.close()
    const { store, holdings } = await open()
    expect(holdings.missing()).toEqual([{ what: 'name', id: ALICE, detail: GONE }])
    store.setAside(keys.ownedName('bob.chronym'), 'a test')
    expect(missingIds()).toEqual([`name ${ALICE}`, 'name bob.chronym'])
  })

  it('takes no kill between database and file for a loss', async () => {
    const { holdings: file, database } = dataPaths(root)
    const former = readFileSync(file)
    const name = 'erin.chronym'
    await bench.registered(node, name)
    copyOf(keys.ownedName(name), opened.store)
    const afterPut = image()
    writeFileSync(dataPaths(afterPut).holdings, former)
    // The database refuses, so only what comes before it happens.
    const other = new Database(database)
    other.exec("CREATE TRIGGER no BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(() => opened.store.delete(keys.ownedName(name))).toThrow('no')
    other.exec('DROP TRIGGER no')
    other.close()
    expect(readFileSync(file, 'utf8')).not.toContain(name)
    const beforeDelete = image()
    opened.store.delete(keys.ownedName(name))
    const afterDelete = image()
    await close()
    for (const crashed of [afterPut, beforeDelete, afterDelete]) {
      await open(crashed)
      expect(missingIds()).toEqual([])
      expect(readFileSync(dataPaths(crashed).holdings, 'utf8').includes(name)).toBe(crashed !== afterDelete)
      await close()
    }
  })

  it('has no ended task, and a newer task of the name replaces a lost one', async () => {
    const listed = (): string[] => Object.keys(JSON.parse(readFileSync(dataPaths(root).holdings, 'utf8')) as object)
    const [lost] = [...opened.store.list(prefixes.tasks)].find(([, task]) =>
      Buffer.from(task).includes('dave.chronym')
    )!
    expect(listed()).toEqual([keys.ownIdentity(did), ...NAMES.map(keys.ownedName), lost].sort())
    await node.tasks.remove(lost.slice(prefixes.tasks.length))
    opened.store.put(lost, node.store.get(lost)!)
    expect(listed()).not.toContain(lost)

    const start = async (): Promise<void> => {
      const { task_id: id } = await node.registry.register('dave.chronym', {})
      opened.store.put(keys.task(id), node.store.get(keys.task(id))!)
      await node.tasks.remove(id)
    }
    await start()
    await loseDatabase()
    expect(missingIds()).toContain('task dave.chronym')
    await start()
    expect(missingIds()).not.toContain('task dave.chronym')
  })

  it('is written again where the file is gone or garbled', async () => {
    const { holdings } = dataPaths(root)
    const text = readFileSync(holdings, 'utf8')
    for (const damage of [() => rmSync(holdings), () => writeFileSync(holdings, text.slice(0, -20))]) {
      await close()
      damage()
      await open()
      expect(missingIds()).toEqual([])
      expect(readFileSync(holdings, 'utf8')).toBe(text)
    }
    expect(existsSync(holdings)).toBe(true)
  })
})
