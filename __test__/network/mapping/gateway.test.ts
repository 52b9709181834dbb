/** What other systems than Linux say of their routes. On Linux: __test__/e2e/home-routers.test.ts. */
import { expect, it } from 'vitest'
import { gatewayIn } from '../../../src/network/mapping/gateway.ts'

const MACOS = `Routing tables

Internet:
Destination        Gateway            Flags               Netif Expire
default            link#22            UCSIg               utun3
default            192.168.1.1        UGScg                 en0
127                127.0.0.1          UCS                   lo0
192.168.1.1/32     link#12            UCS                   en0      !
`

const WINDOWS = [
  'IPv4 Route Table',
  '===========================================================================',
  'Active Routes:',
  'Network Destination        Netmask          Gateway       Interface  Metric',
  '          0.0.0.0          0.0.0.0         On-link        10.8.0.2      5',
  '          0.0.0.0          0.0.0.0      192.168.1.1    192.168.1.23     25',
  '        127.0.0.0        255.0.0.0         On-link         127.0.0.1    331',
  ''
].join('\r\n')

it.each([
  ['macOS', MACOS, '192.168.1.1'],
  ['Windows', WINDOWS, '192.168.1.1'],
  ['a machine without a default route', MACOS.replaceAll('default', '10'), undefined],
  ['a program that is missing', '', undefined]
])('the default gateway is read of %s', (_, table, gateway) => {
  expect(gatewayIn(table)).toBe(gateway)
})
