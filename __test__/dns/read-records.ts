/** Reads uncompressed DNS records. */
import { toHex } from '../../src/protocol/encoding/bytes.ts'

interface ReadRecord {
  /** Without the closing dot. */
  readonly owner: string
  readonly type: number
  readonly class: number
  readonly ttl: number
  /** Hexadecimal. */
  readonly data: string
}

/** Throws for what does not end where its last record does. */
export function readRecords(bytes: Uint8Array): ReadRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const records: ReadRecord[] = []
  let at = 0
  const name = (): string => {
    const labels: string[] = []
    for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
      if (length > 63) throw new Error('a compressed name')
      labels.push(Buffer.from(bytes.subarray(at + 1, at + 1 + length)).toString('latin1'))
      at += 1 + length
    }
    at += 1
    return labels.join('.')
  }
  while (at < bytes.length) {
    const owner = name()
    const [type, kind, ttl, length] = [
      view.getUint16(at),
      view.getUint16(at + 2),
      view.getUint32(at + 4),
      view.getUint16(at + 8)
    ]
    at += 10
    if (at + length > bytes.length) throw new Error('a record is cut off')
    records.push({ owner, type, class: kind, ttl, data: toHex(bytes.subarray(at, at + length)) })
    at += length
  }
  return records
}
