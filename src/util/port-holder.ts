/** Which process listens on a TCP port, as Linux tells it; other systems tell nothing here. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { masked } from './masked.ts'
import { printable } from './printable.ts'

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A'
/** Characters read of a command, since its user chooses it, and characters kept. */
const MAX_READ = 4_096
const MAX_COMMAND = 200

interface Holder {
  readonly pid: number
  /** Its words, with secrets masked. */
  readonly command: string
}

/** Undefined where nobody listens, or where the process belongs to a user whose files cannot be read. */
export function portHolder(port: number): Holder | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningOn(port, readOrEmpty(table))))
  if (sockets.size === 0) return undefined
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/u.test(name))) {
    if (!namesIn(`/proc/${pid}/fd`).some((fd) => sockets.has(targetOf(`/proc/${pid}/fd/${fd}`)))) continue
    const command = readOrEmpty(`/proc/${pid}/cmdline`).slice(0, MAX_READ).replaceAll('\0', ' ').trim()
    // Masked before it is cut: half of an address shows a password that the whole one would hide.
    return { pid: Number(pid), command: printable(masked(command).slice(0, MAX_COMMAND)) }
  }
  return undefined
}

/** Links as the descriptors of their process show them. */
function listeningOn(port: number, table: string): string[] {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, local, , state]) => state === LISTEN && Number.parseInt(local?.split(':')[1] ?? '', 16) === port)
    .map((columns) => `socket:[${columns[9]}]`)
}

/** A process may end at any time, and those of others are closed to us. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

const readOrEmpty = (path: string): string => unlessGone(() => readFileSync(path, 'latin1'), '')
const namesIn = (path: string): string[] => unlessGone(() => readdirSync(path), [])
const targetOf = (path: string): string => unlessGone(() => readlinkSync(path), '')
