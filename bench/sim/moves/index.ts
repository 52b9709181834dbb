/** All moves: each file of the folders here that exports one. */
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Move } from './move.ts'

const NO_MOVES = ['halves', 'share']

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (file) => dirname(file) !== '.' && file.endsWith('.ts') && !NO_MOVES.includes(basename(file, '.ts'))
)

const moves = await Promise.all(
  files.map(async (file) => ((await import(new URL(file, import.meta.url).href)) as { readonly move: Move }).move)
)

export const MOVES: readonly Move[] = moves.sort((left, right) => (left.id < right.id ? -1 : 1))
