import { ServiceError } from '../../errors.ts'

/** RFC 9110, 8.8.3, of a zone. */
export function etagOf(serial: number): string {
  return `"${serial}"`
}

/** RFC 9110, 13.1.2: weak comparison. */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || tags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/**
 * The serial that If-Match asks for, undefined without one (RFC 9110, 13.1.1: strong comparison). Where several are
 * named, the standing one if it is among them. Throws SVC-ZON-004 when none can match.
 */
export function ifMatchSerial(ifMatch: string | undefined, standing: () => number | undefined): number | undefined {
  if (ifMatch === undefined) return undefined
  const current = standing()
  if (ifMatch.trim() === '*') {
    if (current === undefined)
      throw new ServiceError('SVC-ZON-004', 'There is no zone of this name here that If-Match could name.')
    return current
  }
  const serials = tags(ifMatch).flatMap((tag) => (/^"\d{1,15}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []))
  const serial = current !== undefined && serials.includes(current) ? current : serials[0]
  if (serial === undefined) throw new ServiceError('SVC-ZON-004', 'If-Match names no ETag of a zone.')
  return serial
}

function tags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim())
}
