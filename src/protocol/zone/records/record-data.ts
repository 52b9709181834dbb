import type { Did } from '../../identity/did.ts'
import { parseDid } from '../../identity/did.ts'
import type { NetworkProfile } from '../../profile/profile.ts'
import { parseA, parseAaaa } from './address.ts'
import { parseDs, parseSshfp, parseTlsa } from './digests.ts'
import { parseMx, parseSrv, parseTarget } from './names.ts'
import type { ServiceBinding } from './svcb.ts'
import { parseSvcb } from './svcb.ts'
import { parseCaa, parseTxt, parseUri } from './text.ts'

export const RECORD_TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'TXT',
  'MX',
  'SRV',
  'NS',
  'CAA',
  'TLSA',
  'SSHFP',
  'SVCB',
  'HTTPS',
  'URI',
  'PTR',
  'DS',
  'KID'
] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** A parsed value. Targets are as written: `absoluteTarget` makes them absolute. */
export type RecordData =
  | { type: 'A' | 'AAAA'; address: string }
  | { type: 'CNAME' | 'NS' | 'PTR'; target: string }
  | { type: 'TXT'; strings: Uint8Array[] }
  | { type: 'MX'; preference: number; exchange: string }
  | { type: 'SRV'; priority: number; weight: number; port: number; target: string }
  | { type: 'CAA'; flags: number; tag: string; value: Uint8Array }
  | { type: 'TLSA'; usage: number; selector: number; matchingType: number; data: Uint8Array }
  | { type: 'SSHFP'; algorithm: number; fingerprintType: number; fingerprint: Uint8Array }
  | ({ type: 'SVCB' | 'HTTPS' } & ServiceBinding)
  | { type: 'URI'; priority: number; weight: number; target: string }
  | { type: 'DS'; keyTag: number; algorithm: number; digestType: number; digest: Uint8Array }
  | { type: 'KID'; did: Did }

export function parseRecordData(type: RecordType, value: string, profile: NetworkProfile): RecordData {
  switch (type) {
    case 'A':
      return { type, ...parseA(value) }
    case 'AAAA':
      return { type, ...parseAaaa(value) }
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return { type, ...parseTarget(value) }
    case 'TXT':
      return { type, ...parseTxt(value) }
    case 'MX':
      return { type, ...parseMx(value) }
    case 'SRV':
      return { type, ...parseSrv(value) }
    case 'CAA':
      return { type, ...parseCaa(value) }
    case 'TLSA':
      return { type, ...parseTlsa(value) }
    case 'SSHFP':
      return { type, ...parseSshfp(value) }
    case 'SVCB':
    case 'HTTPS':
      return { type, ...parseSvcb(value) }
    case 'URI':
      return { type, ...parseUri(value) }
    case 'DS':
      return { type, ...parseDs(value) }
    case 'KID':
      return { type, did: parseDid(value, profile) }
  }
}
