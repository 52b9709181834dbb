/** What rules say of a request, as errors. */
import { ServiceError } from '../../errors.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'

export function requireValid<T>(verdict: Judged<T>): T {
  if (verdict.ok) return verdict.value
  throw new ProtocolError(verdict.rule, verdict.detail)
}

export async function invalidAsKid001<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new ServiceError('SVC-KID-001', `Rule "${error.rule}": ${error.detail}.`, {
      cause: error,
      extensions: { rule: error.rule }
    })
  }
}
