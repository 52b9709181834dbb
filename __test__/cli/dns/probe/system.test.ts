import { afterEach, describe, expect, it } from 'vitest'
import { addressBytes, lookup, resolversOf } from '../../../../src/cli/dns/probe/system.ts'
import { DnsScene, hostOf } from '../scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())

describe('the servers that programs ask', () => {
  it('are the first three of resolv.conf, with port 53', () => {
    const text = `# nameserver 192.0.2.9
search home
nameserver 127.0.0.53
nameserver\tfe80::1%eth0
nameserver nonsense
nameserver 192.0.2.4
options edns0 trust-ad
`
    expect(resolversOf(hostOf(scene.tree({ '/etc/resolv.conf': text })), 'chronym')).toEqual({
      from: '/etc/resolv.conf',
      servers: [
        { address: '127.0.0.53', port: 53 },
        { address: 'fe80::1%eth0', port: 53 }
      ],
      trustsAd: true
    })
    expect(resolversOf(hostOf(scene.tree({})), 'chronym')).toMatchObject({ servers: [], trustsAd: false })
  })

  it('are those of the domain on macOS and Windows', () => {
    const tree = scene.tree({ '/etc/resolver/chronym': '# x\nnameserver 127.0.0.1\nport 7453\n' })
    expect(resolversOf(hostOf(tree, {}, 'darwin'), 'chronym')).toEqual({
      from: '/etc/resolver/chronym',
      servers: [{ address: '127.0.0.1', port: 7453 }],
      trustsAd: undefined
    })
    const host = { ...hostOf(tree, {}, 'win32'), run: () => ({ code: 0, output: '127.0.0.1\r\n::1' }) }
    expect(resolversOf(host, 'chronym').servers).toEqual([
      { address: '127.0.0.1', port: 53 },
      { address: '::1', port: 53 }
    ])
  })
})

describe('addresses', () => {
  it.each([
    ['192.0.2.10', 'c000020a'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['2001:DB8:0:0:1::2', '20010db8000000000001000000000002'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001']
  ])('%s has the bytes %s', (text, bytes) => expect(addressBytes(text)).toBe(bytes))
})

describe('getaddrinfo', () => {
  it('finds what is in the files of the machine, and says why it finds nothing', async () => {
    const found = await lookup('localhost')
    expect('addresses' in found && found.addresses.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/u)
    )
    expect(await lookup('no name at all')).toMatchObject({ reason: expect.any(String) })
  })
})
