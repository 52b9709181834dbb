/** Moves a database of an older layout forward, after a copy of it. */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { moveIntoPlace } from '../util/replace-file.ts'
import { StoreError } from './types.ts'

export interface Migrated {
  readonly from: number
  readonly to: number
  /** The database as it was. Nothing deletes it. */
  readonly copy: string
}

/** Path of the copy that a migration leaves beside the database. */
export function copyOf(file: string, version: number): string {
  return `${file}.schema-${version}`
}

/** The version that wrote the database. */
export function schemaVersion(database: Database.Database): number {
  return database.pragma('user_version', { simple: true }) as number
}

/** Throws StoreError `newer`: only the version that wrote it, or a newer one, can read it. */
export function refuseNewer(database: Database.Database, file: string, known: number): void {
  const version = schemaVersion(database)
  if (version <= known) return
  throw new StoreError(
    'newer',
    `${file} was written by a newer version of Chronym (schema ${version}, this one knows ${known}) and was not ` +
      'changed. Install that version again, or choose another directory with --data-dir.'
  )
}

/**
 * Brings the database to the layout's version. A crash at any moment leaves it as it was or migrated: the steps are one
 * transaction. The copy is whole before the first step. Throws StoreError `failing` where a step is missing, and
 * SqliteError.
 * @returns undefined where it is of that version already
 */
export function migrate(database: Database.Database, file: string, layout: Layout): Migrated | undefined {
  const from = schemaVersion(database)
  if (from >= layout.version) return undefined
  const steps = stepsFrom(from, file, layout)
  const copy = copyOf(file, from)
  if (!existsSync(copy)) copyDatabase(database, copy)
  database
    .transaction(() => {
      for (const step of steps) step(database)
      database.pragma(`user_version = ${layout.version}`)
    })
    .immediate()
  return { from, to: layout.version, copy }
}

function stepsFrom(from: number, file: string, { version, migrations }: Layout): Migration[] {
  return Array.from({ length: version - from }, (_, index) => {
    const step = migrations.get(from + index)
    if (step !== undefined) return step
    throw new StoreError(
      'failing',
      `${file} has schema ${from + index}, which this version cannot migrate to ${version}. ` +
        'Start it with a version of Chronym between the two first.'
    )
  })
}

/** Whole, durable and readable by its owner alone, or not there. */
export function copyDatabase(database: Database.Database, copy: string): void {
  const temporary = `${copy}.tmp`
  rmSync(temporary, { force: true })
  // SQLite takes an empty file as a place for the copy; made here so that it is private from the first byte.
  closeSync(openSync(temporary, 'wx', 0o600))
  database.prepare('VACUUM INTO ?').run(temporary)
  moveIntoPlace(temporary, copy)
}

/** "CHRM": tells our databases from others' (PRAGMA application_id). */
export const APPLICATION_ID = 0x43_48_52_4d

/**
 * Raised with every change to the table or to the key map (PRAGMA user_version), together with a migration.
 * The keys `profile` and `seed-fingerprint` keep their meaning in every version: a directory is admitted by them before
 * it is migrated.
 */
export const SCHEMA_VERSION = 2

/** One step forward. It runs in a transaction with all other steps, so it must not commit. */
type Migration = (database: Database.Database) => void

export interface Layout {
  readonly version: number
  /** The step from each older version to the next. */
  readonly migrations: ReadonlyMap<number, Migration>
}

/** Pins were by public key, which does not tell the claim. Each is learnt again by two sightings. */
function dropPinsByKey(database: Database.Database): void {
  database.exec("DELETE FROM records WHERE key GLOB 'pin/*' OR key GLOB 'pin-look/*' OR key GLOB 'pin-end/*'")
}

export const LAYOUT: Layout = { version: SCHEMA_VERSION, migrations: new Map([[1, dropPinsByKey]]) }
