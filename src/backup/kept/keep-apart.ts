import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { KeepRequest, KeepResult } from './kept-file.ts'

/** What the thread sends back; errors lose their class on the way. */
export type KeepAnswer =
  | { readonly ok: true; readonly value: KeepResult }
  | {
      readonly ok: false
      readonly message: string
      readonly cure: string | undefined
      readonly code: string | undefined
    }

export class KeepError extends Error {
  override readonly name = 'KeepError'
  readonly cure: string | undefined
  /** Of the system (`ENOSPC`), of the store (`full`) or of the backup (`occupied`), if any. */
  readonly code: string | undefined

  constructor(
    message: string,
    {
      cure,
      code,
      cause
    }: { readonly cure?: string | undefined; readonly code?: string | undefined; readonly cause?: unknown } = {}
  ) {
    super(message, { cause })
    this.cure = cure
    this.code = code
  }
}

/** {@link keepBackup} off the event loop. Rejects with KeepError. */
export function keepOnThread(request: KeepRequest): Promise<KeepResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(
      fileURLToPath(new URL(`./keep-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)),
      { workerData: request }
    )
    worker.once('message', (answer: KeepAnswer) => {
      if (answer.ok) resolve(answer.value)
      else reject(new KeepError(answer.message, answer))
    })
    worker.once('error', (cause: unknown) =>
      reject(new KeepError(cause instanceof Error ? cause.message : String(cause), { cause }))
    )
    // After a message this changes nothing.
    worker.once('exit', (code) => reject(new KeepError(`its thread ended with ${code} and no answer`)))
  })
}
