/** W3C DID Resolution v0.3: one version of an identity log with its metadata, or an error. */
import type { ErrorCode } from '../../error-table.ts'
import { ServiceError } from '../../errors.ts'
import type { ResolvedIdentityLog } from '../../registry/use-cases.ts'

/** Each with the HTTP status of its binding, and the older word. */
const ERRORS = {
  INVALID_DID: { status: 400, word: 'invalidDid', title: 'Invalid DID' },
  INVALID_DID_URL: { status: 400, word: 'invalidDidUrl', title: 'Invalid DID URL' },
  INVALID_OPTIONS: { status: 400, word: 'invalidOptions', title: 'Invalid options' },
  NOT_FOUND: { status: 404, word: 'notFound', title: 'Not found' },
  REPRESENTATION_NOT_SUPPORTED: {
    status: 406,
    word: 'representationNotSupported',
    title: 'Representation not supported'
  },
  INTERNAL_ERROR: { status: 500, word: 'internalError', title: 'Internal error' },
  METHOD_NOT_SUPPORTED: { status: 501, word: 'methodNotSupported', title: 'Method not supported' },
  FEATURE_NOT_SUPPORTED: { status: 501, word: 'featureNotSupported', title: 'Feature not supported' }
} as const

type ResolutionErrorName = keyof typeof ERRORS

interface ProblemDetails {
  readonly type: `https://www.w3.org/ns/did#${ResolutionErrorName}`
  readonly title: string
  readonly detail: string
  /** The daemon's own code, where it has one. */
  readonly code?: string
}

export class ResolutionError extends Error {
  override readonly name = 'ResolutionError'
  readonly error: ResolutionErrorName
  readonly code: string | undefined
  readonly retryAfter: number | undefined

  constructor(error: ResolutionErrorName, detail: string, cause?: ServiceError) {
    super(detail, { cause })
    this.error = error
    this.code = cause?.code
    this.retryAfter = cause?.retryAfter
  }

  get status() {
    return ERRORS[this.error].status
  }

  /** As DID Core 1.0 and `did-resolver` name it: `notFound`. */
  get word(): string {
    return ERRORS[this.error].word
  }

  get problem(): ProblemDetails {
    return {
      type: `https://www.w3.org/ns/did#${this.error}`,
      title: ERRORS[this.error].title,
      detail: this.message,
      ...(this.code !== undefined && { code: this.code })
    }
  }
}

const NAMES: Partial<Record<ErrorCode, ResolutionErrorName>> = {
  'SVC-REQ-001': 'INVALID_DID',
  'SVC-RES-002': 'NOT_FOUND',
  // No peer answers, or they show an older log than before: neither says that there is none.
  'SVC-RES-001': 'INTERNAL_ERROR',
  'SVC-RES-004': 'INTERNAL_ERROR'
}

/** What the registry throws for a DID, as an error of resolution; undefined for what does not answer about a DID. */
export function toResolutionError(thrown: unknown): ResolutionError | undefined {
  if (thrown instanceof ResolutionError) return thrown
  if (!(thrown instanceof ServiceError)) return undefined
  const name = NAMES[thrown.code]
  return name === undefined ? undefined : new ResolutionError(name, thrown.message, thrown)
}

export interface ResolutionRequest {
  readonly did: string
  readonly versionId?: string
  /** Milliseconds since 1970. */
  readonly versionTime?: number
}

interface DidDocumentMetadata {
  /** Instants to the second, in UTC, as the signers of the versions state them. */
  created?: string
  updated?: string
  nextUpdate?: string
  versionId: string
  nextVersionId?: string
  /** Of the DID now, whichever version is shown. */
  deactivated?: true
}

interface SelectedVersion {
  /** Null where the newest version is asked for and deactivates the DID. */
  readonly didDocument: Readonly<Record<string, unknown>> | null
  readonly didDocumentMetadata: DidDocumentMetadata
}

type Version = ResolvedIdentityLog['versions'][number]

/** Throws ResolutionError `NOT_FOUND` for a version that there is not. */
export function selectVersion(
  { versions }: Pick<ResolvedIdentityLog, 'versions'>,
  { versionId, versionTime }: Omit<ResolutionRequest, 'did'>
): SelectedVersion {
  const newest = versions.length - 1
  const index =
    versionId !== undefined
      ? Number(versionId) - 1
      : versionTime !== undefined
        ? indexAt(versions, versionTime)
        : newest
  const [version, next] = [versions[index], versions[index + 1]]
  if (version === undefined)
    throw new ResolutionError(
      'NOT_FOUND',
      versionId === undefined
        ? 'The DID had no version at that time.'
        : `There is no version ${versionId}; the newest is ${versions.length}.`
    )
  const isDeactivated = versions[newest]!['deactivated'] === true
  return {
    didDocument: isDeactivated && index === newest ? null : version,
    didDocumentMetadata: {
      ...instant('created', versions[0]!),
      ...(index > 0 && instant('updated', version)),
      versionId: String(index + 1),
      ...(next !== undefined && { ...instant('nextUpdate', next), nextVersionId: String(index + 2) }),
      ...(isDeactivated && { deactivated: true })
    }
  }
}

/** The version before the first one that is later. Signers state the times, so they need not ascend. */
function indexAt(versions: readonly Version[], time: number): number {
  const later = versions.findIndex((version) => !(createdMs(version) <= time))
  return (later === -1 ? versions.length : later) - 1
}

function createdMs(version: Version): number {
  const { created } = (version['proof'] ?? {}) as { created?: unknown }
  return typeof created === 'string' ? Date.parse(created) : Number.NaN
}

function instant<K extends string>(name: K, version: Version): Partial<Record<K, string>> {
  const ms = createdMs(version)
  // DID Core 1.0, 7.1.3: without a fraction.
  return Number.isNaN(ms)
    ? {}
    : ({ [name]: new Date(ms).toISOString().replace(/\.\d+Z$/u, 'Z') } as Partial<Record<K, string>>)
}
