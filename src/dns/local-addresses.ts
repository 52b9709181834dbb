/** Local addresses: a host with a key leads to an address of this machine, where the proxy for https listens. */
import { MIN_TTL, type Zone, type ZoneRecord } from '../protocol/zone/zone.ts'

/** Of one name. A server keeps addresses of 256 hosts. */
const MAX_HOSTS = 16

/** The local address of a host whose own are `origins`; undefined: it has none. */
type Place = (host: string, origins: readonly string[]) => string | undefined

/**
 * A zone as programs of this machine see it. Hosts with a TLSA record for https lead to one address of this machine
 * each. They have no IPv6 address then, since IPv6 has one loopback address, and no HTTPS record, which could lead past
 * the proxy. `served`: the name as it was asked for.
 */
export function withLocalAddresses({ records, ...zone }: Zone, served: string, place: Place): Zone {
  const shown: Zone['records'] = { ...records }
  let count = 0
  for (const [label, found] of Object.entries(records)) {
    const origins = found.filter(({ type }) => type === 'A' || type === 'AAAA').map(({ value }) => value)
    if (origins.length === 0 || label.includes('*') || count === MAX_HOSTS) continue
    const service = label === '@' ? '_443._tcp' : `_443._tcp.${label}`
    if (records[service]?.some(({ type }) => type === 'TLSA') !== true) continue
    const address = place(label === '@' ? served : `${label}.${served}`, origins)
    if (address === undefined) continue
    count++
    const others = found.filter(({ type }) => !LED_BY.has(type))
    shown[label] = [{ type: 'A', value: address, ttl: MIN_TTL }, ...others]
  }
  return { ...zone, records: shown }
}

/** What leads a program to a host. */
const LED_BY: ReadonlySet<ZoneRecord['type']> = new Set(['A', 'AAAA', 'HTTPS'])
