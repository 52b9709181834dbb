import { stripVTControlCharacters, styleText } from 'node:util'
import { withDaemon, type MeantDaemon } from '../../util/shell-commands.ts'
import { printable, printableMessage } from './format.ts'
import { Painter } from './progress.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'whiteBright' | 'bgBlack'
export type Paint = (style: Style, text: string) => string

export interface TerminalStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface OutputOptions {
  stdout: TerminalStream
  stderr: TerminalStream
  env: Readonly<Record<string, string | undefined>>
  /** `--json` / `--no-json` */
  json?: boolean | undefined
  /** A program or a file takes stdout alone. It got JSON before, without `--json`. */
  isCaptured?: boolean | undefined
  /** The daemon of this run; commands in messages name it. */
  daemon?: MeantDaemon
  /** `--no-color`. */
  color?: boolean | undefined
}

/** Colours are off with NO_COLOR (https://no-color.org), on a dumb terminal, and where nobody looks. */
function colorWanted(stream: TerminalStream, options: OutputOptions): boolean {
  const { env } = options
  if (options.color === false || (env['NO_COLOR'] ?? '') !== '') return false
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}

function unicodeWanted(env: OutputOptions['env']): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false
  const locale = (env['LC_ALL'] ?? '') || (env['LC_CTYPE'] ?? '') || (env['LANG'] ?? '')
  return process.platform === 'win32' || process.platform === 'darwin' || /utf-?8/iu.test(locale)
}

/**
 * Where a command's answer goes. Answers on stdout: text, or JSON with `--json`.
 * Progress, notes and errors on stderr, so that stdout holds the answer and nothing else.
 */
export class Output {
  /** `--json` was given: answers and errors are JSON. */
  readonly json: boolean
  /** A person watches stderr: progress bars make sense. */
  readonly live: boolean
  /** The terminal shows more than ASCII. */
  readonly unicode: boolean
  readonly #options: OutputOptions
  #hasHinted = false

  constructor(options: OutputOptions) {
    this.#options = options
    this.json = options.json === true
    this.live = !this.json && options.stderr.isTTY === true && options.env['TERM'] !== 'dumb'
    this.unicode = unicodeWanted(options.env)
  }

  /** One answer: an object for programs, text for people. The text is made only when it is needed. */
  answer(value: unknown, text: (paint: Paint) => string): void {
    this.hintAtJson()
    if (this.json) this.jsonLine(value)
    else this.line(text(this.paint))
  }

  /** An answer that a program takes as it is without `--json`: a token, a proof in hex, a zone file. */
  plain(value: unknown, text: string): void {
    if (this.json) this.jsonLine(value)
    else this.text(text)
  }

  jsonLine(value: unknown): void {
    this.#options.stdout.write(`${printable(JSON.stringify(value))}\n`)
  }

  /** Text for people. A pager or `head` brings it to a terminal too. */
  line(text: string): void {
    this.#options.stdout.write(`${printableMessage(text)}\n`)
  }

  /** A file or a program gets the bytes as they are. */
  text(text: string): void {
    const { stdout } = this.#options
    stdout.write(`${stdout.isTTY === true ? printableMessage(text) : text}\n`)
  }

  /** Says once that a pipe no longer means JSON; for one release. */
  hintAtJson(): void {
    const { json, isCaptured } = this.#options
    if (json !== undefined || isCaptured !== true || this.#hasHinted) return
    this.#hasHinted = true
    this.note('• text, as on a terminal; JSON needs --json now (--no-json: text without this hint)')
  }

  /** A remark for a person; nothing when `--json` is given. */
  note(text: string): void {
    if (!this.json) this.error(text)
  }

  /** A line on stderr, whatever was asked for. */
  error(text: string): void {
    this.#options.stderr.write(`${printableMessage(this.commands(text))}\n`)
  }

  /** The text with the options that its commands need to reach the daemon of this run. */
  commands(text: string): string {
    return withDaemon(text, this.#options.daemon ?? {})
  }

  painter(): Painter {
    return new Painter(this.#options.stderr, this.unicode)
  }

  /**
   * Shows a text of several lines in the place of the one before it on a terminal; below it anywhere else, if it is
   * another one.
   */
  repainter(): (text: string) => void {
    const { stdout } = this.#options
    let lines = 0
    let shown: string | undefined
    return (text) => {
      if (!this.isTerminal) {
        if (text !== shown) this.line(text)
        shown = text
        return
      }
      // A line that wraps would be two.
      const width = this.columns - 1
      const cut = printableMessage(text)
        .split('\n')
        .map((line) =>
          stripVTControlCharacters(line).length <= width ? line : stripVTControlCharacters(line).slice(0, width)
        )
      stdout.write(`${lines > 0 ? `\u001b[${lines}A\u001b[J` : ''}${cut.join('\n')}\n`)
      lines = cut.length
    }
  }

  /** The answer goes to a terminal. */
  get isTerminal(): boolean {
    return this.#options.stdout.isTTY === true
  }

  /** How wide the answer may be; elsewhere than on a terminal COLUMNS says it, as watch(1) does, or nothing. */
  get columns(): number {
    const { stdout, env } = this.#options
    if (this.isTerminal) return stdout.columns ?? Infinity
    return /^[1-9]\d{0,4}$/u.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : Infinity
  }

  get paint(): Paint {
    return this.#paint(this.#options.stdout)
  }

  get paintError(): Paint {
    return this.#paint(this.#options.stderr)
  }

  #paint(stream: TerminalStream): Paint {
    const wanted = colorWanted(stream, this.#options)
    return (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text)
  }
}
