/** The servers that programs of this machine ask for names. */
import { lookup as getaddrinfo } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Server } from '../route.ts'
import type { Host } from '../setup/host.ts'
import { nameservers, settings } from '../setup/systems.ts'
import { messageOf } from '../../failures/failure.ts'

export interface Resolvers {
  /** The file or the rule that names them. */
  readonly from: string
  readonly servers: readonly Server[]
  /** Whether glibc shows the AD bit to programs; undefined where no such option is known. */
  readonly trustsAd: boolean | undefined
}

interface FoundAddress {
  readonly text: string
  /** Hexadecimal: two spellings of one address are equal. */
  readonly bytes: string
}

/** getaddrinfo, as programs call it. Never rejects. */
export type Lookup = (name: string) => Promise<{ addresses: readonly FoundAddress[] } | { reason: string }>

const DNS_PORT = 53

function server(address: string, port = DNS_PORT): Server[] {
  return isIP(address.split('%')[0]!) === 0 ? [] : [{ address, port }]
}

const RULE_OF = (tld: string): string =>
  `(Get-DnsClientNrptRule | Where-Object Namespace -eq '.${tld}').NameServers.IPAddressToString`

/** For one domain: macOS and Windows have servers of its own. */
export function resolversOf(host: Host, tld: string): Resolvers {
  if (host.platform === 'darwin') {
    const from = `/etc/resolver/${tld}`
    const words = settings(host.read(from)).map((line) => line.split(/\s+/u))
    const valueOf = (word: string): string | undefined => words.find(([first]) => first === word)?.[1]
    const port = Number(valueOf('port') ?? DNS_PORT)
    return { from, servers: server(valueOf('nameserver') ?? '', port), trustsAd: undefined }
  }
  if (host.platform === 'win32') {
    const result = host.run(['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', RULE_OF(tld)])
    const addresses = result?.code === 0 ? result.output.split(/\s+/u) : []
    return {
      from: `the NRPT rule for .${tld}`,
      servers: addresses.flatMap((address) => server(address)),
      trustsAd: undefined
    }
  }
  const options = settings(host.read('/etc/resolv.conf')).flatMap((line) => {
    const [word, ...values] = line.split(/\s+/u)
    return word === 'options' ? values : []
  })
  return {
    from: '/etc/resolv.conf',
    // glibc reads three (MAXNS of resolv.h).
    servers: nameservers(host)
      .slice(0, 3)
      .flatMap((address) => server(address)),
    trustsAd: options.includes('trust-ad')
  }
}

/** The bytes of an IP address in hexadecimal. */
export function addressBytes(address: string): string {
  if (isIP(address) === 4)
    return address
      .split('.')
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('')
  // The parser of URLs writes an address in its shortest form, with at most one gap.
  const [head = '', tail = ''] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':').map((group) => group.padStart(4, '0')))
  const [before, after] = [groups(head), groups(tail)]
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0000'), ...after].join('')
}

export const lookup: Lookup = async (name) => {
  try {
    const found = await getaddrinfo(name, { all: true })
    return { addresses: found.map(({ address }) => ({ text: address, bytes: addressBytes(address) })) }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}
