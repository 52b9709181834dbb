/**
 * Loaded before a daemon (`node --import`): its wall clock is off by as many milliseconds as the file CLOCK_SHIFT_FILE
 * says, at any time. Timers are not: they go by the monotonic clock.
 */
import { readFileSync } from 'node:fs'

const file = process.env['CLOCK_SHIFT_FILE']!
const REREAD_MS = 20
const real = Date.now.bind(Date)
let readAtMs = -Infinity
let shiftMs = 0

function now(): number {
  const atMs = real()
  if (atMs - readAtMs > REREAD_MS) {
    shiftMs = Number(readFileSync(file, 'utf8'))
    readAtMs = atMs
  }
  return atMs + shiftMs
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args: unknown[], self) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, self) as object,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown))
})
