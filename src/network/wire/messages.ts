/**
 * All requests and answers of the record protocol, and their bytes: deterministic CBOR maps (RFC 8949, section 4.2.1),
 * in CDDL (RFC 8610):
 *
 *   request  = commit / put / get / list / commitments / find / reach
 *   commit   = {type: "commit", commitment: bstr .size 32, nonce: bstr .size 8}
 *   put      = {type: "put", kind, record: bstr}
 *   get      = {type: "get", kind, key: K, ? brief: true}
 *   list     = {type: "list", key: K, bits: 0..64, ? after: K}
 *   commitments = {type: "commitments", ? after: bstr .size 32}
 *   find     = {type: "find", key: bstr .size 32}
 *   reach    = {type: "reach", address: bstr}                       ; a multiaddr of at most 128 bytes
 *
 *   answer   = received / stored / entry / document / digest / none / listed / held / found / reached
 *            / stale / refused / busy
 *   received = {type: "received", receipt: bstr}                      ; to commit
 *   stored   = {type: "stored"}                                       ; to put
 *   entry    = {type: "entry", state, claim: bstr .size 32, ? record: bstr / ? digest: bstr .size 32}
 *              ; to get of a reveal
 *   document = {type: "document", record: bstr}                       ; to get of a kid or manifest
 *   digest   = {type: "digest", digest: bstr .size 32}                ; to brief get of a kid or manifest
 *   none     = {type: "none"}                                         ; to get
 *   listed   = {type: "listed", more: bool,                          ; to list
 *               entries: [*250 {key: K, state, claim: bstr .size 32, ? record: bstr .size 32}]}
 *   held     = {type: "commitments", more: bool,                     ; to commitments
 *               commitments: [*500 {commitment: bstr .size 32, seen: uint}]}
 *   found    = {type: "found", peers: [*100 {peer: bstr .size 38, addresses: [*3 bstr]}]} ; to find
 *   reached  = {type: "reached"}                                      ; to reach
 *   stale    = {type: "stale", record: bstr}                          ; the newer one
 *   refused  = {type: "refused", code: tstr, detail: tstr}            ; code: [a-z][a-z-]{0,31}
 *                                                                      ; detail: at most 300 UTF-16 units
 *   busy     = {type: "busy"}
 *
 *   K        = bstr .size 32
 *   kind     = "reveal" / "kid" / "manifest"
 *   state    = "fresh" / "settling" / "settled" / "provisional"
 */
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
import { decodeListAnswer, decodeListRequest, type ListAnswer, type ListRequest } from './list.ts'

export interface Exchange {
  commit: { request: CommitRequest; answer: CommitAnswer }
  put: { request: PutRequest; answer: PutAnswer }
  get: { request: GetRequest; answer: GetAnswer }
  list: { request: ListRequest; answer: ListAnswer }
  commitments: { request: CommitmentsRequest; answer: CommitmentsAnswer }
  find: { request: FindRequest; answer: FindAnswer }
  reach: { request: ReachRequest; answer: ReachAnswer }
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
  reach: decodeReachRequest
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
  reach: decodeReachAnswer
}

/** The libp2p protocol name: nodes of other profiles do not speak to each other. */
export function registryProtocol(profile: NetworkProfile): string {
  return `/chronym/${toHex(profileHash(profile))}/registry/3`
}

export function encodeMessage(message: Request | Answer): Uint8Array {
  return encodeCbor(message as unknown as CborValue)
}

/** Throws EncodingError. */
export function decodeRequest(bytes: Uint8Array): Request {
  const value = decodeCanonical(bytes, BOUNDS)
  const type = typeOf(value)
  if (!Object.hasOwn(REQUESTS, type)) throw new EncodingError(`"${type.slice(0, 32)}": unknown request`)
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
