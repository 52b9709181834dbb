import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { isLoopback, prefixOf } from '../../../src/network/transport/addresses.ts'

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

  it('of one /24 or one /48 have one prefix', () => {
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).toBe(prefixOf(multiaddr('/ip4/192.0.2.250/tcp/9')))
    expect(prefixOf(multiaddr('/ip4/192.0.2.1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip4/192.0.3.1/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).toBe(prefixOf(multiaddr('/ip6/2001:db8:1:ffff::9/tcp/1')))
    expect(prefixOf(multiaddr('/ip6/2001:db8:1::1/tcp/1'))).not.toBe(prefixOf(multiaddr('/ip6/2001:db8:2::1/tcp/1')))
  })
})
