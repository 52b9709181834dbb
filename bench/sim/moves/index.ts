/** All moves: each file of this folder but those that describe them. */
import { readdirSync } from 'node:fs'
import type { Move } from './move.ts'

const NO_MOVES = ['index', 'move', 'left-out']

const ids = readdirSync(import.meta.dirname)
  .map((file) => file.replace('.ts', ''))
  .filter((id) => !NO_MOVES.includes(id))

export const MOVES: readonly Move[] = await Promise.all(
  ids
    .sort()
    .map(async (id) => ((await import(new URL(`${id}.ts`, import.meta.url).href)) as { readonly move: Move }).move)
)
