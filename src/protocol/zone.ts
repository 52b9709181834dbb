/** The zone of a name: what its payload says. */

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'SRV', 'NS', 'CAA', 'TLSA', 'SSHFP', 'SVCB', 'HTTPS', 'URI', 'PTR', 'DS', 'KID'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

export interface ZoneRecord {
  type: RecordType
  /** DNS presentation format; a DID for KID. */
  value: string
  /** Seconds, 30..86400. Default: 300. */
  ttl?: number
}

export interface Zone {
  serial?: number
  /** By relative label: `@`, `www`, `_sip._tcp`, `*`. */
  records: Record<string, ZoneRecord[]>
}
