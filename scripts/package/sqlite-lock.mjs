// The lock file by which scripts/install-native.mjs fetches SQLite's binding on a machine without a prebuilt addon: a
// published package has none of its own, and a version alone lets the registry choose the bytes.

const NEEDED = ['better-sqlite3', 'node-addon-api']

/** The files of a package that needs nothing but better-sqlite3, with its versions and hashes of `lock`. */
export function sqliteLock(lock) {
  const own = {
    private: true,
    dependencies: { 'better-sqlite3': lock.packages['node_modules/better-sqlite3'].version }
  }
  const locked = NEEDED.map((name) => [`node_modules/${name}`, lock.packages[`node_modules/${name}`]])
  const packages = { '': own, ...Object.fromEntries(locked) }
  return { 'package.json': own, 'package-lock.json': { lockfileVersion: 3, requires: true, packages } }
}
