/** Records as our server takes them: in wire form, one after the other, names uncompressed. */
import type { Rr } from './message.ts'
import { encodeName, TYPES } from './name.ts'

/** What a signer adds to a zone. */
const SIGNERS = new Set(['RRSIG', 'NSEC', 'DNSKEY'])

/** Those at and below `name`, an absolute name without its closing dot. */
export function recordsOf(name: string, records: readonly Rr[]): Buffer {
  return Buffer.concat(
    records
      .filter(({ owner, type }) => (owner === `${name}.` || owner.endsWith(`.${name}.`)) && !SIGNERS.has(type))
      .map(({ owner, type, ttl, rdata }) => {
        const fixed = Buffer.alloc(10)
        fixed.writeUInt16BE(TYPES[type]!, 0)
        fixed.writeUInt16BE(1, 2)
        fixed.writeUInt32BE(ttl, 4)
        fixed.writeUInt16BE(rdata.length, 8)
        return Buffer.concat([encodeName(owner), fixed, rdata])
      })
  )
}
