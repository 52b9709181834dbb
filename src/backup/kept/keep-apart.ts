import { messageOf } from '../../protocol/errors.ts'
import { runApart } from '../../util/run-apart.ts'
import type { KeepRequest, KeepResult } from './kept-file.ts'

/** What the process sends back; errors lose their class on the way. */
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

/** {@link keepBackup} in a process of its own, off the event loop. Rejects with KeepError. */
export async function keepApart({ seed = new Uint8Array(0), ...request }: KeepRequest): Promise<KeepResult> {
  const answer = await runApart<KeepAnswer>('./keep-process', import.meta.url, request, seed).catch(
    (cause: unknown) => {
      throw new KeepError(messageOf(cause), { cause })
    }
  )
  if (answer.ok) return answer.value
  throw new KeepError(answer.message, answer)
}
