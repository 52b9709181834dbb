/** Starts, queries and stops the processes of the flood. */
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type End = () => Promise<unknown> | undefined

/** Starts a file of this folder as a process; the last of `ends` stops it. */
export function startChild(file: string, ends: End[], options: Pick<ForkOptions, 'env' | 'execArgv'>): ChildProcess {
  const child = fork(join(import.meta.dirname, file), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options })
  ends.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.disconnect()
    await once(child, 'exit')
  })
  return child
}

/** Sends one message and resolves with its answer. */
export async function ask<A>(child: ChildProcess, question: object): Promise<A> {
  const exited = new AbortController()
  const answer = once(child, 'message', { signal: exited.signal })
  const onExit = (code: number | null, signal: string | null): void => {
    exited.abort(new Error(`a process of the flood ended with ${signal ?? code}`))
  }
  child.once('exit', onExit)
  child.send(question)
  try {
    return ((await answer) as [A])[0]
  } finally {
    child.off('exit', onExit)
  }
}
