import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../errors.ts'
import type { ErrorCode } from '../error-table.ts'

export interface UnsealRequest {
  readonly text: string
  readonly passphrase: string
  readonly path: string
}

/** What the thread sends back; errors lose their class on the way. */
export type UnsealAnswer =
  | { readonly ok: true; readonly seed: Uint8Array }
  | { readonly ok: false; readonly message: string; readonly code: ErrorCode | undefined }

/** As {@link unsealSeed}, off the event loop. */
export function unsealOnThread(request: UnsealRequest): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(
      fileURLToPath(new URL(`./unseal-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)),
      { workerData: request }
    )
    worker.once('message', (answer: UnsealAnswer) => {
      if (answer.ok) resolve(answer.seed)
      else reject(answer.code === undefined ? new Error(answer.message) : new ServiceError(answer.code, answer.message))
    })
    worker.once('error', reject)
    // After a message this changes nothing.
    worker.once('exit', (code) => reject(new Error(`the thread that opens the seed ended with ${code} and no answer`)))
  })
}
