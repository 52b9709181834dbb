/** `commit`: keep C, and say since when. `commitments`: which ones a node holds, for a neighbour that was away when they came. */
import { type CborValue, bytesField, knownFieldsOf, integerField } from '../../protocol/encoding/cbor.ts'
import { COMMITMENT_BYTES } from '../../protocol/claim/commitment.ts'
import { STAMP_NONCE_BYTES } from '../../protocol/crypto/domain.ts'
import { type CommonAnswer, type PageShape, decodeCommonAnswer, decodePage } from './answers.ts'

export interface CommitRequest {
  readonly type: 'commit'
  readonly commitment: Uint8Array
  readonly nonce: Uint8Array
}

/** `receipt` is an encoded Receipt (src/protocol/claim/commitment.ts). */
export type CommitAnswer = { readonly type: 'received'; readonly receipt: Uint8Array } | CommonAnswer

export function decodeCommitRequest(value: CborValue): CommitRequest {
  const fields = knownFieldsOf(value, ['type', 'commitment', 'nonce'])
  return {
    type: 'commit',
    commitment: bytesField(fields, 'commitment', COMMITMENT_BYTES),
    nonce: bytesField(fields, 'nonce', STAMP_NONCE_BYTES)
  }
}

export function decodeCommitAnswer(value: CborValue, type: string): CommitAnswer {
  if (type === 'received') return { type, receipt: bytesField(knownFieldsOf(value, ['type', 'receipt']), 'receipt') }
  return decodeCommonAnswer(value, type)
}

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
  const fields = knownFieldsOf(value, ['type'])
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
  const fields = knownFieldsOf(value, ['commitment', 'seen'])
  return { commitment: bytesField(fields, 'commitment', COMMITMENT_BYTES), seen: integerField(fields, 'seen') }
}
