import { ERROR_TABLE, type ErrorCode } from '../../errors.ts'

/** What to do about a code of the error table. */
export function cureOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].cure : undefined
}

/** What a code of the error table means, in a few words. */
export function titleOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].title : undefined
}
