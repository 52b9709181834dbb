import { describe, expect, it } from 'vitest'
import { dnskeyLine, dsLine, routeOf } from '../../../src/cli/dns/route.ts'
import type { DnsView } from '../../../src/views/dns.ts'
import { DNS_BODY, ROUTE } from './scene.ts'

const { anchor } = DNS_BODY

describe('the route of a daemon', () => {
  it('has the addresses of UDP, and the key as the daemon tells it', () => {
    expect(routeOf(DNS_BODY)).toEqual(ROUTE)
    expect([dsLine(ROUTE), dnskeyLine(ROUTE)]).toEqual([anchor!.ds, anchor!.dnskey])
  })

  it('asks loopback where the daemon listens on every interface, and others only without one', () => {
    const listening = (...addresses: string[]) =>
      routeOf({
        ...DNS_BODY,
        listen: addresses.map((address) => ({ transport: 'udp', address, port: 53 }))
      }).servers.map(({ address }) => address)
    expect(listening('0.0.0.0', '::', '127.0.0.1')).toEqual(['127.0.0.1', '::1'])
    expect(listening('192.0.2.1', '127.0.0.1')).toEqual(['127.0.0.1'])
    expect(listening('192.0.2.1', '2001:db8::1')).toEqual(['192.0.2.1', '2001:db8::1'])
  })

  it.each<[string, Partial<DnsView>]>([
    ['nothing is served', { enabled: false }],
    ['there is no key', { anchor: null }],
    ['there is no address of UDP', { listen: [{ transport: 'tls', address: '127.0.0.1', port: 853 }] }]
  ])('is refused with CLI-DNS-003 where %s', (_what, change) => {
    expect(() => routeOf({ ...DNS_BODY, ...change })).toThrow(expect.objectContaining({ code: 'CLI-DNS-003' }))
  })

  it.each<[string, Partial<DnsView>]>([
    ['a zone with a line end', { zone: 'chronym\n[Resolve]' }],
    ['a zone with a quote', { zone: 'chronym"' }],
    ['a zone that leaves the directory', { zone: '../chronym' }],
    ['no address', { listen: [{ transport: 'udp', address: '127.0.0.1 #', port: 53 }] }],
    ['no port', { listen: [{ transport: 'udp', address: '127.0.0.1', port: 70_000 }] }],
    ['a key tag that is text', { anchor: { ...anchor!, ds: anchor!.ds.replace('4711', '4711;') } }],
    ['two lines', { anchor: { ...anchor!, ds: `${anchor!.ds}\nserver:` } }],
    ['a key that is not base64', { anchor: { ...anchor!, dnskey: `${anchor!.dnskey} x` } }]
  ])('takes nothing that could reach a file of root: %s', (_what, change) => {
    expect(() => routeOf({ ...DNS_BODY, ...change })).toThrow(expect.objectContaining({ code: 'CLI-NET-002' }))
  })
})
