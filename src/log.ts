/** JSON logs on standard error, so that standard output stays for answers. */
import pino, { type Logger } from 'pino'

export type { Logger }

/** Names of members that could carry a secret, wherever they stand. */
const SECRETS = ['token', 'authorization', 'seed', 'secretKey', 'req.headers.authorization', 'req.headers.cookie']

export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRETS }, pino.destination({ fd: 2, sync: true }))
}
