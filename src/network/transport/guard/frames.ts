/** Reads the frames of yamux: a header of 12 bytes, then as many as that of a data frame says. */

export const HEADER_BYTES = 12

export const FRAME = { data: 0, window: 1, ping: 2 } as const

/** The flag that opens a stream, and asks for the answer to a ping. */
export const SYN = 1

export interface Header {
  readonly type: number
  readonly flags: number
  readonly stream: number
  /** Of data: its bytes. Of a window update: those that may be sent beyond. */
  readonly length: number
}

/** Bytes of one frame, never of two. */
export interface Part {
  readonly header: Header
  /** With the header, where the part is the first. */
  readonly bytes: Uint8Array
  readonly data: Uint8Array
  readonly isFirst: boolean
  readonly isLast: boolean
}

export function readHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  return { type: view.getUint8(1), flags: view.getUint16(2), stream: view.getUint32(4), length: view.getUint32(8) }
}

export class FrameReader {
  #left = 0
  /** A header that is not whole yet. */
  #begun: Uint8Array = new Uint8Array()
  #open: Header | undefined;

  /** Take each part before the next. Keeps 11 bytes at most. */
  *read(chunk: Uint8Array): Generator<Part> {
    let rest = chunk
    while (rest.length > 0) {
      const isFirst = this.#open === undefined
      if (this.#open === undefined) {
        if (this.#begun.length > 0) {
          rest = new Uint8Array(Buffer.concat([this.#begun, rest]))
          this.#begun = new Uint8Array()
        }
        if (rest.length < HEADER_BYTES) {
          this.#begun = rest.slice()
          return
        }
        this.#open = readHeader(rest)
        this.#left = this.#open.type === FRAME.data ? this.#open.length : 0
      }
      const header = this.#open
      const start = isFirst ? HEADER_BYTES : 0
      const data = rest.subarray(start, start + this.#left)
      const bytes = rest.subarray(0, start + data.length)
      this.#left -= data.length
      const isLast = this.#left === 0
      if (isLast) this.#open = undefined
      rest = rest.subarray(bytes.length)
      yield { header, bytes, data, isFirst, isLast }
    }
  }
}
