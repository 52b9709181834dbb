/** How long an HTTP cache may keep a DNS message (RFC 8484, 5.1). */

const HEADER_BYTES = 12
const TYPE_SOA = 6
const TYPE_OPT = 41
/** NOERROR and NXDOMAIN: other outcomes say nothing of the name. */
const KEPT_RCODES: ReadonlySet<number> = new Set([0, 3])

/**
 * Seconds: the lowest TTL of the answer, or of the SOA of a negative answer. 0 for what may not be kept: failures,
 * truncated messages, and what is no DNS message.
 */
export function leastTtl(message: Uint8Array): number {
  if (message.length < HEADER_BYTES) return 0
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  const flags = view.getUint16(2)
  const isTruncated = (flags & 0x0200) !== 0
  if (isTruncated || !KEPT_RCODES.has(flags & 0x0f)) return 0
  try {
    const [questions, answers, authorities] = [view.getUint16(4), view.getUint16(6), view.getUint16(8)]
    let at = HEADER_BYTES
    for (let index = 0; index < questions; index++) at = afterName(view, at) + 4
    const ttls: number[] = []
    for (let index = 0; index < answers + authorities; index++) {
      const type = afterName(view, at)
      // The authority of a positive answer, such as a referral, is not what was asked for.
      const counts = index < answers ? view.getUint16(type) !== TYPE_OPT : view.getUint16(type) === TYPE_SOA
      if (counts) ttls.push(view.getUint32(type + 4))
      at = type + 10 + view.getUint16(type + 8)
    }
    return ttls.length === 0 ? 0 : Math.min(...ttls)
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}

/** Throws RangeError beyond the end. */
function afterName(view: DataView, start: number): number {
  let at = start
  for (;;) {
    const length = view.getUint8(at)
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += 1 + length
  }
}
