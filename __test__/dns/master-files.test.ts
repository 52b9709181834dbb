/** Master files of any zone, as BIND reads them: the octets that the daemon serves. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needPackages } from '../../scripts/packages.ts'
import { formatMasterFile } from '../../src/cli/zone-file/format.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { local as profile } from '../../src/protocol/profile/built-in.ts'
import { parseZone, type Zone } from '../../src/protocol/zone/zone.ts'
import { anyZone, withoutKid } from '../properties/any-zone.ts'
import { RUNS, SEED } from '../properties/cases.ts'
import { readRecords } from './read-records.ts'

/** A program starts for each. */
const ZONES = Math.max(1, Math.ceil(RUNS / 10))
const APEX = 'alice.chronym'

const directory = mkdtempSync(join(tmpdir(), 'chronym-master-'))
beforeAll(() => needPackages(['bind9-utils']))
afterAll(() => rmSync(directory, { recursive: true }))

/** `owner type data`, sorted. A set has one TTL, and servers differ in which of several they take. */
function linesOf(zone: Zone): string[] {
  const wire = zoneToWire(parseZone(zone, profile), APEX, profile)
  return readRecords(wire)
    .map(({ owner, type, data }) => `${owner} ${type} ${data}`)
    .sort()
}

/** The sets of a file in BIND's raw format, version 1 (lib/dns/include/dns/masterdump.h). */
function readRaw(raw: Buffer): string[] {
  const HEADER_BYTES = 24
  const lines: string[] = []
  for (let at = HEADER_BYTES; at < raw.length;) {
    const end = at + raw.readUInt32BE(at)
    const [type, count] = [raw.readUInt16BE(at + 6), raw.readUInt32BE(at + 14)]
    at += 18
    const ownerEnd = at + 2 + raw.readUInt16BE(at)
    const owner = ownerOf(raw.subarray(at + 2, ownerEnd))
    at = ownerEnd
    for (let index = 0; index < count; index++) {
      const dataEnd = at + 2 + raw.readUInt16BE(at)
      lines.push(`${owner} ${type} ${raw.toString('hex', at + 2, dataEnd)}`)
      at = dataEnd
    }
    expect(at).toBe(end)
  }
  return lines.sort()
}

function ownerOf(name: Buffer): string {
  const labels: string[] = []
  for (let at = 0; name[at]! > 0; at += 1 + name[at]!) labels.push(name.toString('latin1', at + 1, at + 1 + name[at]!))
  return labels.join('.')
}

/** Prints the same lines of the zone on standard input. */
const DNSPYTHON = `
import sys, dns.zone
zone = dns.zone.from_text(sys.stdin.buffer.read().decode(), origin='alice.chronym.', relativize=False, check_origin=False)
for name, _ttl, data in zone.iterate_rdatas():
    print(name.to_wire().hex(), int(data.rdtype), data.to_wire().hex())
`

function byBind(text: string): string[] {
  const [file, raw] = [join(directory, 'zone'), join(directory, 'raw')]
  // A zone of BIND has both.
  const [origin, ttl, ...records] = text.split('\n')
  const apex = ['@ 300 IN SOA . . 1 60 60 60 60', '@ 300 IN NS .']
  writeFileSync(file, [origin, ttl, ...apex, ...records].join('\n'))
  const checks = ['-i', 'none', '-k', 'ignore', '-M', 'ignore', '-S', 'ignore', '-T', 'ignore', '-r', 'ignore']
  const { status, stdout } = spawnSync('named-compilezone', [...checks, '-F', 'raw', '-o', raw, APEX, file])
  expect(status, `${String(stdout)}\n${text}`).toBe(0)
  return readRaw(readFileSync(raw)).filter((line) => !new RegExp(`^${APEX} (?:2|6) `).test(line))
}

function byDnspython(python: string, text: string): string[] {
  const { status, stdout, stderr } = spawnSync(python, ['-c', DNSPYTHON], { input: text })
  expect(status, `${String(stderr)}\n${text}`).toBe(0)
  return String(stdout)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [owner = '', ...rest] = line.split(' ')
      return [ownerOf(Buffer.from(owner, 'hex')), ...rest].join(' ')
    })
    .sort()
}

/** DNSPYTHON names a python3 that has dnspython. */
const python = process.env['DNSPYTHON']
const READERS = [
  { name: 'BIND', read: byBind },
  ...(python === undefined ? [] : [{ name: 'dnspython', read: (text: string) => byDnspython(python, text) }])
]

it.each(READERS)('have the octets for $name that the daemon serves', { timeout: 3_600_000 }, ({ read }) => {
  for (const zone of fc.sample(anyZone.map(withoutKid), { numRuns: ZONES, seed: SEED })) {
    const text = formatMasterFile(zone, APEX)
    expect(read(text), text).toEqual(linesOf(zone))
  }
})
