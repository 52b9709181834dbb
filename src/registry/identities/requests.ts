/** The bodies of publish-kid and publish-manifest (docs/api.md, "Identities"), and what rules say of them. */
import { fromBase64 } from '../../protocol/encoding/bytes.ts'
import { SIGNATURE_BYTES } from '../../protocol/crypto/ed25519.ts'
import { EncodingError, ProtocolError } from '../../protocol/errors.ts'
import { IdentityError } from '../../protocol/identity/document.ts'
import { ServiceError } from '../../errors.ts'
import type { Judged } from '../../protocol/identity/judge-documents.ts'

export interface AuthorizedIdentity {
  readonly document: unknown
  readonly name: string | undefined
  readonly nameSignature: Uint8Array | undefined
}

/** {document, name?, name_signature?}, or the document itself. Throws IdentityError. */
export function readAuthorizedIdentity(input: unknown): AuthorizedIdentity {
  const fields = objectOf(input, 'authorized_kid')
  if (!('document' in fields)) return { document: fields, name: undefined, nameSignature: undefined }
  const { document, name, name_signature: signature } = fields
  if (name !== undefined && typeof name !== 'string') throw new IdentityError('binding', 'name: a text is expected')
  if (name === undefined && signature !== undefined)
    throw new IdentityError('binding', 'name_signature without a name says nothing')
  return { document, name, nameSignature: signature === undefined ? undefined : bytesOf(signature) }
}

/** {manifest}, or the manifest itself. Throws IdentityError. */
export function readAuthorizedManifest(input: unknown): unknown {
  const fields = objectOf(input, 'authorized_manifest')
  return 'manifest' in fields ? fields['manifest'] : fields
}

function objectOf(input: unknown, what: string): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new IdentityError('document', `${what}: an object is expected`)
  return input as Record<string, unknown>
}

/** Bytes as the interface takes them: an array of integers 0-255 or base64 (docs/api.md, "Bytes in JSON"). */
function bytesOf(value: unknown): Uint8Array {
  const bytes =
    value instanceof Uint8Array
      ? value
      : typeof value === 'string'
        ? base64Of(value)
        : Array.isArray(value)
          ? arrayOf(value)
          : undefined
  if (bytes?.length !== SIGNATURE_BYTES)
    throw new IdentityError(
      'binding',
      `name_signature: ${SIGNATURE_BYTES} bytes are expected, as base64 or an array of integers`
    )
  return bytes
}

function base64Of(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch (error) {
    if (error instanceof EncodingError) return undefined
    throw error
  }
}

function arrayOf(values: readonly unknown[]): Uint8Array | undefined {
  const isByte = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255
  return values.every(isByte) ? Uint8Array.from(values) : undefined
}

export function requireValid<T>(verdict: Judged<T>): T {
  if (verdict.ok) return verdict.value
  throw new ProtocolError(verdict.rule, verdict.detail)
}

export async function invalidAsKid001<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new ServiceError('SVC-KID-001', `Rule "${error.rule}": ${error.detail}.`, {
      cause: error,
      extensions: { rule: error.rule }
    })
  }
}
