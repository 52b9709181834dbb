/**
 * Loaded before a daemon (`node --import`): kills its process at an exact point, which no timer could hit. KILL_AT names it:
 *
 * - `store N`: the N-th point right before or right after a write of a task's record reaches the database, transactions and their commit included;
 * - `rename N`: the N-th point right before or right after a file takes its place (checkpoints);
 * - `send N`: right after the N-th piece of data was given to a socket.
 */
import Database from 'better-sqlite3'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/** What a registration or renewal writes. */
const TASK_KEYS = /^(?:task|proof|own|owned|commitment|entry|record)\//

const [kind, count] = (process.env['KILL_AT'] ?? '').split(' ')
let left = Number(count)

function point(): void {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}

/** Makes every call of a method pass through `around`. */
function wrap(target: object, name: string, around: (call: () => unknown, self: object, args: unknown[]) => unknown): void {
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
  wrap(statements, 'run', (call, statement, [key]) => {
    const isCommit = (statement as { source?: string }).source === 'COMMIT' && isTransactionOfTask
    const isTask = typeof key === 'string' && TASK_KEYS.test(key)
    isTransactionOfTask = isTask
    if (!isTask && !isCommit) return call()
    point()
    const result = call()
    point()
    return result
  })
}

function watchRenames(): void {
  wrap(files, 'rename', async (call) => {
    point()
    await call()
    point()
  })
  syncBuiltinESMExports()
}

function watchSockets(): void {
  wrap(Socket.prototype, 'write', (call) => {
    const result = call()
    point()
    return result
  })
}

if (isMainThread) {
  if (kind === 'store') watchStore()
  if (kind === 'rename') watchRenames()
  if (kind === 'send') watchSockets()
}
