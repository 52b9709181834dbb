// native/checksums.json: the SHA-256 of every file of the platform packages, so that `chronym self-check` can tell
// whether the files beside it are those that were made with it.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const CHECKSUMS = join('native', 'checksums.json')

export function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** `{ "<target>": { "<file>": "<sha256>" } }`; empty where no addon was packed yet. */
export function readChecksums(root) {
  const file = join(root, CHECKSUMS)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function writeChecksums(root, checksums) {
  const file = join(root, CHECKSUMS)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(checksums, null, 2)}\n`)
}
