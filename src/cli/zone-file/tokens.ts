/**
 * Words and entries of a master file (RFC 1035, section 5.1). Words keep their escapes and quotes: values are written
 * with them.
 */

export interface Token {
  /** As written, with quotes and escapes. */
  readonly text: string
  /** From 1. */
  readonly line: number
}

/** A record or a directive: one line, or several that parentheses join. */
export interface Entry {
  /** Where it begins, from 1. */
  readonly line: number
  /** The line begins with white space: the owner is that of the record before. */
  readonly isIndented: boolean
  readonly tokens: readonly Token[]
}

export interface FileProblem {
  /** From 1. */
  readonly line: number
  readonly message: string
}

const ALONE = 'a line ends with CR alone: save the file with line ends of Unix (LF) or Windows (CRLF)'

/** Octets that files get by accident, in words. */
const STRAY: Readonly<Record<string, string>> = {
  '\u0000': 'NUL, as a file has that is cut off or not text',
  '\u001a': 'Ctrl-Z, the end of a file under DOS'
}

function controlProblem(character: string): string {
  const octet = character.codePointAt(0)!
  const hex = octet.toString(16).toUpperCase().padStart(4, '0')
  const what = STRAY[character] === undefined ? '' : ` (${STRAY[character]})`
  return `the control character U+${hex}${what} stands here: delete it, or write \\${String(octet).padStart(3, '0')}`
}

interface Reading {
  readonly text: string
  position: number
  line: number
}

/** Lines end in \n: carriage returns before one go, as many as a file was converted. */
function withoutReturns(text: string): string {
  const lines = text.split('\n')
  const last = lines.pop()!
  const ended = lines.map((line) => {
    let end = line.length
    while (line[end - 1] === '\r') end--
    return `${line.slice(0, end)}\n`
  })
  return ended.join('') + last
}

/**
 * Splits the text of a file into its entries. What can't be read is a problem of its line, and reading continues after
 * that line.
 */
export function entriesOf(text: string): { entries: Entry[]; problems: FileProblem[] } {
  const reading: Reading = { text: withoutReturns(text), position: 0, line: 1 }
  // Behind a comment a whole file of such lines would be one comment.
  const carriageReturn = reading.text.indexOf('\r')
  if (carriageReturn >= 0) {
    const line = reading.text.slice(0, carriageReturn).split('\n').length
    return { entries: [], problems: [{ line, message: ALONE }] }
  }
  const entries: Entry[] = []
  const problems: FileProblem[] = []
  while (reading.position < reading.text.length) {
    const { line } = reading
    try {
      const entry = readEntry(reading)
      if (entry.tokens.length > 0) entries.push(entry)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      problems.push({ line: error.cause === undefined ? reading.line : line, message: error.message })
      skipLine(reading)
    }
  }
  return { entries, problems }
}

function readEntry(reading: Reading): Entry {
  const { text, line } = reading
  const isIndented = isBlank(text[reading.position])
  const tokens: Token[] = []
  let isOpen = false
  for (;;) {
    const character = text[reading.position]
    if (character === undefined || (character === '\n' && !isOpen)) break
    if (character === '\n') reading.line++
    if (character === '\n' || isBlank(character)) reading.position++
    else if (character === ';') skipComment(reading)
    else if (character === '(') {
      if (isOpen) throw new SyntaxError('a parenthesis is open already')
      isOpen = true
      reading.position++
    } else if (character === ')') {
      if (!isOpen) throw new SyntaxError('a parenthesis is closed that was not opened')
      isOpen = false
      reading.position++
    } else tokens.push({ text: readWord(reading), line: reading.line })
  }
  // The line that opened it is the one to fix.
  if (isOpen) throw new SyntaxError('a parenthesis is not closed', { cause: 'entry' })
  skipLine(reading)
  return { line, isIndented, tokens }
}

/** A bare word, a quoted string, or both as in `alpn="h2,h3"`; a closing quote ends it. */
function readWord(reading: Reading): string {
  const { text, position: start } = reading
  let isQuoted = false
  for (;;) {
    const character = text[reading.position]
    if (character === undefined || character === '\n') {
      if (isQuoted) throw new SyntaxError('a quote is not closed on its line')
      break
    }
    if (!isQuoted && (isBlank(character) || ';()'.includes(character))) break
    if (character === '\\') readEscape(reading)
    else {
      if (isControl(character) && !(isQuoted && character === '\t')) throw new SyntaxError(controlProblem(character))
      reading.position++
      if (character === '"' && isQuoted) {
        const next = text[reading.position]
        if (next !== undefined && next !== '\n' && !isBlank(next) && !';()'.includes(next))
          throw new SyntaxError('a space must follow a closing quote')
        break
      }
      if (character === '"') isQuoted = true
    }
  }
  // A tab may stand in quotes here, and not in the value of a zone.
  return text.slice(start, reading.position).replaceAll('\t', String.raw`\009`)
}

/** `\DDD` of an octet, or `\X` of one character other than a digit. */
function readEscape(reading: Reading): void {
  const rest = reading.text.slice(reading.position + 1, reading.position + 4)
  if (/^[0-9]/.test(rest)) {
    if (!/^[0-9]{3}/.test(rest) || Number(rest) > 255)
      throw new SyntaxError(`\\${rest.replace(/[^0-9].*/su, '')} is not an octet: three digits up to 255 are expected`)
    reading.position += 4
    return
  }
  const next = reading.text.codePointAt(reading.position + 1)
  if (next === undefined || next === 0x0a) throw new SyntaxError('a backslash ends a line')
  const escaped = String.fromCodePoint(next)
  if (isControl(escaped)) throw new SyntaxError(controlProblem(escaped))
  reading.position += 1 + escaped.length
}

function skipComment(reading: Reading): void {
  while (reading.position < reading.text.length && reading.text[reading.position] !== '\n') reading.position++
}

function skipLine(reading: Reading): void {
  skipComment(reading)
  reading.position++
  reading.line++
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f'
}
