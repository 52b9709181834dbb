/**
 * Loaded before a daemon (`node --import`): kills its process at an exact point, which no timer from outside could hit.
 * KILL_AT is `PHASE KIND N`: once the journal has a task in that phase,
 *
 * - `time N`: N milliseconds later;
 * - `store N`: at the N-th point right before or right after a write of a task's record reaches the database,
 *   transactions and their commit included;
 * - `rename N`: at the N-th point right before or right after a file takes its place (checkpoints);
 * - `send N`: right after the N-th piece of data was given to a socket.
 *
 * Where the phase ends before that, or is over before the journal has it, right before its end is written.
 */
import Database from 'better-sqlite3'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/** What a registration or renewal writes. */
const TASK_KEYS = /^(?:task|proof|own|owned|commitment|entry|record)\//

const [phase = '', kind = '', count = ''] = (process.env['KILL_AT'] ?? '').split(' ')
const ORDER = ['commit', 'pulse', 'evaluate', 'prove', 'reveal', 'done']
const TEXT = 0x60
/** How CBOR has the field's name in a record of the journal. */
const PHASE = Buffer.from([TEXT + 'phase'.length, ...Buffer.from('phase')])
let left = Number(count)
let isArmed = false
/** The phase that was written last. */
let last = ''

function kill(): void {
  process.kill(process.pid, 'SIGKILL')
}

function point(of: string): void {
  if (isArmed && kind === of && --left === 0) kill()
}

function phaseOf(record: Uint8Array): string {
  const bytes = Buffer.from(record)
  const at = bytes.indexOf(PHASE) + PHASE.length
  return bytes.toString('latin1', at + 1, at + 1 + bytes[at]! - TEXT)
}

/** Before a record of a task is written: the phase may end with it, or be over already. */
function leaving(record: Uint8Array): void {
  const [before, aim, now] = [last, phase, phaseOf(record)].map((each) => ORDER.indexOf(each))
  if (isArmed ? now !== aim : before! >= 0 && before! < aim! && now! > aim!) kill()
}

/** After it was: the phase may have begun. */
function entered(record: Uint8Array): void {
  last = phaseOf(record)
  if (isArmed || last !== phase) return
  isArmed = true
  if (kind === 'time') setTimeout(kill, left)
}

/** Makes every call of a method pass through `around`. */
function wrap(
  target: object,
  name: string,
  around: (call: () => unknown, self: object, args: unknown[]) => unknown
): void {
  const original = Reflect.get(target, name) as (...args: unknown[]) => unknown
  Reflect.set(target, name, function (this: object, ...args: unknown[]) {
    return around(() => original.apply(this, args), this, args)
  })
}

function watchStore(): void {
  const database = new Database(':memory:')
  const statements = Object.getPrototypeOf(database.prepare('SELECT 1')) as object
  database.close()
  let isTransactionOfTask = false
  wrap(statements, 'run', (call, statement, [key, value]) => {
    const isCommit = (statement as { source?: string }).source === 'COMMIT' && isTransactionOfTask
    const isTask = typeof key === 'string' && TASK_KEYS.test(key)
    isTransactionOfTask = isTask
    const record = isTask && key.startsWith('task/') && value instanceof Uint8Array ? value : undefined
    if (record !== undefined) leaving(record)
    if (isTask || isCommit) point('store')
    const result = call()
    if (isTask || isCommit) point('store')
    if (record !== undefined) entered(record)
    return result
  })
}

function watchRenames(): void {
  wrap(files, 'rename', async (call) => {
    point('rename')
    await call()
    point('rename')
  })
  syncBuiltinESMExports()
}

function watchSockets(): void {
  wrap(Socket.prototype, 'write', (call) => {
    const result = call()
    point('send')
    return result
  })
}

if (isMainThread) {
  watchStore()
  if (kind === 'rename') watchRenames()
  if (kind === 'send') watchSockets()
}
