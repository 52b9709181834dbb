/** `commitments`: which commitments a node holds, and since when, for a neighbour that was away when they came. */
import type { CborValue } from '../../protocol/encoding/cbor.ts'
import { COMMITMENT_BYTES } from '../../protocol/claim/commitment.ts'
import { bytesField, fieldsOf, integerField } from '../../protocol/encoding/record-fields.ts'
import { decodeCommonAnswer, type CommonAnswer } from './answers.ts'
import { decodePage, type PageShape } from './page.ts'

/** Commitments of one page: 60 bytes each. */
export const COMMITMENTS_PAGE = 500

export interface CommitmentsRequest {
  readonly type: 'commitments'
  readonly after?: Uint8Array
}

export interface SeenCommitment {
  readonly commitment: Uint8Array
  /** s: the round in which the answering node first stored it. */
  readonly seen: number
}

/** Strictly ascending by commitment, all behind `after`. `more`: ask again with the last one. */
export interface HeldCommitments {
  readonly type: 'commitments'
  readonly commitments: readonly SeenCommitment[]
  readonly more: boolean
}

export type CommitmentsAnswer = HeldCommitments | CommonAnswer

export function decodeCommitmentsRequest(value: CborValue): CommitmentsRequest {
  const fields = fieldsOf(value, ['type'], ['after'])
  return Object.hasOwn(fields, 'after')
    ? { type: 'commitments', after: bytesField(fields, 'after', COMMITMENT_BYTES) }
    : { type: 'commitments' }
}

const PAGE: PageShape<SeenCommitment> = {
  member: 'commitments',
  most: COMMITMENTS_PAGE,
  decode: decodeSeen,
  keyOf: ({ commitment }) => commitment
}

/** Throws EncodingError also for commitments that are not behind `after`. */
export function decodeCommitmentsAnswer(
  value: CborValue,
  type: string,
  { after }: CommitmentsRequest
): CommitmentsAnswer {
  if (type !== 'commitments') return decodeCommonAnswer(value, type)
  const { items: commitments, more } = decodePage(value, PAGE, after)
  return { type, commitments, more }
}

function decodeSeen(value: CborValue): SeenCommitment {
  const fields = fieldsOf(value, ['commitment', 'seen'])
  return { commitment: bytesField(fields, 'commitment', COMMITMENT_BYTES), seen: integerField(fields, 'seen') }
}
