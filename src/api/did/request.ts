/** What a request to the resolution endpoint asks for: a DID, which version, and in which media type. */
import { ResolutionError, type ResolutionRequest } from './resolution.ts'

/** A DID resolution result, with errors as objects (v0.3) or, for older clients, as the words of DID Core 1.0. */
const RESULTS = {
  'application/did-resolution': 'objects',
  'application/ld+json;profile="https://w3id.org/did-resolution"': 'words',
  'application/json': 'words'
} as const

/** The DID document alone. */
const DOCUMENTS = ['application/did', 'application/did+ld+json', 'application/did+json'] as const

export type ResultForm =
  | { readonly kind: 'result'; readonly type: keyof typeof RESULTS; readonly errors: 'objects' | 'words' }
  | { readonly kind: 'document'; readonly type: (typeof DOCUMENTS)[number] }

/** For who accepts anything, and for errors of requests that accept nothing of ours. */
export const DEFAULT_FORM: ResultForm = { kind: 'result', type: 'application/did-resolution', errors: 'objects' }

export const MEDIA_TYPES: readonly string[] = [...Object.keys(RESULTS), ...DOCUMENTS]

/** Without their parameters, as OpenAPI keys them. */
export const RESULT_TYPES = Object.keys(RESULTS).map((type) => type.split(';')[0]!)
export const DOCUMENT_TYPES: readonly string[] = DOCUMENTS

const WILDCARDS: readonly string[] = ['*/*', 'application/*']

/** The form of the highest weight, the first of equals (RFC 9110, 12.5.1); undefined where none is ours. */
export function acceptedForm(accept: string | undefined): ResultForm | undefined {
  if (accept === undefined || accept.trim() === '') return DEFAULT_FORM
  return accept
    .split(',')
    .flatMap((range) => {
      const { type, weight } = parseRange(range)
      const form = formOf(type)
      return form !== undefined && weight > 0 ? [{ form, weight }] : []
    })
    .toSorted((left, right) => right.weight - left.weight)[0]?.form
}

/** The type in lower case, with its profile; other parameters do not count. */
function parseRange(range: string): { type: string; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const valueOf = (name: string): string | undefined =>
    parameters
      .find((parameter) => parameter.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', '')
  const profile = valueOf('profile')
  const weight = Number(valueOf('q') ?? 1)
  return { type: type.toLowerCase() + (profile === undefined ? '' : `;profile="${profile}"`), weight }
}

function formOf(type: string): ResultForm | undefined {
  if (WILDCARDS.includes(type)) return DEFAULT_FORM
  if (Object.hasOwn(RESULTS, type)) {
    const known = type as keyof typeof RESULTS
    return { kind: 'result', type: known, errors: RESULTS[known] }
  }
  const document = DOCUMENTS.find((each) => each === type)
  return document === undefined ? undefined : { kind: 'document', type: document }
}

/** DID Core 1.0, 3.1. */
const DID_SYNTAX = /^did:([a-z0-9]+):(?:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})*:)*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})+$/u
const MAX_DID_LENGTH = 2048
/** XML Schema dateTime in UTC, as DID Core 1.0, 3.2.1, wants it; a fraction of a second is accepted. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/u

const VERSION_PARAMETERS = ['versionId', 'versionTime']

/**
 * Reads the decoded path segment, a DID or a DID URL, and the query of the request. Both may have the parameters.
 * Throws ResolutionError.
 */
export function readResolutionRequest(identifier: string, query: URLSearchParams, method: string): ResolutionRequest {
  const [didAndPath = '', ...rest] = identifier.split(/[?#]/u)
  const [did = '', ...path] = didAndPath.split('/')
  const named = did.length > MAX_DID_LENGTH ? null : DID_SYNTAX.exec(did)
  if (named === null)
    throw new ResolutionError(
      'INVALID_DID',
      'This is not a DID: did:<method>:<identifier> is expected (DID Core, 3.1).'
    )
  if (named[1] !== method)
    throw new ResolutionError('METHOD_NOT_SUPPORTED', `This daemon resolves did:${method}, and not did:${named[1]}.`)
  if (path.length > 0 || identifier.includes('#'))
    throw new ResolutionError(
      'FEATURE_NOT_SUPPORTED',
      'This daemon resolves DIDs and selects versions. Select a fragment in the document; no path is dereferenced.'
    )
  const parameters = new URLSearchParams(rest[0])
  for (const [name, value] of query) parameters.append(name, value)
  return { did, ...versionOf(parameters) }
}

function versionOf(parameters: URLSearchParams): Omit<ResolutionRequest, 'did'> {
  const other = [...parameters.keys()].find((name) => !VERSION_PARAMETERS.includes(name))
  if (other !== undefined)
    throw new ResolutionError(
      'FEATURE_NOT_SUPPORTED',
      `The parameter "${other}" is not supported; this daemon knows ${VERSION_PARAMETERS.join(' and ')}.`
    )
  const [ids, times] = VERSION_PARAMETERS.map((name) => parameters.getAll(name))
  if (ids!.length + times!.length > 1)
    throw new ResolutionError('INVALID_OPTIONS', 'Give versionId or versionTime, and give it once.')
  const [versionId] = ids!
  const [time] = times!
  if (versionId !== undefined) {
    if (!/^[1-9]\d{0,8}$/u.test(versionId))
      throw new ResolutionError('INVALID_OPTIONS', 'versionId: the number of a version is expected, such as 2.')
    return { versionId }
  }
  if (time === undefined) return {}
  const versionTime = INSTANT.test(time) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(versionTime))
    throw new ResolutionError(
      'INVALID_OPTIONS',
      'versionTime: a UTC instant is expected, such as 2026-11-21T12:00:00Z.'
    )
  return { versionTime }
}
