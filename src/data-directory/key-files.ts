/**
 * Keys that no name depends on, random, each in a file of its own: that of the node among its peers, and that which
 * signs the DNS zone on this machine (ECDSA P-256, PKCS#8 in PEM), the anchor of the resolvers here.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'
import { fromHex, toHex } from '../protocol/encoding/bytes.ts'
import { type KeyPair, keyPairFromSeed } from '../protocol/crypto/ed25519.ts'

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
    throw unreadable(path, 'it is not a private key in PEM', cause)
  }
  if (key.asymmetricKeyDetails?.namedCurve !== CURVE) throw unreadable(path, 'it is not a key on the curve P-256')
  return key
}

function derOf(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }))
}

function unreadable(path: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('SVC-DNS-004', `${path} cannot be read as the DNS key: ${reason}.`, { cause })
}

/** An Ed25519 secret key begins with its seed of this length; the public key follows. */
export const NODE_SEED_BYTES = 32

/** 64 bytes. */
const SECRET_KEY_HEX = /^[0-9a-f]{128}$/u

/** The key of a file, or undefined where there is none. Throws SVC-KEY-004, which names the file. */
export function readNodeKey(path: string): KeyPair | undefined {
  const text = readPrivateFile(path)?.trim()
  if (text === undefined) return undefined
  if (!SECRET_KEY_HEX.test(text))
    throw unreadableNodeKey(path, 'a node key is 128 hexadecimal digits: an Ed25519 seed and its public key')
  const key = keyPairFromSeed(fromHex(text).subarray(0, NODE_SEED_BYTES))
  if (toHex(key.secretKey) !== text)
    throw unreadableNodeKey(path, 'the public key in it is not that of the seed in it, so a part of it has changed')
  return key
}

/** Draws a key and writes its file, durable when it returns. */
export function makeNodeKey(path: string): KeyPair {
  const key = keyPairFromSeed(new Uint8Array(randomBytes(NODE_SEED_BYTES)))
  writePrivateFile(path, `${toHex(key.secretKey)}\n`)
  return key
}

function unreadableNodeKey(path: string, reason: string): ServiceError {
  return new ServiceError('SVC-KEY-004', `${path} cannot be read as a node key: ${reason}.`)
}
