/** "CHRM": tells our databases from others' (PRAGMA application_id). */
export const APPLICATION_ID = 0x43_48_52_4d

/** Raised with every change to the table or to the key map; older ones are migrated when the store is opened. */
export const SCHEMA_VERSION = 1
