/** `time`: what a peer's clock says, for those who look whether the clocks of a network agree. Nothing is decided by it. */
import { type CborValue, integerField, knownFieldsOf } from '../../protocol/encoding/cbor.ts'
import { type CommonAnswer, decodeCommonAnswer } from './answers.ts'

export interface TimeRequest {
  readonly type: 'time'
}

/** Milliseconds since the epoch. */
export type TimeAnswer = { readonly type: 'time'; readonly now: number } | CommonAnswer

export function decodeTimeRequest(): TimeRequest {
  return { type: 'time' }
}

export function decodeTimeAnswer(value: CborValue, type: string): TimeAnswer {
  if (type !== 'time') return decodeCommonAnswer(value, type)
  return { type, now: integerField(knownFieldsOf(value, ['now']), 'now') }
}
