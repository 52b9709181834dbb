import { ERROR_TABLE, type ErrorCode } from '../../error-table.ts'

export function cureOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].cure : undefined
}

export function titleOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].title : undefined
}
