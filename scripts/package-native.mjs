// Makes the npm packages of the prebuilt addons and names them in package.json as optional dependencies:
//   node scripts/package-native.mjs ARTIFACTS OUT
// ARTIFACTS holds chronym.<target>.node for every target below (in any subfolder), OUT gets one folder a package. Run
// by the release only: the lock file cannot name packages that are not published yet.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** npm installs the one that fits; src/native/addon.ts imports it by its target. */
export const TARGETS = {
  'linux-x64-gnu': { os: 'linux', cpu: 'x64', libc: 'glibc' },
  'linux-x64-musl': { os: 'linux', cpu: 'x64', libc: 'musl' },
  'linux-arm64-gnu': { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'linux-arm64-musl': { os: 'linux', cpu: 'arm64', libc: 'musl' },
  'darwin-x64': { os: 'darwin', cpu: 'x64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64' },
  'win32-x64-msvc': { os: 'win32', cpu: 'x64' }
}

/** Writes the packages and gives the package.json that depends on them. Throws when an artifact is missing. */
export function packageAddons(artifacts, out, main) {
  const found = new Map(
    readdirSync(artifacts, { recursive: true, encoding: 'utf8' }).map((path) => [
      path.split(/[\\/]/).at(-1),
      join(artifacts, path)
    ])
  )
  const optionalDependencies = { ...main.optionalDependencies }
  for (const [target, { os, cpu, libc }] of Object.entries(TARGETS)) {
    const file = `chronym.${target}.node`
    const artifact = found.get(file)
    if (artifact === undefined) throw new Error(`${artifacts} has no ${file}`)
    const name = `@chronym/native-${target}`
    const folder = join(out, `native-${target}`)
    mkdirSync(folder, { recursive: true })
    copyFileSync(artifact, join(folder, file))
    writeJson(join(folder, 'package.json'), {
      name,
      version: main.version,
      description: `The native addon of chronym for ${target}.`,
      license: main.license,
      ...(main.repository === undefined ? {} : { repository: main.repository }),
      engines: main.engines,
      os: [os],
      cpu: [cpu],
      ...(libc === undefined ? {} : { libc: [libc] }),
      main: file,
      files: [file]
    })
    optionalDependencies[name] = main.version
  }
  return { ...main, optionalDependencies }
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [artifacts, out] = process.argv.slice(2)
  if (artifacts === undefined || out === undefined) {
    process.stderr.write('usage: node scripts/package-native.mjs ARTIFACTS OUT\n')
    process.exit(2)
  }
  const path = join(ROOT, 'package.json')
  writeJson(path, packageAddons(artifacts, out, JSON.parse(readFileSync(path, 'utf8'))))
}
