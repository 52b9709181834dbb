/** The demo's output: numbered steps with their reasons, a progress bar, and the time taken. */
import { styleText } from 'node:util'
import { formatDuration } from '../../src/cli/terminal/format.ts'
import { Painter, type ProgressView } from '../../src/cli/terminal/progress.ts'

type Style = 'bold' | 'dim' | 'green' | 'red'

/** Share between two progress lines where there is no terminal to repaint. */
const PRINTED_SHARE = 0.1

export class Stage {
  readonly #steps: number
  readonly #terminal = process.stdout.isTTY && process.env['TERM'] !== 'dumb'
  readonly #color = this.#terminal && (process.env['NO_COLOR'] ?? '') === ''
  readonly #painter = new Painter(process.stdout, /utf-?8/iu.test(process.env['LC_ALL'] ?? process.env['LANG'] ?? ''))
  readonly #startedAtMs = Date.now()
  #number = 0
  #title = ''
  #printedShare = 0
  #ended = false

  constructor(steps: number) {
    this.#steps = steps
  }

  get title(): string {
    return this.#title
  }

  get elapsedSeconds(): number {
    return (Date.now() - this.#startedAtMs) / 1000
  }

  /** Runs one step: what is done and why, then what came of it. */
  async step<T>(title: string, why: string, work: () => Promise<T>): Promise<T> {
    this.#number += 1
    this.#title = title
    this.#printedShare = 0
    this.say(`\n${this.#paint('bold', `${this.#number}/${this.#steps}  ${title}`)}`)
    this.say(this.#paint('dim', wrap(why)))
    const startedAtMs = Date.now()
    const result = await work()
    this.say(`     ${this.#paint('green', 'done')} in ${formatDuration((Date.now() - startedAtMs) / 1000)}`)
    return result
  }

  /** The last words: later output of a running step is dropped. */
  end(text: string): void {
    this.say(text)
    this.#ended = true
  }

  say(text: string): void {
    if (this.#ended) return
    this.#painter.clear()
    process.stdout.write(`${text}\n`)
  }

  /** A fact worth showing, indented. */
  show(text: string): void {
    this.say(`     ${text}`)
  }

  fail(text: string): void {
    this.say(this.#paint('red', text))
  }

  progress(view: ProgressView): void {
    if (this.#ended) return
    if (this.#terminal) {
      this.#painter.show({ ...view, label: `     ${view.label}` })
      return
    }
    const share = view.total > 0 ? view.done / view.total : 0
    if (share < this.#printedShare) return
    this.#printedShare = share + PRINTED_SHARE
    this.show(`${view.label} ${view.done}/${view.total}`)
  }

  #paint(style: Style, text: string): string {
    return this.#color ? styleText(style, text, { validateStream: false }) : text
  }
}

const WIDTH = 76
const INDENT = '     '

function wrap(text: string): string {
  const lines: string[] = []
  let line = INDENT
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH && line !== INDENT) {
      lines.push(line.trimEnd())
      line = INDENT
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()].join('\n')
}
