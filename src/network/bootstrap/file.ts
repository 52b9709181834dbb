/** `p2p.bootstrap_file`: one multiaddr a line, comments after #. Read again when it changes. */
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { AT_ONCE } from '../../util/files.ts'
import { parseAddress } from '../node.ts'
import { ListenError } from '../types.ts'
import { dnsaddrName } from './names.ts'
import { readTextFile, textOfUtf8 } from '../../util/utf8.ts'

/** Peers to join through, not all peers: more are a mistake. */
const MAX_ADDRESSES = 100
/** Comments included. */
const MAX_CHARACTERS = 256 * 1024

export class BootstrapFile {
  readonly #path: string
  readonly #log: Pick<Logger, 'info' | 'warn'>
  /** What was read last, good or not. */
  #text: string | undefined
  #addresses: readonly string[]

  /** Throws ListenError for a file that cannot be read, or with a line that is no multiaddr. */
  constructor(path: string, log: Pick<Logger, 'info' | 'warn'>) {
    this.#path = path
    this.#log = log
    try {
      this.#text = readTextFile(path, AT_ONCE)
    } catch (error) {
      throw unreadable(path, error)
    }
    this.#addresses = parse(path, this.#text)
  }

  addresses(): readonly string[] {
    return this.#addresses
  }

  /** A file that became bad is told once, and changes nothing. */
  async look(): Promise<void> {
    const text = await readFile(this.#path, { flag: AT_ONCE })
      .then(textOfUtf8)
      .catch((error: unknown) => unreadable(this.#path, error))
    const known = text instanceof ListenError ? undefined : text
    if (known === this.#text) return
    this.#text = known
    try {
      if (text instanceof ListenError) throw text
      this.#addresses = parse(this.#path, text)
      this.#log.info({ file: this.#path, addresses: this.#addresses.length }, 'the bootstrap file was read again')
    } catch (error) {
      this.#log.warn(`${(error as Error).message}; what it said before remains`)
    }
  }
}

function parse(path: string, text: string): string[] {
  if (text.length > MAX_CHARACTERS)
    throw new ListenError(`${path} has ${text.length} characters, more than ${MAX_CHARACTERS}`)
  const addresses = text.split(/\r?\n/).flatMap((line, index) => {
    const address = line.replace(/(?:^|\s)#.*/, '').trim()
    if (address === '') return []
    try {
      if (dnsaddrName(address) === undefined) parseAddress(address)
    } catch (error) {
      throw new ListenError(`${path} line ${index + 1}: ${(error as Error).message}`, { cause: error })
    }
    return [address]
  })
  if (addresses.length <= MAX_ADDRESSES) return [...new Set(addresses)]
  throw new ListenError(`${path} has ${addresses.length} addresses, more than ${MAX_ADDRESSES}`)
}

function unreadable(path: string, error: unknown): ListenError {
  return new ListenError(`the bootstrap file cannot be read: ${(error as Error).message} (${path})`, { cause: error })
}
