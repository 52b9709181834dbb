/** One version of an identity log with the metadata of W3C DID Resolution. */
import type { ResolvedIdentityLog } from '../../registry/types.ts'
import type { ResolutionRequest } from './did-url.ts'
import { ResolutionError } from './resolution-error.ts'

export interface DidDocumentMetadata {
  /** Instants to the second, in UTC, as the signers of the versions state them. */
  created?: string
  updated?: string
  nextUpdate?: string
  versionId: string
  nextVersionId?: string
  /** Of the DID now, whichever version is shown. */
  deactivated?: true
}

export interface SelectedVersion {
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
