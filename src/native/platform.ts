/**
 * The platform in names of files and packages, and the npm package with its compiled files. A checkout and a build at
 * installation do without that package.
 */
import { createRequire } from 'node:module'

/**
 * The name of a platform in file and package names: `<platform>-<arch>`, on Linux followed by its C library, on Windows
 * by its ABI. scripts/native-target.mjs does the same for the build.
 */
export function addonTarget(platform: NodeJS.Platform, arch: string, hasGlibc: boolean): string {
  if (platform === 'linux') return `linux-${arch}-${hasGlibc ? 'gnu' : 'musl'}`
  return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`
}

let glibc: boolean | undefined

/**
 * Whether this process runs on glibc; false on musl and on other systems. Asked once: a report looks up the host of
 * each open socket unless told otherwise, and takes milliseconds in any case.
 */
export function hasGlibc(): boolean {
  glibc ??= reportsGlibc()
  return glibc
}

function reportsGlibc(): boolean {
  // Since Node 22.0; its types lack it.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  report.excludeNetwork = true
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
  report.excludeNetwork = excludeNetwork
  return header?.glibcVersionRuntime !== undefined
}

const require = createRequire(import.meta.url)

export function platformPackage(target = addonTarget(process.platform, process.arch, hasGlibc())): string {
  return `@chronym/native-${target}`
}

/** Path of a file of that package; undefined where the package is not installed. */
export function platformFile(file: string): string | undefined {
  try {
    return require.resolve(`${platformPackage()}/${file}`)
  } catch {
    // Whether that is an error only the caller knows: it has other places to look.
    return undefined
  }
}

/** No package is published, and nobody owns the names on a registry yet: only tarballs are safe to name. */
export const INSTALL_AGAIN = 'Install both tarballs again: `npm install --global ./chronym-*.tgz`.'

/** What to do about a missing addon or database library, in one sentence. */
export function missingCure(isCheckout: boolean): string {
  return isCheckout
    ? 'Run `npm run setup`, which needs Rust from https://rustup.rs.'
    : 'Install the tarball of this platform beside the main one (`npm install --global ./chronym-*.tgz`); where there ' +
        'is none, install Rust from https://rustup.rs and run `npm rebuild chronym`, which builds it.'
}
