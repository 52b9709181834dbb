/**
 * The authority of this machine for https: a certificate, and its key under the owner's seed. So the key is as safe as
 * the seed is: with a passphrase nothing opens it before the seed is unlocked. No backup has it.
 */
import { createCipheriv, createDecipheriv, createPrivateKey, hkdfSync, randomBytes, X509Certificate } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { AT_ONCE } from '../util/files.ts'
import type { DataPaths } from './paths.ts'
import { addon } from '../native/addon.ts'
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

/** What lies in the place of an authority is none of this seed and this network. */
export class NoAuthorityError extends Error {
  override readonly name = 'NoAuthorityError'
}

/** The certificate of an authority, checked: a store may trust it. */
export interface AuthorityCertificate {
  /** X.509, DER. */
  readonly certificate: Uint8Array
  readonly pem: string
  /** It vouches for names that end so, and for no others. */
  readonly suffix: string
}

/**
 * Undefined where there is none. Throws NoAuthorityError for a file that holds anything but one certificate as this
 * program makes it: a store would trust whatever lies in its place.
 */
export function readAuthorityCertificate({ httpsCertificate: path }: AuthorityPaths): AuthorityCertificate | undefined {
  const pem = readOwn(path)
  if (pem === undefined) return undefined
  const certificate = derOf(pem)
  if (certificate.length === 0 || pemOf(certificate) !== pem)
    throw new NoAuthorityError(`${path} is not one certificate in PEM`)
  try {
    return { certificate, pem, suffix: addon().authoritySuffix(certificate) }
  } catch (cause) {
    throw new NoAuthorityError(`${path} is no authority that this program made: ${(cause as Error).message}`, { cause })
  }
}

/** Undefined where there is none. Throws NoAuthorityError where files, seed and suffix do not fit. */
export function openAuthority(
  paths: AuthorityPaths,
  seed: Uint8Array,
  suffix: string
): (Authority & AuthorityCertificate) | undefined {
  const found = readAuthorityCertificate(paths)
  if (found === undefined) return undefined
  if (found.suffix !== suffix)
    throw new NoAuthorityError(`${paths.httpsCertificate} is for names that end in .${found.suffix}, not in .${suffix}`)
  const sealed = Buffer.from(readOwn(paths.httpsKey) ?? '', 'base64')
  let at = 0
  let key: Buffer
  const take = (count: number): Buffer => sealed.subarray(at, (at += count))
  const [salt, nonce, tag] = [take(SALT_BYTES), take(NONCE_BYTES), take(TAG_BYTES)]
  try {
    const decipher = createDecipheriv(CIPHER, sealingKey(seed, salt), nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    key = Buffer.concat([decipher.update(sealed.subarray(at)), decipher.final()])
  } catch (cause) {
    throw new NoAuthorityError(`${paths.httpsKey} is damaged, or belongs to another seed`, { cause })
  }
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  if (!new X509Certificate(found.certificate).checkPrivateKey(privateKey))
    throw new NoAuthorityError(`${paths.httpsCertificate} belongs to another key than ${paths.httpsKey}`)
  return { ...found, key }
}

/** A link could lead to the authority of another directory, which stores would then trust or lose. */
function readOwn(path: string): string | undefined {
  try {
    return readPrivateFile(path, AT_ONCE | constants.O_NOFOLLOW)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ELOOP') throw cause
    throw new NoAuthorityError(`${path} is a link`, { cause })
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
