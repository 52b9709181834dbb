/** Makes tarballs as a release does, from a copy of the checkout: a checkout in use stays as it is. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addonTarget } from '../native-target.mjs'
import { ROOT } from '../program.ts'

/** What packing reads. */
const COPIED = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.types.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE-APACHE',
  'LICENSE-MIT',
  'Cargo.toml',
  'Cargo.lock',
  'rust-toolchain.toml',
  'crates',
  'docs',
  'scripts',
  'src'
]

const STAMP = '.chronym-lock'

export interface Tarballs {
  readonly main: string
  readonly platform: string
}

function addonOf(root: string): string {
  return join(root, 'native', `chronym.${addonTarget()}.node`)
}

/** A copy of the checkout, with its packages and its addon. */
export function stage(staging: string): void {
  if (!existsSync(addonOf(ROOT))) throw new Error(`${addonOf(ROOT)} is missing: run \`npm run setup\` first`)
  mkdirSync(join(staging, 'native'), { recursive: true })
  for (const path of COPIED) cpSync(join(ROOT, path), join(staging, path), { recursive: true })
  // Last, so that it is newer than the copied sources: no build.
  cpSync(addonOf(ROOT), addonOf(staging))
  linkPackages(staging)
}

/** The checkout's packages, and the mark of scripts/toolchain.mjs that they are those of the lock file. */
function linkPackages(staging: string): void {
  const packages = join(staging, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== STAMP) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  const lock = readFileSync(join(staging, 'package-lock.json'))
  writeFileSync(join(packages, STAMP), createHash('sha256').update(lock).digest('hex'))
}

/**
 * Gives the copy another version of the same length. The addon says its own: its text is replaced, since a build takes
 * minutes and is not what this is about.
 */
export function setVersion(staging: string, version: string): void {
  const file = join(staging, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  const former = Buffer.from(manifest.version)
  if (former.length !== version.length) throw new Error(`${version} is not as long as ${manifest.version}`)
  writeFileSync(file, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  const addon = readFileSync(addonOf(staging))
  for (let at = addon.indexOf(former); at >= 0; at = addon.indexOf(former, at + 1)) addon.write(version, at)
  writeFileSync(addonOf(staging), addon)
}

/** `npm pack` for both packages; the main one builds itself by its prepack script. */
export function pack(staging: string, out: string, version: string): Tarballs {
  mkdirSync(out, { recursive: true })
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/package/pack.mjs', out], {
    cwd: staging,
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(`pack.mjs failed in ${staging}:\n${stdout}${stderr}`)
  return {
    main: join(out, `chronym-${version}.tgz`),
    platform: join(out, `chronym-native-${addonTarget()}-${version}.tgz`)
  }
}
