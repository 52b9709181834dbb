/** Logs on standard error, so that standard output stays for answers: JSON for programs, text on a terminal. */
import pino, { type Logger } from 'pino'

export type { Logger }

/** Names of members that could carry a secret, at any depth. */
const SECRETS = ['token', 'authorization', 'seed', 'secretKey', 'req.headers.authorization', 'req.headers.cookie']

/** `message` may change each message, such as the commands in it. */
export function createLogger(level: string, message: (text: string) => string = (text) => text): Logger {
  const destination = process.stderr.isTTY
    ? { write: (line: string) => process.stderr.write(logLineText(line)) }
    : pino.destination({ fd: 2, sync: true })
  const hooks: pino.LoggerOptions['hooks'] = {
    logMethod(words, method) {
      Reflect.apply(
        method,
        this,
        words.map((word: unknown) => (typeof word === 'string' ? message(word) : word))
      )
    }
  }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRETS, hooks }, destination)
}

/**
 * A line of JSON as text: `11:19:46 warn  message  member=value`. Control characters, which peers could send, become
 * escapes.
 */
export function logLineText(line: string): string {
  const { level, time, msg, err, ...members } = JSON.parse(line) as Record<string, unknown>
  const reason = (err as { message?: unknown } | undefined)?.message
  const facts = Object.entries({ ...members, ...(reason !== undefined && { error: reason }) }).map(
    ([name, value]) => `${name}=${textOf(value)}`
  )
  const label = (pino.levels.labels[Number(level)] ?? '').padEnd(5)
  const message = `${new Date(String(time)).toTimeString().slice(0, 8)} ${label} ${textOf(msg ?? '')}`
  return `${printable([message, ...facts].join('  '))}\n`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** \p{C} holds control characters and the marks that turn the direction of writing. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (mark) => `\\u{${mark.codePointAt(0)!.toString(16)}}`)
}
