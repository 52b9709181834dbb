// Where the Rust addon is, and whether it is newer than its sources. Dependency-free, for Node 20 and newer.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The name of a platform in file and package names: <platform>-<arch>, on Linux with its C library, on Windows with its
 * ABI. src/native/platform.ts is the same for the running program; a test holds them together.
 */
export function addonTarget() {
  const { platform, arch } = process
  if (platform === 'linux') {
    const glibc = process.report.getReport().header.glibcVersionRuntime
    return `linux-${arch}-${glibc === undefined ? 'musl' : 'gnu'}`
  }
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

/** Where a build in `root` puts the addon, and src/native/addon.ts looks for it. */
export function builtAddon(root) {
  return join(root, 'native', `chronym.${addonTarget()}.node`)
}

/** Whether the addon is newer than its sources. Directories count too: their times change when files are deleted. */
export function isAddonCurrent(root) {
  const addon = builtAddon(root)
  if (!existsSync(addon)) return false
  const crates = readdirSync(join(root, 'crates'), { recursive: true }).map((path) => join('crates', path))
  const madeAtMs = statSync(addon).mtimeMs
  return ['Cargo.toml', 'Cargo.lock', ...crates].every((path) => statSync(join(root, path)).mtimeMs < madeAtMs)
}
