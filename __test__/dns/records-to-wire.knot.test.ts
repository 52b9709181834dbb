/** What the daemon makes of a zone is what Knot makes of a master file with the same lines. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { transfer } from '../../scripts/dns/ask.ts'
import { startKnot } from '../../scripts/dns/knot.ts'
import { readName, typeName } from '../../scripts/dns/name.ts'
import { needPackages } from '../../scripts/packages.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { parseZone } from '../../src/protocol/zone/zone.ts'

const NAME = 'alice.chronym'
const DIGEST = '92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c'

/** Owner below the name, type, data: as the API takes it and as a master file has it. */
const RECORDS: readonly (readonly [owner: string, type: string, data: string])[] = [
  ['@', 'A', '192.0.2.10'],
  ['@', 'AAAA', '2001:db8::10'],
  ['v4', 'AAAA', '::ffff:192.0.2.1'],
  ['@', 'MX', '10 mail.alice.chronym.'],
  ['@', 'MX', '0 .'],
  ['@', 'TXT', '"v=spf1 mx -all" "second string"'],
  ['quoted', 'TXT', '"a \\"quote\\", a \\\\ and \\233"'],
  ['long', 'TXT', `"${'x'.repeat(255)}"`],
  ['@', 'CAA', '0 issue "ca.example.net; account=1"'],
  ['@', 'CAA', '128 iodef "mailto:security@example.net"'],
  ['@', 'SSHFP', `4 2 ${DIGEST}`],
  ['@', 'HTTPS', '1 . alpn=h2,h3 ipv4hint=192.0.2.10 ipv6hint=2001:db8::10'],
  ['_dns', 'SVCB', '1 mail.alice.chronym. alpn=dot port=853'],
  ['aliased', 'HTTPS', '0 www.example.net.'],
  ['_443._tcp', 'TLSA', `3 1 1 ${DIGEST}`],
  ['_sip._tcp', 'SRV', '10 60 5060 sip.alice.chronym.'],
  ['_http._tcp', 'URI', '10 1 "https://alice.chronym/"'],
  ['www', 'CNAME', 'alice.chronym.'],
  ['ptr', 'PTR', 'www.alice.chronym.'],
  ['sub', 'NS', 'ns.example.net.'],
  ['sub', 'DS', `12345 13 2 ${DIGEST}`],
  ['*.wild', 'A', '10.1.2.3']
]
const TTL = 1200

const directory = mkdtempSync(join(tmpdir(), 'chronym-knot-'))
beforeAll(() => needPackages(['knot']))
afterAll(() => rmSync(directory, { recursive: true }))

/** `owner ttl type data`, in hexadecimal, sorted. */
function linesOf(wire: Uint8Array): string[] {
  const bytes = Buffer.from(wire)
  const lines: string[] = []
  for (let at = 0; at < bytes.length;) {
    const { name, next } = readName(bytes, at)
    at = next + 10 + bytes.readUInt16BE(next + 8)
    const type = typeName(bytes.readUInt16BE(next))
    lines.push(`${name} ${bytes.readUInt32BE(next + 4)} ${type} ${bytes.toString('hex', next + 10, at)}`)
  }
  return lines.sort()
}

it('the records of a zone have the bytes that Knot gives them', async () => {
  const byOwner = Map.groupBy(RECORDS, ([owner]) => owner)
  const records = [...byOwner].map(([owner, list]) => [
    owner,
    list.map(([, type, value]) => ({ type, value, ttl: TTL }))
  ])
  const profile = parseProfile(local)
  const ours = zoneToWire(parseZone({ records: Object.fromEntries(records) }, profile), NAME, profile)

  const lines = RECORDS.map(([owner, type, data]) => `${owner} ${TTL} ${type} ${data}`)
  const apex = ['@ 60 SOA . . 1 60 60 60 60', '@ 60 NS ns.example.net.']
  const text = [`$ORIGIN ${NAME}.`, ...apex, ...lines, ''].join('\n')
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const knot = await startKnot({ directory, key: key.toString(), zones: [{ name: `${NAME}.`, text, signing: 'none' }] })
  try {
    const transferred = (await transfer(knot, NAME))
      .filter(({ type, owner }) => type !== 'SOA' && !(type === 'NS' && owner === `${NAME}.`))
      .map(({ owner, ttl, type, rdata }) => `${owner} ${ttl} ${type} ${rdata.toString('hex')}`)
    expect(linesOf(ours)).toEqual(transferred.sort())
    expect(transferred).toHaveLength(RECORDS.length)
  } finally {
    await knot.stop()
  }
})
