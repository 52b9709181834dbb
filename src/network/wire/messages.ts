/** All requests and answers of the record protocol (docs/protocol/wire.md, 15), and their bytes. */
import { toHex } from '../../protocol/encoding/bytes.ts'
import { decodeCanonical, encodeCbor, type CborValue } from '../../protocol/encoding/cbor.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import {
  type CommitAnswer,
  type CommitRequest,
  type CommitmentsAnswer,
  type CommitmentsRequest,
  decodeCommitAnswer,
  decodeCommitRequest,
  decodeCommitmentsAnswer,
  decodeCommitmentsRequest
} from './commitments.ts'
import {
  type FindAnswer,
  type FindRequest,
  type ReachAnswer,
  type ReachRequest,
  decodeFindAnswer,
  decodeFindRequest,
  decodeReachAnswer,
  decodeReachRequest
} from './find.ts'
import { UnknownRequest } from './answers.ts'
import { MAX_MESSAGE_BYTES } from './frame.ts'
import {
  type GetAnswer,
  type GetRequest,
  type PutAnswer,
  type PutRequest,
  decodeGetAnswer,
  decodeGetRequest,
  decodePutAnswer,
  decodePutRequest
} from './records.ts'
import { decodeTimeAnswer, decodeTimeRequest, type TimeAnswer, type TimeRequest } from './time.ts'
import { decodeListAnswer, decodeListRequest, type ListAnswer, type ListRequest } from './list.ts'

export interface Exchange {
  commit: { request: CommitRequest; answer: CommitAnswer }
  put: { request: PutRequest; answer: PutAnswer }
  get: { request: GetRequest; answer: GetAnswer }
  list: { request: ListRequest; answer: ListAnswer }
  commitments: { request: CommitmentsRequest; answer: CommitmentsAnswer }
  find: { request: FindRequest; answer: FindAnswer }
  reach: { request: ReachRequest; answer: ReachAnswer }
  time: { request: TimeRequest; answer: TimeAnswer }
}

export type RequestType = keyof Exchange
export type Request = Exchange[RequestType]['request']
export type Answer = Exchange[RequestType]['answer']
export type AnswerTo<R extends Request> = Exchange[R['type']]['answer']

/** The deepest is `found`: map, array, map, array. */
const BOUNDS = { maxBytes: MAX_MESSAGE_BYTES, maxDepth: 4 }

const REQUESTS: Readonly<Record<string, (value: CborValue) => Request>> = {
  commit: decodeCommitRequest,
  put: decodePutRequest,
  get: decodeGetRequest,
  list: decodeListRequest,
  commitments: decodeCommitmentsRequest,
  find: decodeFindRequest,
  reach: decodeReachRequest,
  time: decodeTimeRequest
}

const ANSWERS: {
  readonly [T in RequestType]: (
    value: CborValue,
    type: string,
    request: Exchange[T]['request']
  ) => Exchange[T]['answer']
} = {
  commit: decodeCommitAnswer,
  put: decodePutAnswer,
  get: decodeGetAnswer,
  list: decodeListAnswer,
  commitments: decodeCommitmentsAnswer,
  find: decodeFindAnswer,
  reach: decodeReachAnswer,
  time: decodeTimeAnswer
}

const VERSION = 3

/** The libp2p protocol name: nodes of other profiles do not speak to each other. */
export function registryProtocol(profile: NetworkProfile): string {
  return `${protocolOf(profile)}${VERSION}`
}

function protocolOf(profile: NetworkProfile): string {
  return `/chronym/${toHex(profileHash(profile))}/registry/`
}

/** How a peer of this network that lacks our version differs; undefined for others. */
export function otherVersion(
  protocols: readonly string[],
  profile: NetworkProfile
): 'later version' | 'earlier version' | undefined {
  const ours = protocolOf(profile)
  const versions = protocols.filter((each) => each.startsWith(ours)).map((each) => Number(each.slice(ours.length)))
  if (versions.some((version) => version > VERSION)) return 'later version'
  return versions.some((version) => version < VERSION) ? 'earlier version' : undefined
}

export function encodeMessage(message: Request | Answer): Uint8Array {
  return encodeCbor(message as unknown as CborValue)
}

/** Throws EncodingError: UnknownRequest for one that a later build may know. */
export function decodeRequest(bytes: Uint8Array): Request {
  const value = decodeCanonical(bytes, BOUNDS)
  const type = typeOf(value)
  if (!Object.hasOwn(REQUESTS, type)) throw new UnknownRequest(type)
  return REQUESTS[type]!(value)
}

/** Decodes the answer to a request; refuses one of another type. Throws EncodingError. */
export function decodeAnswer<R extends Request>(request: R, bytes: Uint8Array): AnswerTo<R> {
  const value = decodeCanonical(bytes, BOUNDS)
  const decode = ANSWERS[request.type] as (value: CborValue, type: string, request: R) => AnswerTo<R>
  return decode(value, typeOf(value), request)
}

function typeOf(value: CborValue): string {
  const type =
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as { readonly type?: CborValue }).type
      : undefined
  if (typeof type !== 'string') throw new EncodingError('a message is a map with a type')
  return type
}
