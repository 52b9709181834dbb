/** A later layout, whose only step renames every key; and a process that is killed while it migrates. */
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { openStore } from '../../src/store/open.ts'
import { type Layout, SCHEMA_VERSION } from '../../src/store/migrate.ts'

export const RECORDS = 500

function rename(database: Database.Database, from = 0, below = RECORDS): void {
  const put = database.prepare("UPDATE records SET key = 'new/' || ? WHERE key = 'old/' || ?")
  for (let index = from; index < below; index++) put.run(String(index), String(index))
}

export const RENAMING: Layout = {
  version: SCHEMA_VERSION + 1,
  migrations: new Map([[SCHEMA_VERSION, (database) => rename(database)]])
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, moment] = process.argv.slice(2)
  const migration = (database: Database.Database): void => {
    rename(database, 0, RECORDS / 2)
    if (moment === 'first step') die()
    rename(database, RECORDS / 2)
    // Pages of the transaction reach the log before it is committed.
    database.pragma('cache_spill = 1')
    if (moment === 'last step') die()
  }
  const layout: Layout = { version: RENAMING.version, migrations: new Map([[SCHEMA_VERSION, migration]]) }
  if (moment === 'copying') {
    // The copy is made, and not yet in its place.
    const { default: fs } = await import('node:fs')
    const { syncBuiltinESMExports } = await import('node:module')
    fs.renameSync = die
    syncBuiltinESMExports()
  }
  openStore(file!, { layout }).close()
}
