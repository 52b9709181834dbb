/**
 * How a daemon proves which one it is, before a client sends it a token.
 *
 * Both sides know the main token. The client sends a nonce and the address that it dialled; the daemon answers a MAC of
 * both. A program that relays the question gains nothing: the client dialled the program's address, and the daemon
 * answers only for its own.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Separates this use of the token from every other. */
const DOMAIN = 'chronym daemon proof v1'
const KEY_BYTES = 32
const NONCE_BYTES = 32

/** A nonce as {@link newNonce} makes it: 32 bytes, hex. */
export const NONCE = /^[0-9a-f]{64}$/

/**
 * The address of a daemon's UNIX socket, whose path differs where a directory is mounted twice. Who relays a challenge
 * there must be able to connect to it, and that is the owner alone.
 */
export const UNIX_SOCKET = 'unix'

export interface ProofStatement {
  /** 32 random bytes of the client, hex. */
  readonly nonce: string
  readonly instance: string
  /** IP address and port that the client is connected to, see {@link socketAddress}; or {@link UNIX_SOCKET}. */
  readonly address: string
}

export function proofKey(token: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', DOMAIN, KEY_BYTES))
}

export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex')
}

export function proofOf(key: Uint8Array, { nonce, instance, address }: ProofStatement): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([nonce, instance, address]))
    .digest('hex')
}

/** Compares in constant time. */
export function proves(key: Uint8Array, statement: ProofStatement, proof: string): boolean {
  const expected = Buffer.from(proofOf(key, statement))
  const given = Buffer.from(proof)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** One end of a connection as text. IPv4 has one spelling, also on a socket that serves both families. */
export function socketAddress(ip: string, port: number): string {
  const plain = ip
    .replace(/%.*/, '')
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, '')
  return plain.includes(':') ? `[${plain}]:${port}` : `${plain}:${port}`
}
