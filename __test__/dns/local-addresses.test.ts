import { describe, expect, it } from 'vitest'
import { withLocalAddresses } from '../../src/dns/local-addresses.ts'
import type { Zone, ZoneRecord } from '../../src/protocol/zone/zone.ts'

const SERVED = 'alice--7kq2mx.chronym'
const a: ZoneRecord = { type: 'A', value: '192.0.2.1', ttl: 3600 }
const aaaa: ZoneRecord = { type: 'AAAA', value: '2001:db8::1' }
const txt: ZoneRecord = { type: 'TXT', value: '"a"' }
const tlsa: ZoneRecord = { type: 'TLSA', value: `3 1 1 ${'ab'.repeat(32)}` }
const https: ZoneRecord = { type: 'HTTPS', value: '1 . ipv4hint=192.0.2.1' }

/** What is shown, and whose addresses were asked for. */
function shown(records: Zone['records'], place = (count: number): string | undefined => `127.64.0.${count}`) {
  const asked: [string, readonly string[]][] = []
  const zone = withLocalAddresses({ serial: 7, records }, SERVED, (host, origins) => {
    asked.push([host, origins])
    return place(asked.length)
  })
  return { zone, asked }
}

describe('a zone as programs of this machine see it', () => {
  it('leads hosts with a key to an address of this machine, and keeps all else', () => {
    const rest = {
      _ssh: [a],
      '_443._tcp': [tlsa],
      '_443._tcp.www': [tlsa],
      '_8443._tcp.mail': [tlsa],
      mail: [a],
      '*.wild': [a],
      '_443._tcp.*.wild': [tlsa],
      '_443._tcp.alias': [tlsa],
      alias: [{ type: 'CNAME' as const, value: '@' }]
    }
    const { zone, asked } = shown({ '@': [a, txt, aaaa, https], www: [aaaa], ...rest })
    expect(zone).toEqual({
      serial: 7,
      records: {
        '@': [{ type: 'A', value: '127.64.0.1', ttl: 30 }, txt],
        www: [{ type: 'A', value: '127.64.0.2', ttl: 30 }],
        ...rest
      }
    })
    expect(asked).toEqual([
      [SERVED, [a.value, aaaa.value]],
      [`www.${SERVED}`, [aaaa.value]]
    ])
  })

  it('keeps the addresses of a host that can have none of this machine', () => {
    const records = { '@': [a], '_443._tcp': [tlsa] }
    expect(shown(records, () => undefined).zone.records).toEqual(records)
  })

  it('has room for few hosts of one name', () => {
    const records: Zone['records'] = {}
    for (let index = 0; index < 40; index++) {
      records[`h${index}`] = [a]
      records[`_443._tcp.h${index}`] = [tlsa]
    }
    expect(shown(records).asked).toHaveLength(16)
  })
})
