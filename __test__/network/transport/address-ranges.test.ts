/** Which addresses are not everybody's, and which of them a node dials. */
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { specialRange } from '../../../src/network/transport/addresses.ts'
import { gater } from '../../../src/network/transport/gater.ts'

describe('ranges', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['10.255.0.1', '10.0.0.0/8'],
    ['172.31.255.255', '172.16.0.0/12'],
    ['172.32.0.0', undefined],
    ['192.168.1.1', '192.168.0.0/16'],
    ['100.127.255.255', 'shared (carrier-grade NAT)'],
    ['100.128.0.0', undefined],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fd00::1', 'unique local'],
    ['fec0::1', 'site-local'],
    ['0.0.0.0', 'nowhere'],
    ['::', 'nowhere'],
    ['224.0.0.251', 'nowhere'],
    ['255.255.255.255', 'nowhere'],
    ['ff02::1', 'nowhere'],
    ['::ffff:192.168.1.1', '192.168.0.0/16'],
    ['::ffff:c0a8:101', '192.168.0.0/16'],
    ['::ffff:8.8.8.8', undefined],
    ['64:ff9b::a00:1', 'nowhere'],
    ['::7f00:1', 'nowhere'],
    ['8.8.8.8', undefined],
    ['2a00::1', undefined]
  ])('%s is of: %s', (ip, range) => {
    expect(specialRange(ip)).toBe(range)
  })
})

describe('a node dials what peers tell', () => {
  const dials = (
    address: string,
    scope: 'public' | 'test' | 'loopback',
    own: { listen?: string[]; bootstrap?: string[] } = {}
  ): boolean => {
    const [listen, bootstrap] = [own.listen ?? [], own.bootstrap ?? []].map((each) =>
      each.map((text) => multiaddr(text))
    )
    const rules = gater({
      profile: { scope, answers_per_prefix: 0, answers_per_wide_prefix: 0 },
      listen: listen!,
      bootstrap: () => bootstrap!,
      isBanned: () => false,
      mayConnect: () => true
    })
    return rules.denyDialMultiaddr!(multiaddr(address)) === false
  }
  const PRIVATE = [
    '/ip4/127.0.0.1/tcp/80',
    '/ip4/10.0.0.1/tcp/80',
    '/ip4/192.168.0.1/tcp/80',
    '/ip6/::ffff:192.168.0.1/tcp/80',
    '/ip6zone/eth0/ip6/fe80::1/tcp/80',
    '/ip4/0.0.0.0/tcp/80',
    '/dns4/localhost/tcp/80',
    '/unix/%2Ftmp%2Fsocket'
  ]

  it('on a public network where it is public', () => {
    expect(dials('/ip4/8.8.8.8/tcp/7469', 'public')).toBe(true)
    expect(dials('/ip6/2a00::1/tcp/7469', 'public')).toBe(true)
  })

  it.each(PRIVATE)('on a public network not: %s', (address) => {
    expect(dials(address, 'public')).toBe(false)
    expect(
      dials(address, 'public', {
        listen: ['/ip4/0.0.0.0/tcp/7469', '/ip6/::/tcp/7469'],
        bootstrap: ['/ip4/8.8.8.8/tcp/7469']
      })
    ).toBe(false)
  })

  it('in the private range that its bootstrap peer is in, or that it listens in by name, and in no other', () => {
    const bootstrap = ['/ip4/192.168.5.5/tcp/7469']
    expect(dials('/ip4/192.168.0.1/tcp/80', 'public', { bootstrap })).toBe(true)
    expect(dials('/ip6/::ffff:192.168.0.1/tcp/80', 'public', { bootstrap })).toBe(true)
    expect(dials('/ip4/10.0.0.1/tcp/80', 'public', { bootstrap })).toBe(false)
    expect(dials('/ip4/10.0.0.1/tcp/80', 'public', { listen: ['/ip4/10.9.9.9/tcp/7469'] })).toBe(true)
  })

  it('by a host name only where it is the one of a bootstrap peer', () => {
    const bootstrap = ['/dns4/peer.example.org/tcp/7469']
    expect(dials('/dns4/peer.example.org/tcp/7469', 'public', { bootstrap })).toBe(true)
    expect(dials('/dns4/other.example.org/tcp/7469', 'public', { bootstrap })).toBe(false)
  })

  it('wherever it is, on a network that promises nothing; on this machine only, on one for this machine', () => {
    expect(PRIVATE.every((address) => dials(address, 'test'))).toBe(true)
    expect(dials('/ip4/127.3.4.5/tcp/80', 'loopback')).toBe(true)
    expect(dials('/ip4/8.8.8.8/tcp/80', 'loopback')).toBe(false)
  })
})
