/** Runs as data, so that another thread can do them and a file can tell which are done. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, readdirSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MOVES } from '../../moves/index.ts'
import type { RunOptions, RunResult } from '../run.ts'

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

/** SHA-256 of all TypeScript below lab/sim and src. */
export function hashOfCode(): string {
  const hash = createHash('sha256')
  for (const folder of ['lab/sim', 'src']) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((each) => each.endsWith('.ts')).sort())
      hash.update(file).update(readFileSync(join(ROOT, folder, file)))
  }
  return hash.digest('hex')
}

interface Line {
  readonly key: string
  readonly result: RunResult
}

export class Journal {
  readonly #file: string
  readonly #done = new Map<string, RunResult>()

  /** Cuts off a last line that a kill left without its end. Throws an Error for a file of something else. */
  constructor(file: string) {
    this.#file = file
    if (!existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.split('\n').slice(0, -1)) {
      const { key, result } = parsed(line, file)
      this.#done.set(key, result)
    }
    if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole))
  }

  get(key: string): RunResult | undefined {
    return this.#done.get(key)
  }

  add(key: string, result: RunResult): void {
    this.#done.set(key, result)
    appendFileSync(this.#file, `${JSON.stringify({ key, result } satisfies Line)}\n`)
  }
}

function parsed(line: string, file: string): Line {
  try {
    const value = JSON.parse(line) as Partial<Line>
    if (typeof value.key === 'string' && typeof value.result === 'object') return value as Line
  } catch {
    // As for a line of something else.
  }
  throw new Error(`${file} is not a file of --resume: name another one`)
}
