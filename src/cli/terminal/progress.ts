/** Progress of a long computation as one line of text. Pure: time comes in as an argument. */
import { count as formatCount } from '../../util/words.ts'
import { formatDuration, formatRate } from './format.ts'

/** Long enough to smooth slices of 50-200 ms, short enough to follow a machine that becomes busy. */
const RATE_WINDOW_MS = 10_000
const MAX_SAMPLES = 256

/** The rate over the last seconds, from samples of (time, amount done). */
export class RateMeter {
  readonly #samples: { atMs: number; done: number }[] = []

  push(atMs: number, done: number): void {
    const last = this.#samples.at(-1)
    // A task taken up again may report from an earlier point; what came before says nothing about it.
    if (last !== undefined && done < last.done) this.#samples.length = 0
    this.#samples.push({ atMs, done })
    while (
      this.#samples.length > 2 &&
      (atMs - this.#samples[0]!.atMs > RATE_WINDOW_MS || this.#samples.length > MAX_SAMPLES)
    )
      this.#samples.shift()
  }

  /** Per second; undefined until two samples lie apart. */
  get perSecond(): number | undefined {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined
    const rate = ((last.done - first.done) * 1000) / (last.atMs - first.atMs)
    return rate > 0 ? rate : undefined
  }
}

/** Seconds that are left at this rate; undefined when the rate is not known. */
export function etaSeconds(done: number, total: number, perSecond: number | undefined): number | undefined {
  if (done >= total) return 0
  return perSecond === undefined || perSecond <= 0 ? undefined : (total - done) / perSecond
}

export interface ProgressView {
  label: string
  done: number
  total: number
  perSecond?: number | undefined
  etaSeconds?: number | undefined
  /** Shown instead of rate and ETA, such as "waiting for the beacon". */
  note?: string | undefined
}

const BAR_MIN_WIDTH = 10
const BAR_MAX_WIDTH = 40
/** U+258F to U+2588: an eighth to a full block. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar `width` characters wide; ASCII where the terminal has no blocks. */
export function renderBar(share: number, width: number, unicode: boolean): string {
  const clamped = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0
  if (!unicode) {
    const cells = width - 2
    const full = Math.floor(clamped * cells)
    return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`
  }
  const eighths = Math.floor(clamped * width * 8)
  const bar = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
  return bar.padEnd(width, '░')
}

/** One line, at most `columns` wide: label, bar, percentage, amount, rate, ETA; the bar gives way first. */
export function renderProgress(view: ProgressView, columns: number, unicode: boolean): string {
  const share = view.total > 0 ? view.done / view.total : 0
  // Never 100% before the end: a full bar would claim that the task has ended.
  const percent =
    `${Math.min(view.done >= view.total && view.total > 0 ? 100 : 99.9, share * 100).toFixed(1)}%`.padStart(6)
  const tail = [percent, `${formatCount(view.done)}/${formatCount(view.total)}`]
  if (view.note !== undefined) tail.push(view.note)
  else {
    if (view.perSecond !== undefined) tail.push(formatRate(view.perSecond))
    if (view.etaSeconds !== undefined) tail.push(`${formatDuration(view.etaSeconds)} left`)
  }
  const text = tail.join('  ')
  const room = columns - 1 - view.label.length - text.length - 4
  const line =
    room < BAR_MIN_WIDTH
      ? `${view.label}  ${text}`
      : `${view.label}  ${renderBar(share, Math.min(BAR_MAX_WIDTH, room), unicode)}  ${text}`
  return line.slice(0, Math.max(0, columns - 1))
}

interface PaintTarget {
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
