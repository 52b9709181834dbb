import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { byUse, isIpAndPort, isLoopback, prefixOf } from '../../../src/network/transport/addresses.ts'

describe('addresses', () => {
  it.each([
    ['/ip4/127.0.0.1/tcp/1', true],
    ['/ip4/127.255.0.9/tcp/1', true],
    ['/ip6/::1/tcp/1', true],
    ['/ip6/::ffff:127.0.0.1/tcp/1', true],
    ['/ip4/128.0.0.1/tcp/1', false],
    ['/ip4/0.0.0.0/tcp/1', false],
    ['/ip6/::/tcp/1', false],
    ['/ip6/fe80::1/tcp/1', false],
    ['/dns4/localhost/tcp/1', false]
  ])('%s is of this machine: %s', (address, expected) => {
    expect(isLoopback(multiaddr(address))).toBe(expected)
  })

  it('come public ones first, one of each version, then private ones, then those of this machine', () => {
    const ordered = [
      '/ip4/45.1.0.2/tcp/1',
      '/ip6/2a00:1::2/tcp/1',
      '/ip4/45.1.0.3/tcp/1',
      '/ip4/10.0.0.1/tcp/1',
      '/ip6/fd00::1/tcp/1',
      '/ip4/10.0.0.2/tcp/1',
      '/ip4/127.0.0.1/tcp/1',
      '/ip6/::1/tcp/1'
    ]
    const asText = [...ordered].sort().map((text) => ({ multiaddr: multiaddr(text) }))
    expect(byUse(asText).map((each) => String(each.multiaddr))).toEqual(ordered)
  })

  it.each([
    ['/ip4/192.0.2.1/tcp/7469', true],
    ['/ip6/2001:db8::1/tcp/7469', true],
    ['/ip4/192.0.2.1/tcp/0', false],
    ['/ip4/192.0.2.1/udp/7469', false],
    ['/ip4/192.0.2.1/tcp/7469/ws', false],
    ['/ip4/192.0.2.1', false],
    ['/ip6zone/eth0/ip6/fe80::1/tcp/7469', false],
    ['/dns4/example.org/tcp/7469', false]
  ])('%s is an IP address with a TCP port: %s', (address, expected) => {
    expect(isIpAndPort(multiaddr(address))).toBe(expected)
  })

  it('of one /24 or one /48 have one prefix', () => {
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).toBe(prefixOf(multiaddr('/ip4/192.0.2.250/tcp/9')))
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip4/192.0.3.1/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).toBe(prefixOf(multiaddr('/ip6/2001:db8:1:ffff::9/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip6/2001:db8:2::1/tcp/1')))
  })
})
