/**
 * The key that signs the DNS zone on this machine: ECDSA P-256, PKCS#8 in PEM. Random, and no secret of a name: who has
 * it can lie to the resolvers that trust it as their anchor, which are those of this machine.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'

/** The only curve of algorithm 13 (RFC 6605), by OpenSSL's name. */
const CURVE = 'prime256v1'

/** The key of the file, as PKCS#8 DER; made and durable if there is none. Throws SVC-DNS-004, which names the file. */
export function readOrMakeDnsKey(path: string): { readonly key: Uint8Array; readonly isNew: boolean } {
  const text = readPrivateFile(path)
  if (text !== undefined) return { key: derOf(parse(path, text)), isNew: false }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: CURVE })
  writePrivateFile(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  return { key: derOf(privateKey), isNew: true }
}

function parse(path: string, text: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey({ key: text, format: 'pem' })
  } catch (cause) {
    throw unreadable(path, 'it is no private key in PEM', cause)
  }
  if (key.asymmetricKeyDetails?.namedCurve !== CURVE) throw unreadable(path, 'it is no key on the curve P-256')
  return key
}

function derOf(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }))
}

function unreadable(path: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('SVC-DNS-004', `${path} cannot be read as the DNS key: ${reason}.`, { cause })
}
