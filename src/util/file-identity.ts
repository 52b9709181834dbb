import { statSync } from 'node:fs'

/** Device and inode of a file or directory as text: a path can lead to another one later. Throws the system's error. */
export function fileIdentity(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}
