import { describe, expect, it } from 'vitest'
import { isLoopback, parseSocketAddress, socketAddressText } from '../../src/config/socket-address.ts'

describe('an IP address with a port', () => {
  it.each([
    ['127.0.0.1:53', '127.0.0.1', 53],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['[::1]:7453', '::1', 7453],
    ['[2001:db8::1]:65535', '2001:db8::1', 65_535]
  ])('%s', (text, address, port) => {
    expect(parseSocketAddress(text)).toEqual({ address, port })
    expect(socketAddressText({ address, port })).toBe(text)
  })

  it.each([
    '',
    '127.0.0.1',
    '127.0.0.1:',
    ':53',
    'localhost:53',
    '::1:53',
    '[127.0.0.1]:53',
    '[::1]',
    '1.2.3.4:65536',
    '1.2.3:5',
    '1.2.3.4:5 ',
    '[fe80::1%eth0]:53'
  ])('is not %j', (text) => expect(parseSocketAddress(text)).toBeUndefined())

  it('is of this machine alone, or not', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1'].every((address) => isLoopback({ address }))).toBe(true)
    expect(['0.0.0.0', '::', '192.168.0.1', '1270.0.0.1'].some((address) => isLoopback({ address }))).toBe(false)
  })
})
