// package.json as users get it. The checkout's names packages to build and test with; here they are bundled or left out.
import { packageName } from '../package-native.mjs'

/** Runs after an installation: builds the addon where there is no prebuilt one. */
const POSTINSTALL = 'node scripts/install-native.mjs'

const LEFT_OUT = new Set(['scripts', 'dependencies', 'devDependencies', 'optionalDependencies'])

/**
 * @param main the checkout's package.json
 * @param checksums of native/checksums.json
 */
export function publishedManifest(main, checksums) {
  const kept = Object.fromEntries(Object.entries(main).filter(([field]) => !LEFT_OUT.has(field)))
  const targets = Object.keys(checksums)
  return {
    ...kept,
    scripts: { postinstall: POSTINSTALL },
    optionalDependencies: Object.fromEntries(targets.map((target) => [packageName(target), main.version]))
  }
}
