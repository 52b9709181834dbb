/** Whether the compiled files are those that were packed with this version. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { INSTALL_AGAIN, platformFile, platformPackage, addonTarget, hasGlibc } from '../../native/platform.ts'
import { failed, type Finding, ok, problem } from './findings.ts'
import { readTextFile } from '../../util/utf8.ts'

const NAME = 'files'

/** Where to look, for tests of its own. */
interface Installation {
  /** Folder of the main package. */
  readonly root: string
  readonly target: string
  /** Path of a file of the platform package. */
  readonly find: (file: string) => string | undefined
}

function thisInstallation(): Installation {
  return {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    target: addonTarget(process.platform, process.arch, hasGlibc()),
    find: platformFile
  }
}

type Checksums = Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>

export function checkFiles({ root, target, find }: Installation = thisInstallation()): Finding {
  try {
    const built = join(root, 'native', `chronym.${target}.node`)
    if (existsSync(built)) return ok(NAME, `${built} was built on this machine, so no checksum exists for it`)
    const list = join(root, 'native', 'checksums.json')
    const packed = existsSync(list) ? (JSON.parse(readTextFile(list)) as Checksums)[target] : undefined
    if (packed === undefined)
      return problem(
        NAME,
        `this package was made without an addon for ${target}, and none was built here`,
        'Install Rust from https://rustup.rs and run `npm rebuild chronym`.'
      )
    return compare(packed, platformPackage(target), find)
  } catch (error) {
    return failed(NAME, error)
  }
}

function compare(packed: Readonly<Record<string, string>>, owner: string, find: Installation['find']): Finding {
  for (const [file, expected] of Object.entries(packed)) {
    const path = find(file)
    if (path === undefined) return problem(NAME, `${file} of ${owner} is not installed`, INSTALL_AGAIN)
    const actual = createHash('sha256').update(readFileSync(path)).digest('hex')
    if (actual !== expected)
      return problem(
        NAME,
        `${path} is not the file that was packed: its SHA-256 is ${actual}, not ${expected}`,
        INSTALL_AGAIN
      )
  }
  const files = Object.keys(packed).map((file) => basename(file))
  return ok(NAME, `${files.join(' and ')} of ${owner} have the checksums of this version`)
}
