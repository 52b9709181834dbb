/** Files of the setup: a first line says who wrote them, and what they held then. Pure. */
import { createHash } from 'node:crypto'
import type { ConfigFile } from '../types.ts'

const MARKER =
  /^[#;] Written by chronym dns setup; chronym dns setup --undo removes it \((?<digest>[0-9a-f]{32})(?<made>, with its directory)?\)\.\n/u

/** `changed`: the setup wrote it, and somebody changed it since. */
export type Authorship = 'ours' | 'changed' | 'foreign'

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32)
}

/** `madeDirectory`: the directory goes with the file. */
export function markedText({ comment, body }: ConfigFile, madeDirectory: boolean): string {
  const made = madeDirectory ? ', with its directory' : ''
  return (
    `${comment} Written by chronym dns setup; chronym dns setup --undo removes it ` +
    `(${digestOf(body)}${made}).\n${body}`
  )
}

export function authorOf(text: string): Authorship {
  const match = MARKER.exec(text)
  if (match === null) return 'foreign'
  return digestOf(text.slice(match[0].length)) === match.groups!['digest'] ? 'ours' : 'changed'
}

export function madeItsDirectory(text: string): boolean {
  return MARKER.exec(text)?.groups?.['made'] !== undefined
}

/** What follows the first line. */
export function bodyOf(text: string): string {
  return text.replace(MARKER, '')
}
