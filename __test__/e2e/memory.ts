/** What the memory of a process holds, on Linux: as its own user or root, by /proc. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

const CHUNK_BYTES = 16 * 2 ** 20

/**
 * How often each of `needles` occurs in what the process `pid` can read and write. The process goes on meanwhile.
 * @param needles at most 4 KiB each
 */
export function occurrences(pid: number, needles: Readonly<Record<string, Uint8Array>>): Record<string, number> {
  const counts = Object.fromEntries(Object.keys(needles).map((name) => [name, 0]))
  const overlap = Math.max(...Object.values(needles).map(({ length }) => length)) - 1
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  try {
    for (const { start, end } of writableMappings(pid)) {
      for (let at = start; at < end; at += CHUNK_BYTES - overlap) {
        const bytes = chunk.subarray(0, readAt(memory, chunk, at, Math.min(CHUNK_BYTES, end - at)))
        const isLast = at + CHUNK_BYTES >= end
        for (const [name, needle] of Object.entries(needles))
          for (let found = bytes.indexOf(needle); found >= 0; found = bytes.indexOf(needle, found + 1))
            // What begins in the overlap belongs to the next chunk.
            if (isLast || found < CHUNK_BYTES - overlap) counts[name]!++
        if (isLast) break
      }
    }
  } finally {
    closeSync(memory)
  }
  return counts
}

function writableMappings(pid: number): { start: number; end: number }[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/u.exec(line)
      return match === null ? [] : [{ start: parseInt(match[1]!, 16), end: parseInt(match[2]!, 16) }]
    })
}

/** The bytes read; 0 for a mapping that went meanwhile. */
function readAt(memory: number, into: Buffer, position: number, length: number): number {
  try {
    return readSync(memory, into, 0, length, position)
  } catch (error) {
    if (['EIO', 'EFAULT'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}
