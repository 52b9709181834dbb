import { socketAddressText } from '../config/socket-address.ts'
import type { DnsView } from '../views/dns.ts'

/** Each address with its transports. */
export function dnsText(listen: DnsView['listen']): string {
  const transports = new Map<string, string[]>()
  for (const { transport, ...address } of listen) {
    const text = socketAddressText(address)
    transports.set(text, [...(transports.get(text) ?? []), transport])
  }
  return [...transports].map(([address, of]) => `${address} (${of.join(', ')})`).join(', ')
}
