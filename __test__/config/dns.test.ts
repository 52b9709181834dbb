import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/config.ts'
import { configuredDns } from '../../src/config/dns.ts'

const settings = (dns: object) => configuredDns(checkConfig({ dns }, 'test'))
const TLS = { tls_cert: '/etc/cert.pem', tls_key: '/etc/key.pem' }

describe('the DNS server of a configuration', () => {
  it('is on, for this machine alone, and asks nobody for other names', () => {
    expect(settings({})).toEqual({
      listen: undefined,
      tlsListen: [],
      httpsListen: [],
      certificate: undefined,
      proxy: undefined,
      forward: [],
      isPublic: false,
      cacheBytes: 32 * 2 ** 20
    })
  })

  it('is off where that is asked for, whatever else is set', () => {
    expect(settings({ enabled: false, tls_cert: '/etc/cert.pem' })).toBeUndefined()
  })

  it('is public as soon as one address is', () => {
    expect(settings({ listen: ['127.0.0.1:53', '[::1]:53'] })?.isPublic).toBe(false)
    expect(settings({ listen: ['127.0.0.1:53', '0.0.0.0:53'] })?.isPublic).toBe(true)
    expect(settings({ ...TLS, tls_listen: ['192.0.2.1:853'] })?.isPublic).toBe(true)
    expect(settings({ ...TLS, https_listen: ['[::]:443'] })?.isPublic).toBe(true)
  })

  it.each([
    [{ tls_listen: ['127.0.0.1:853'] }, 'dns.tls_cert', 'dns.tls_listen'],
    [{ https_listen: ['127.0.0.1:443'], tls_cert: '/c' }, 'dns.tls_key', 'dns.https_listen'],
    [{ tls_cert: '/c' }, 'dns.tls_cert', 'no effect'],
    [{ tls_key: '/k' }, 'dns.tls_cert', 'dns.tls_key'],
    [TLS, 'dns.tls_cert', 'no effect'],
    [{ forward: ['127.0.0.1:5353'], listen: ['127.0.0.1:5353'] }, 'dns.forward', 'itself'],
    [{ forward: ['127.0.0.53:53'], listen: ['0.0.0.0:53'] }, 'dns.forward', 'itself'],
    [{ forward: ['[::1]:53'], listen: ['[::]:53'] }, 'dns.forward', 'itself'],
    [{ forward: ['9.9.9.9:0'] }, 'dns.forward', 'no port']
  ])('refuses %j', (dns, path, reason) => {
    expect(() => settings(dns)).toThrow(
      expect.objectContaining({
        code: 'SVC-CFG-001',
        errors: [{ path, message: expect.stringContaining(reason) as string }]
      }) as Error
    )
  })
})

describe('the proxy for https of a configuration', () => {
  const proxy = (https: object, dns: object = {}) => configuredDns(checkConfig({ dns, https }, 'test'))?.proxy

  it('is off, and on 127.0.0.1 where it is on', () => {
    expect(proxy({})).toBeUndefined()
    expect(proxy({ enabled: true })).toEqual({
      address: '127.0.0.1',
      port: 7443,
      allowPrivate: [],
      localPorts: null
    })
    expect(
      proxy({
        enabled: true,
        listen: '[::1]:0',
        allow_private: ['alice.chronym', 'alice--*.chronym', '*.home.alice.chronym']
      })
    ).toEqual({
      address: '::1',
      port: 0,
      allowPrivate: ['alice.chronym', 'alice--*.chronym', '*.home.alice.chronym'],
      localPorts: null
    })
    // To turn https off and on again takes one setting.
    expect(proxy({ local_addresses: true })).toBeUndefined()
    const local = { enabled: true, local_addresses: true }
    expect(proxy(local)).toMatchObject({ localPorts: [443, 80, 22] })
    expect(proxy({ ...local, pass_ports: ['25', '993', '25'] })).toMatchObject({ localPorts: [443, 80, 25, 993] })
  })

  it.each([
    [{ enabled: true, listen: '0.0.0.0:7443' }, {}, 'https.listen', 'loopback'],
    [{ enabled: true, listen: '192.168.1.2:7443' }, {}, 'https.listen', 'loopback'],
    [{ listen: 'localhost:7443' }, {}, 'https.listen', 'IP address'],
    [{ allow_private: ['Alice.chronym'] }, {}, 'https.allow_private', 'alice.chronym'],
    [{ allow_private: ['*'] }, {}, 'https.allow_private', '*.alice.chronym'],
    [{ allow_private: ['a..chronym'] }, {}, 'https.allow_private', '*.alice.chronym'],
    [{ allow_private: ['**.chronym'] }, {}, 'https.allow_private', '*.alice.chronym'],
    [{ allow_private: ['alice.*'] }, {}, 'https.allow_private', '*.alice.chronym'],
    [{ enabled: true }, { enabled: false }, 'https.enabled', 'no effect'],
    [
      { enabled: true, local_addresses: true },
      { listen: ['0.0.0.0:53'] },
      'https.local_addresses',
      'this machine alone'
    ],
    [{ enabled: true, pass_ports: ['443'] }, {}, 'https.pass_ports', 'no port to pass'],
    [{ enabled: true, pass_ports: ['65536'] }, {}, 'https.pass_ports', 'no port to pass'],
    [{ enabled: true, pass_ports: ['022'] }, {}, 'https.pass_ports', 'such as 22']
  ])('refuses %j beside %j', (https, dns, field, reason) => {
    expect(() => proxy(https, dns)).toThrow(
      expect.objectContaining({ code: 'SVC-CFG-001', message: expect.stringContaining(field) })
    )
    expect(() => proxy(https, dns)).toThrow(reason)
  })
})
