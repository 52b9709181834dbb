import { renderProgress, type ProgressView } from './progress.ts'

export interface PaintTarget {
  write(text: string): unknown
  readonly columns?: number | undefined
}

/** Fast enough to look alive, slow enough to cost nothing over ssh. */
const REPAINT_INTERVAL_MS = 100
const CLEAR_LINE = '\r\u001b[2K'
const DEFAULT_COLUMNS = 80

/** Keeps one progress line at the bottom of a terminal; lines printed meanwhile stay above it. */
export class Painter {
  readonly #target: PaintTarget
  readonly #unicode: boolean
  readonly #now: () => number
  #paintedAtMs = -Infinity
  #line = ''

  constructor(target: PaintTarget, unicode: boolean, now: () => number = Date.now) {
    this.#target = target
    this.#unicode = unicode
    this.#now = now
  }

  show(view: ProgressView): void {
    const nowMs = this.#now()
    if (nowMs - this.#paintedAtMs < REPAINT_INTERVAL_MS) return
    this.#paintedAtMs = nowMs
    const line = renderProgress(view, this.#target.columns ?? DEFAULT_COLUMNS, this.#unicode)
    if (line === this.#line) return
    this.#line = line
    this.#target.write(CLEAR_LINE + line)
  }

  /** A line that stays, above the progress. */
  print(text: string): void {
    this.#target.write(`${this.#line === '' ? '' : CLEAR_LINE}${text}\n${this.#line}`)
  }

  /** Takes the progress line away. Safe to call twice. */
  clear(): void {
    if (this.#line !== '') this.#target.write(CLEAR_LINE)
    this.#line = ''
    this.#paintedAtMs = -Infinity
  }
}
