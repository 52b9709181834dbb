/** Directories of a test file, removed at its end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

export function removeTemporary(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
}

afterAll(removeTemporary)

/** A new, empty directory. */
export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-test-'))
  made.push(directory)
  return directory
}
