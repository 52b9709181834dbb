import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ServiceError } from '../errors.ts'
import { messageOf } from '../protocol/errors.ts'

/** PEM. */
export interface Certificate {
  readonly certificate: Uint8Array
  readonly key: Uint8Array
}

/** Reads a chain and its key, and checks that they fit. Throws SVC-DNS-003, which names field and file. */
export function readCertificate(paths: { readonly certificate: string; readonly key: string }): Certificate {
  const read = (field: string, path: string): Uint8Array => {
    try {
      return new Uint8Array(readFileSync(path))
    } catch (cause) {
      throw new ServiceError('SVC-DNS-003', `${field}, ${path}, cannot be read: ${messageOf(cause)}.`, { cause })
    }
  }
  const certificate = read('dns.tls_cert', paths.certificate)
  const key = read('dns.tls_key', paths.key)
  try {
    createSecureContext({ cert: Buffer.from(certificate), key: Buffer.from(key) })
  } catch (cause) {
    throw new ServiceError(
      'SVC-DNS-003',
      `${paths.certificate} and ${paths.key} are no certificate with its key: ${messageOf(cause)}.`,
      { cause }
    )
  }
  return { certificate, key }
}
