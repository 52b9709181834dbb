/** Results of finished runs, a line each, so that runs that were cut off go on where they were. */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import type { RunResult } from '../run.ts'

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
  throw new Error(`${file} is no file of --resume: name another one`)
}
