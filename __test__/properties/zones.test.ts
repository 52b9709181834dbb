/** Any zone through each pair of a writer and a reader of ours is the same zone. */
import fc from 'fast-check'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { decodeReply, encodeQuery, type Rr } from '../../scripts/dns/message.ts'
import { typeName } from '../../scripts/dns/name.ts'
import { zoneText } from '../../src/cli/commands/names/zone.ts'
import { changesBetween, formatChanges, inSpellingOf, isUnchanged } from '../../src/cli/zone/changes.ts'
import { printableMessage } from '../../src/cli/terminal/format.ts'
import { formatMasterFile } from '../../src/cli/zone-file/format.ts'
import { parseMasterFile } from '../../src/cli/zone-file/parse.ts'
import { parseZoneText, type ZoneInput } from '../../src/cli/zone-file/zone-input.ts'
import { local as profile } from '../../src/protocol/profile/built-in.ts'
import { parseZone, parseZonePayload, serializeZone, type Zone } from '../../src/protocol/zone/zone.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { startDnsServer } from '../../src/native/addon.ts'
import { LocalZones } from '../../src/registry/stored/local-zones.ts'
import { openStore } from '../../src/store/open.ts'
import { anyZone, APEX, withoutKid } from './any-zone.ts'
import { readRecords } from '../dns/read-records.ts'
import { CASES, RUNS } from './cases.ts'

const directory = mkdtempSync(join(tmpdir(), 'chronym-zones-'))
const store = openStore(join(directory, 'database'))
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const server = startDnsServer(
  {
    tld: profile.tld,
    key: privateKey.export({ format: 'der', type: 'pkcs8' }),
    serial: 1,
    listen: [],
    tls: null,
    forward: [],
    isPublic: false,
    cacheBytes: 2 ** 20
  },
  () => undefined
)
afterAll(async () => {
  await server.close()
  store.close()
  rmSync(directory, { recursive: true })
})

const wireOf = (zone: ZoneInput | Zone): unknown[] =>
  readRecords(zoneToWire(parseZone(zone, profile), APEX, profile))
    .map((record) => JSON.stringify(record))
    .sort()

/** A wire does not say which TTL was left out, nor in how many records a set was written. */
const same = (read: ZoneInput, zone: Zone): void => expect(wireOf(read)).toEqual(wireOf(zone))

/** DNS may answer a name in another case: what is compressed takes that of the question. */
const inOneCase = (type: string, data: string): string =>
  /^(?:CNAME|NS|PTR|MX)$/.test(type) ? Buffer.from(data, 'hex').toString('latin1').toLowerCase() : data

describe('any zone', () => {
  it('is the same after the lines that `zone get` prints and `zone set` reads', () => {
    fc.assert(
      fc.property(anyZone, (zone) => {
        const text = zoneText(zone)
        expect(printableMessage(text)).toBe(text)
        same(parseZoneText(text, 'lines'), zone)
      }),
      CASES
    )
  })

  it('is the same after a master file, which a terminal shows as it is', () => {
    fc.assert(
      fc.property(anyZone.map(withoutKid), (zone) => {
        const text = formatMasterFile(zone, APEX)
        expect(printableMessage(text)).toBe(text)
        const read = parseMasterFile(text, APEX)
        expect([read.problems, read.remarks]).toEqual([[], []])
        same(read.zone, zone)
        expect(isUnchanged(changesBetween(zone, read.zone))).toBe(true)
        const records = Object.entries(zone.records).filter(([, list]) => list.length > 0)
        expect({ ...inSpellingOf(zone, read.zone).records }).toEqual(Object.fromEntries(records))
      }),
      CASES
    )
  })

  it('is the same after JSON and the payload that is signed', () => {
    fc.assert(
      fc.property(anyZone, (zone) => {
        const parsed = parseZone(JSON.parse(JSON.stringify(zone)), profile)
        same(parsed, zone)
        same(parseZonePayload(serializeZone(parsed, 7, profile), profile), zone)
      }),
      CASES
    )
  })

  it('is the same after the store of drafts, which writes each to the disk', () => {
    const drafts = new LocalZones(store)
    fc.assert(
      fc.property(anyZone, (zone) => {
        drafts.save(APEX, { serial: 7, records: parseZone(zone, profile).records })
        same(drafts.get(APEX)!, zone)
      }),
      { ...CASES, numRuns: Math.ceil(RUNS / 10) }
    )
  })

  it('is what the DNS server answers, record by record', async () => {
    const ask = async (name: string, type: string): Promise<readonly Rr[]> => {
      const { answer, authority } = decodeReply(
        Buffer.from(await server.query(encodeQuery(7, { name, type }), '127.0.0.1'))
      )
      // The NS of a delegation are a referral, not an answer.
      return type === 'NS' ? authority : answer
    }
    await fc.assert(
      fc.asyncProperty(anyZone, async (zone) => {
        const wire = zoneToWire(parseZone(zone, profile), APEX, profile)
        server.setZone(APEX, wire, { secure: true, reason: '' }, 60_000, 60_000)
        const sets = Map.groupBy(readRecords(wire), ({ owner, type }) => `${owner} ${typeName(type)}`)
        for (const [set, records] of sets) {
          const [owner, type] = set.split(' ') as [string, string]
          const answered = await ask(owner, type)
          expect(answered.map(({ rdata }) => inOneCase(type, rdata.toString('hex'))).sort()).toEqual(
            records.map(({ data }) => inOneCase(type, data)).sort()
          )
        }
      }),
      CASES
    )
  })

  it('shows in a difference what is not the same', () => {
    fc.assert(
      fc.property(anyZone, anyZone, (before, after) => {
        const { added, removed } = changesBetween(before, after)
        const lines = formatChanges({ added, removed, retimed: [] })
          .split('\n')
          .map((line) => line.slice(1).replace(/\s+/g, ' '))
        expect(new Set(lines).size).toBe(lines.length)
      }),
      CASES
    )
  })
})
