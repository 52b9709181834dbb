/**
 * The authority of this machine for https: a certificate, and its key under the owner's seed. So the key is as safe as
 * the seed is: with a passphrase nothing opens it before the seed is unlocked. No backup has it.
 */
import { createCipheriv, createDecipheriv, createPrivateKey, hkdfSync, randomBytes, X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { DataPaths } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-files.ts'

type AuthorityPaths = Pick<DataPaths, 'httpsKey' | 'httpsCertificate'>

export interface Authority {
  /** PKCS#8, DER. */
  readonly key: Uint8Array
  /** X.509, DER. */
  readonly certificate: Uint8Array
}

const CIPHER = 'aes-256-gcm'
/** Separates this key from every other one that is derived from a seed. */
const INFO = 'chronym/https-authority/v1'
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Durable when it returns. The certificate comes last: with it there is an authority. */
export function writeAuthority(paths: AuthorityPaths, seed: Uint8Array, { key, certificate }: Authority): void {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv(CIPHER, sealingKey(seed, salt), nonce)
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  writePrivateFile(paths.httpsKey, `${Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]).toString('base64')}\n`)
  writePrivateFile(paths.httpsCertificate, pemOf(certificate))
}

/** PEM; undefined where there is no authority. */
export function readAuthorityCertificate({ httpsCertificate }: AuthorityPaths): string | undefined {
  return readPrivateFile(httpsCertificate)
}

/**
 * Undefined where there is none. Throws an error for people where files and seed do not fit, and for a certificate that
 * this key did not sign: a store would trust whatever lies in its place.
 */
export function openAuthority(paths: AuthorityPaths, seed: Uint8Array): Authority | undefined {
  const pem = readPrivateFile(paths.httpsCertificate)
  if (pem === undefined) return undefined
  const sealed = Buffer.from(readPrivateFile(paths.httpsKey) ?? '', 'base64')
  let at = 0
  let key: Buffer
  const take = (count: number): Buffer => sealed.subarray(at, (at += count))
  const [salt, nonce, tag] = [take(SALT_BYTES), take(NONCE_BYTES), take(TAG_BYTES)]
  try {
    const decipher = createDecipheriv(CIPHER, sealingKey(seed, salt), nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    key = Buffer.concat([decipher.update(sealed.subarray(at)), decipher.final()])
  } catch (cause) {
    throw new Error(`${paths.httpsKey} is damaged, or belongs to another seed`, { cause })
  }
  const certificate = derOf(pem)
  if (!isOwnRoot(key, certificate) || pemOf(certificate) !== pem)
    throw new Error(`${paths.httpsCertificate} is damaged, or belongs to another key`)
  return { key, certificate }
}

function isOwnRoot(key: Buffer, certificate: Uint8Array): boolean {
  try {
    const root = new X509Certificate(certificate)
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    return root.checkPrivateKey(privateKey) && root.verify(root.publicKey)
  } catch {
    return false
  }
}

export function removeAuthority({ httpsKey, httpsCertificate }: AuthorityPaths): void {
  rmSync(httpsCertificate, { force: true })
  rmSync(httpsKey, { force: true })
}

export function pemOf(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/gu)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function derOf(pem: string): Uint8Array {
  return Buffer.from(pem.replaceAll(/-----[A-Z ]+-----/gu, ''), 'base64')
}

function sealingKey(seed: Uint8Array, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', seed, salt, INFO, KEY_BYTES))
}
