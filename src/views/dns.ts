import * as v from 'valibot'
import { component, CountSchema, TimeSchema } from './common.ts'

const CountsSchema = v.record(v.string(), CountSchema)

const ListenSchema = v.object({
  transport: v.picklist(['udp', 'tcp', 'tls', 'https']),
  address: v.pipe(v.string(), v.description('An IP address')),
  port: CountSchema
})

const AnchorSchema = v.object({
  ds: v.pipe(v.string(), v.description('The DS record of the zone, as text')),
  dnskey: v.pipe(v.string(), v.description('The DNSKEY record of the zone, as text')),
  key_tag: CountSchema,
  algorithm: CountSchema
})

const StatsSchema = v.object({
  names: v.pipe(CountSchema, v.description('Registered names that are known now')),
  cache_bytes: CountSchema,
  queries: v.pipe(CountsSchema, v.description('Since the start, by transport')),
  answers: v.pipe(CountsSchema, v.description('Since the start, by outcome')),
  cache: v.pipe(CountsSchema, v.description('Uses of the cache since the start')),
  waiting: v.pipe(CountSchema, v.description('Queries that wait for a look-up')),
  connections: CountSchema
})

export const DnsViewSchema = component('Dns', {
  enabled: v.boolean(),
  zone: v.pipe(v.string(), v.description('With its closing dot')),
  listen: v.array(ListenSchema),
  forwarding: v.pipe(v.boolean(), v.description('Whether names outside of the zone are asked elsewhere')),
  https: v.pipe(
    v.nullable(
      v.object({
        address: v.string(),
        port: CountSchema,
        ready: v.pipe(v.boolean(), v.description('Whether the key of the authority of this machine is open'))
      })
    ),
    v.description('The proxy for https; null while it is off')
  ),
  anchor: v.pipe(v.nullable(AnchorSchema), v.description('What validators need; null while DNS is off')),
  stats: v.nullable(StatsSchema)
})
export const KeyedHostListSchema = v.array(
  component('KeyedHost', {
    host: v.string(),
    none_since: v.pipe(v.nullable(TimeSchema), v.description('Since when its zone names no key; null: it names one'))
  })
)
/** A host that had a key for https when somebody went there. */
export type KeyedHostView = v.InferOutput<typeof KeyedHostListSchema>[number]

/** The DNS server of the daemon. */
export type DnsView = v.InferOutput<typeof DnsViewSchema>
export type DnsListenView = v.InferOutput<typeof ListenSchema>
