/**
 * One attempt to write the kept backup, on a thread of its own that ends with it. With many names, reading, checking
 * signatures and encrypting take long.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../protocol/errors.ts'
import { BackupError } from '../errors.ts'
import { keepBackup, type KeepRequest } from './kept-file.ts'
import type { KeepAnswer } from './keep-on-thread.ts'

async function answer(): Promise<KeepAnswer> {
  try {
    return { ok: true, value: await keepBackup(workerData as KeepRequest) }
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined
    // The system's cause of a backup error says more.
    const code = (error instanceof BackupError ? [cause, error] : [error, cause])
      .map((each) => (each as NodeJS.ErrnoException | undefined)?.code)
      .find((each) => typeof each === 'string')
    return { ok: false, message: messageOf(error), cure: error instanceof BackupError ? error.cure : undefined, code }
  }
}

parentPort!.postMessage(await answer())
