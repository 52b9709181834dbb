/** The key of the node among its peers: random, in a file of its own. No name depends on it. */
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'
import { fromHex, toHex } from '../protocol/encoding/bytes.ts'
import { keyPairFromSeed, type KeyPair } from '../protocol/crypto/ed25519.ts'

/** An Ed25519 secret key begins with its seed of this length; the public key follows. */
export const NODE_SEED_BYTES = 32

/** 64 bytes. */
const SECRET_KEY_HEX = /^[0-9a-f]{128}$/u

/** The key of a file, or undefined where there is none. Throws SVC-KEY-004, which names the file. */
export function readNodeKey(path: string): KeyPair | undefined {
  const text = readPrivateFile(path)?.trim()
  if (text === undefined) return undefined
  if (!SECRET_KEY_HEX.test(text))
    throw unreadable(path, 'a node key is 128 hexadecimal digits: an Ed25519 seed and its public key')
  const key = keyPairFromSeed(fromHex(text).subarray(0, NODE_SEED_BYTES))
  if (toHex(key.secretKey) !== text)
    throw unreadable(path, 'the public key in it is not that of the seed in it, so a part of it has changed')
  return key
}

/** Draws a key and writes its file, durable when it returns. */
export function makeNodeKey(path: string): KeyPair {
  const key = keyPairFromSeed(new Uint8Array(randomBytes(NODE_SEED_BYTES)))
  writePrivateFile(path, `${toHex(key.secretKey)}\n`)
  return key
}

function unreadable(path: string, reason: string): ServiceError {
  return new ServiceError('SVC-KEY-004', `${path} cannot be read as a node key: ${reason}.`)
}
