/** A claim by hand, from the formulas of docs/protocol/wire.md alone: 1, 5, 7 and 8. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { chronym, type Json } from './daemon.ts'

const H = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
const lp = (value: string | Uint8Array): Buffer => Buffer.concat([u32(Buffer.from(value).length), Buffer.from(value)])

/** RFC 8785, for values of which it changes the order of members alone. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.keys(value as object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join(',')}}`
}

/** Deterministic CBOR of a map of texts to bytes and small integers: shorter keys come first. */
function cborMap(members: Record<string, number | Uint8Array>): Buffer {
  const head = (major: number, length: number): Buffer =>
    length < 24
      ? Buffer.of((major << 5) | length)
      : length < 256
        ? Buffer.of((major << 5) | 24, length)
        : Buffer.of((major << 5) | 25, length >> 8, length & 255)
  const entries = Object.entries(members).map(([key, value]) => {
    const text = Buffer.concat([head(3, key.length), Buffer.from(key)])
    return [text, typeof value === 'number' ? head(0, value) : Buffer.concat([head(2, value.length), value])] as const
  })
  entries.sort(([left], [right]) => Buffer.compare(left, right))
  return Buffer.concat([head(5, entries.length), ...entries.flat()])
}

export class Claim {
  /** Without what its file says beside the rules, which no hash covers. */
  readonly #profile: Json
  readonly #name: string
  readonly #key: KeyObject
  readonly #pubkey: Buffer
  readonly #salt = randomBytes(32)
  #proof: { readonly round: number; readonly bytes: Buffer } | undefined

  constructor(profile: Json, name: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.#profile = Object.fromEntries(
      Object.entries(profile as object).filter(([member]) => !/^bootstrap/.test(member))
    )
    this.#name = name
    this.#key = privateKey
    this.#pubkey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  }

  #domain(what: string): Buffer {
    return Buffer.concat([lp(`chronym/${what}/v3`), H(Buffer.from(canonical(this.#profile)))])
  }

  get commitment(): Buffer {
    return H(this.#domain('commitment'), lp(this.#name), this.#pubkey, Buffer.alloc(32), this.#salt)
  }

  /** Squares, and proves it with `chronym vdf prove`. */
  compute(round: number, pulse: string): void {
    const signature = Buffer.from(pulse, 'hex')
    const seed = H(this.#domain('vdf-seed'), this.commitment, u64(round), H(signature), lp(''))
    const { proof } = JSON.parse(
      chronym('vdf', 'prove', '--json', '--seed', seed.toString('hex'), '--iterations', String(this.iterations))
    )
    const members = { v: 1, pulse: signature, proof: Buffer.from(proof as string, 'hex'), salt: this.#salt }
    this.#proof = { round, bytes: cborMap(members) }
  }

  get iterations(): number {
    return this.#profile.difficulty.base as number
  }

  /** The members of a Reveal with this payload. */
  reveal(payload: Uint8Array): Record<'vdf_proof' | 'signature' | 'payload', Buffer> & Record<string, unknown> {
    const { round, bytes } = this.#proof!
    const signed = Buffer.concat([
      ...[this.#domain('reveal'), lp(this.#name), u64(round), u64(this.iterations), H(bytes), lp(payload)]
    ])
    return {
      name: this.#name,
      pubkey: [...this.#pubkey],
      drand_pulse: round,
      iterations: this.iterations,
      vdf_proof: bytes,
      signature: sign(null, signed, this.#key),
      payload: Buffer.from(payload)
    }
  }
}
