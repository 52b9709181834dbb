/**
 * Reads how both sides agree on a protocol (multistream-select): lines of text, each after its length. The library
 * answers as many as come, and `ls` with a list, before the event loop turns.
 */
import { Excess, LINE_BYTES, LINES } from './limits.ts'

/** The first line of either side. */
export const MULTISTREAM = '/multistream/1.0.0'

/** The answer to a protocol that the other side does not have. */
export const NOT_AVAILABLE = 'na'

// As the library decodes lines: what it takes for `ls` must be taken so here.
// eslint-disable-next-line no-restricted-syntax
const UTF8 = new TextDecoder()

export class LineReader {
  /** The line that ended the negotiation. */
  agreed: string | undefined
  readonly #isAgreed: (line: string) => boolean
  readonly #line: number[] = []
  #length: number | undefined
  #lines = 0

  constructor(isAgreed: (line: string) => boolean) {
    this.#isAgreed = isAgreed
  }

  /** Returns how many of the bytes belong to the negotiation. Throws Excess. */
  read(bytes: Uint8Array): number {
    let at = 0
    while (this.agreed === undefined && at < bytes.length) {
      this.#line.push(bytes[at++]!)
      if (this.#length === undefined) this.#readLength()
      else if (this.#line.length === this.#length) this.#endLine()
    }
    return at
  }

  /** A varint of two bytes at most. */
  #readLength(): void {
    const [low = 0, high] = this.#line
    if (low >= 0x80 && high === undefined) return
    const length = high === undefined ? low : (low & 0x7f) | (high << 7)
    if (length > LINE_BYTES || (high ?? 0) >= 0x80) throw new Excess('a line too long to agree on a protocol')
    if (length === 0) throw new Excess('an empty line to agree on a protocol')
    this.#length = length
    this.#line.length = 0
  }

  #endLine(): void {
    const line = UTF8.decode(Uint8Array.from(this.#line)).trimEnd()
    this.#length = undefined
    this.#line.length = 0
    if (line === 'ls') throw new Excess('a list of protocols is not given')
    if (this.#isAgreed(line)) this.agreed = line
    else if (++this.#lines >= LINES) throw new Excess('too many lines to agree on a protocol')
  }
}
