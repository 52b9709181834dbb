/** Keys for a farm's server, in files: the seed of a user's nkey, or a .creds file. */
import { X509Certificate } from 'node:crypto'
import { readFileSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { credsAuthenticator, nkeyAuthenticator, nkeys } from '@nats-io/transport-node'
import { shellWord } from '../util/shell-commands.ts'
import { textOfUtf8 } from '../util/utf8.ts'

const GROUP = 0o070
const OTHERS = 0o007
const SEED = /^SU[A-Z2-7]+$/u
const PUBLIC_KEY = /^U[A-Z2-7]+$/u
const IN_CREDS = /BEGIN NATS USER JWT-+\s+\S+\s[^]*BEGIN USER NKEY SEED-+\s+(?<seed>\S+)\s/u

/** A file that can never open a farm as it is. The message names it, and what to do. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** For the client. Throws {@link UnfitFile}. */
export function authenticatorOf(path: string): ReturnType<typeof credsAuthenticator> {
  const text = readSecret(path).trim()
  const inCreds = IN_CREDS.exec(`${text}\n`)?.groups?.['seed']
  if (inCreds !== undefined) {
    requireSeed(path, inCreds)
    return credsAuthenticator(Buffer.from(`${text}\n`))
  }
  const lines = text.split(/\s+/u)
  const seeds = lines.filter((line) => SEED.test(line))
  const [seed] = seeds
  // `nk -gen user -pubout` prints both.
  const isOnly = seeds.length === 1 && lines.every((line) => line === seed || PUBLIC_KEY.test(line))
  if (seed === undefined || !isOnly)
    throw new UnfitFile(
      `${path} has neither the seed of a user's nkey (SU...) nor the text of a .creds file. ${MAKE_ONE}`
    )
  const publicKey = requireSeed(path, seed)
  const other = lines.find((line) => line !== seed && line !== publicKey)
  if (other !== undefined)
    throw new UnfitFile(`${path} has the public key ${other}, which is not that of its seed. ${MAKE_ONE}`)
  return nkeyAuthenticator(new TextEncoder().encode(seed))
}

const MAKE_ONE = 'Make a key with `chronym farm key FILE`, and give the server the public key that it prints'

/** The public key. */
function requireSeed(path: string, seed: string): string {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey()
  } catch {
    throw new UnfitFile(`${path} has a seed with a wrong or missing character. ${MAKE_ONE}`)
  }
}

function readSecret(path: string): string {
  const { mode, uid } = lookAt(path)
  // A service manager's files may be of root, and of a group that is ours alone.
  const isOpen = (mode & OTHERS) !== 0 || ((mode & GROUP) !== 0 && uid === process.getuid?.())
  if (process.platform !== 'win32' && isOpen)
    throw new UnfitFile(
      `${path} is open to others of this machine (mode ${(mode & 0o777).toString(8)}). Close it: chmod 600 ${shellWord(path)}`
    )
  return read(path)
}

function lookAt(path: string): Stats {
  try {
    const found = statSync(path)
    if (found.isFile()) return found
  } catch (error) {
    throw unreadable(path, error)
  }
  throw new UnfitFile(`${path} is no file`)
}

function read(path: string): string {
  try {
    return textOfUtf8(readFileSync(path))
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, cause: unknown): UnfitFile {
  const { code, message } = cause as NodeJS.ErrnoException
  return new UnfitFile(code === 'ENOENT' ? `there is no file ${path}` : `${path} can't be read: ${message}`, { cause })
}

/** Throws {@link UnfitFile} for files that are none of those that they should be. Empty paths are none. */
export function requireFitFiles({ credentials, ca }: { readonly credentials: string; readonly ca: string }): void {
  if (credentials !== '') authenticatorOf(credentials)
  if (ca === '') return
  lookAt(ca)
  try {
    new X509Certificate(read(ca))
  } catch (error) {
    if (error instanceof UnfitFile) throw error
    throw new UnfitFile(
      `${ca} has no certificate in PEM (-----BEGIN CERTIFICATE-----): name the authority that signed the server's`
    )
  }
}

/** Writes the seed of a new key to a file of its owner alone, and gives the public key. Throws EEXIST where there is one. */
export function makeKey(path: string): string {
  const key = nkeys.createUser()
  writeFileSync(path, `${Buffer.from(key.getSeed()).toString('latin1')}\n`, { mode: 0o600, flag: 'wx' })
  return key.getPublicKey()
}
