interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The files of a package that needs nothing but better-sqlite3, with its versions and hashes of `lock`. */
export function sqliteLock(lock: { readonly packages: Readonly<Record<string, Locked>> }): {
  readonly 'package.json': unknown
  readonly 'package-lock.json': { readonly packages: Readonly<Record<string, Locked>> }
}
