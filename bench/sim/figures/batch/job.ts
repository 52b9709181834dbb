/** A run as data, so that another thread can do it and a file can tell whether it is done. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MOVES } from '../../moves/index.ts'
import type { RunOptions } from '../run.ts'

export interface Job extends Omit<RunOptions, 'move'> {
  readonly move?: string
}

export function optionsOf({ move: id, ...options }: Job): RunOptions {
  const move = MOVES.find((each) => each.id === id)
  if (id !== undefined && move === undefined) throw new RangeError(`no such move: ${id}`)
  return { ...options, ...(move !== undefined && { move }) }
}

/** What decides a result: the options, and the code of the simulator and of what it runs. */
export function keyOf(job: Job, code: string): string {
  const options = Object.entries(job).sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([code, options]))
    .digest('hex')
}

const ROOT = resolve(import.meta.dirname, '../../../..')

/** SHA-256 of all TypeScript below bench/sim and src. */
export function hashOfCode(): string {
  const hash = createHash('sha256')
  for (const folder of ['bench/sim', 'src']) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((each) => each.endsWith('.ts')).sort())
      hash.update(file).update(readFileSync(join(ROOT, folder, file)))
  }
  return hash.digest('hex')
}
