/** Directories and processes, which would otherwise outlive a bench that fails or is stopped. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories = new Set<string>()
const children = new Set<ChildProcess>()
const ends: (() => Promise<unknown>)[] = []

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void Promise.allSettled(ends.map((end) => end())).then(() => process.exit(1)))

/** A new directory, deleted when this process ends. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-network-'))
  directories.add(directory)
  return directory
}

/** Killed when this process ends before it. */
export function endWithUs(child: ChildProcess): void {
  children.add(child)
  child.once('close', () => children.delete(child))
}

/** Where a signal ends this process, it waits for that. */
export function endFirst(end: () => Promise<unknown>): void {
  ends.push(end)
}

/** Reports progress on stderr. */
export function say(what: string): void {
  process.stderr.write(`• ${what}\n`)
}
