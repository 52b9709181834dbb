import { domainName } from './domain-name.ts'
import { bareWords, decimal } from './presentation.ts'

/** CNAME, NS, PTR: one domain name. */
export function parseTarget(value: string): { target: string } {
  const [target] = bareWords(value, ['target'])
  return { target: domainName(target!) }
}

/** `preference exchange`; `0 .` says that the name takes no mail (RFC 7505). */
export function parseMx(value: string): { preference: number; exchange: string } {
  const [preference, exchange] = bareWords(value, ['preference', 'exchange'])
  const parsed = { preference: decimal(preference!, 'preference', 16), exchange: domainName(exchange!, true) }
  if (parsed.exchange === '.' && parsed.preference !== 0) throw new Error('a null MX has preference 0')
  return parsed
}

/** `priority weight port target` (RFC 2782); target `.` means that the service is absent. */
export function parseSrv(value: string): { priority: number; weight: number; port: number; target: string } {
  const [priority, weight, port, target] = bareWords(value, ['priority', 'weight', 'port', 'target'])
  return {
    priority: decimal(priority!, 'priority', 16),
    weight: decimal(weight!, 'weight', 16),
    port: decimal(port!, 'port', 16),
    target: domainName(target!, true)
  }
}
