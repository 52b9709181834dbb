import type Database from 'better-sqlite3'

/** "CHRM": tells our databases from others' (PRAGMA application_id). */
export const APPLICATION_ID = 0x43_48_52_4d

/**
 * Raised with every change to the table or to the key map (PRAGMA user_version), together with a migration.
 * The keys `profile` and `seed-fingerprint` keep their meaning in every version: a directory is admitted by them before
 * it is migrated.
 */
export const SCHEMA_VERSION = 2

/** One step forward. It runs in a transaction with all other steps, so it must not commit. */
export type Migration = (database: Database.Database) => void

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
