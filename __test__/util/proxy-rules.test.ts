import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { proxyRules } from '../../src/util/proxy-rules.ts'

/** As a browser asks the rules about a host. */
const asked = (rules: string, host: string): unknown =>
  runInNewContext(`${rules}; FindProxyForURL(${JSON.stringify(`http://${host}/`)}, ${JSON.stringify(host)})`)

it.each([
  ['alice.chronym', 'PROXY 127.0.0.1:7480'],
  ['WWW.Alice.CHRONYM', 'PROXY 127.0.0.1:7480'],
  ['alice.chronym.', 'PROXY 127.0.0.1:7480'],
  ['chronym', 'DIRECT'],
  ['alicechronym', 'DIRECT'],
  ['alice.chronym.example', 'DIRECT'],
  ['example.com', 'DIRECT']
])('sends %s by %s, however the host is written', (host, way) => {
  expect(asked(proxyRules('chronym', { address: '127.0.0.1', port: 7480 }), host)).toBe(way)
})

it('puts an address of IPv6 in brackets, and sends nothing without a proxy', () => {
  expect(asked(proxyRules('chronym', { address: '::1', port: 7480 }), 'a.chronym')).toBe('PROXY [::1]:7480')
  expect(asked(proxyRules('chronym', null), 'a.chronym')).toBe('DIRECT')
})
