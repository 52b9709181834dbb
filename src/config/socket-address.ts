/** IP addresses with a port, as fields of the configuration give them. */
import { isIP, isIPv6 } from 'node:net'

export interface SocketAddress {
  /** An IP address without brackets. */
  readonly address: string
  readonly port: number
}

/** `192.0.2.1:53` or `[2001:db8::1]:53`; undefined for any other text. Names are none: they change. */
export function parseSocketAddress(text: string): SocketAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  const port = Number(digits)
  // An address with a link (`fe80::1%eth0`) is one for Node alone.
  if (
    isIP(address) === 0 ||
    address.includes('%') ||
    (bracketed !== undefined) !== isIPv6(address) ||
    !(port <= 65_535)
  )
    return undefined
  return { address, port }
}

export function socketAddressText({ address, port }: SocketAddress): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}

/** 127.0.0.0/8 and ::1. */
export function isLoopback({ address }: Pick<SocketAddress, 'address'>): boolean {
  return address === '::1' || address.startsWith('127.')
}
