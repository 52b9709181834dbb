/** The npm package with the compiled files for this platform. A checkout and a build at installation do without it. */
import { createRequire } from 'node:module'
import { addonTarget, hasGlibc } from './target.ts'

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
