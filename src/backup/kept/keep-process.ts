/** One attempt to write the kept backup. With many names, reading, checking signatures and encrypting take long. */
import { messageOf } from '../../protocol/errors.ts'
import { answerApart } from '../../util/run-apart.ts'
import { BackupError } from '../container.ts'
import { keepBackup, type KeepRequest } from './kept-file.ts'
import type { KeepAnswer } from './create-keeper.ts'

await answerApart(async (message, seed): Promise<KeepAnswer> => {
  const request = message as KeepRequest
  try {
    return { ok: true, value: await keepBackup(seed.length === 0 ? request : { ...request, seed }) }
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined
    // The system's cause of a backup error says more.
    const code = (error instanceof BackupError ? [cause, error] : [error, cause])
      .map((each) => (each as NodeJS.ErrnoException | undefined)?.code)
      .find((each) => typeof each === 'string')
    return { ok: false, message: messageOf(error), cure: error instanceof BackupError ? error.cure : undefined, code }
  }
})
