/** What /metrics shows of the DNS server; nothing while it is off. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { DnsView } from '../views/dns.ts'

type Stats = NonNullable<DnsView['stats']>

export function observeDns(registers: Registry[], view: () => Pick<DnsView, 'stats'>): void {
  const counter = (
    name: string,
    help: string,
    label: string,
    counts: (stats: Stats) => Record<string, number>
  ): void => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        const { stats } = view()
        if (stats !== null)
          for (const [value, count] of Object.entries(counts(stats))) this.inc({ [label]: value }, count)
      }
    })
  }
  const gauge = (name: string, help: string, value: (stats: Stats) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const { stats } = view()
        this.remove()
        if (stats !== null) this.set(value(stats))
      }
    })
  }
  counter('chronym_dns_queries_total', 'DNS queries by transport', 'transport', ({ queries }) => queries)
  counter('chronym_dns_answers_total', 'DNS answers by outcome', 'outcome', ({ answers }) => answers)
  counter('chronym_dns_cache_total', 'Uses of the DNS cache by result', 'result', ({ cache }) => cache)
  gauge('chronym_dns_names', 'Names that the DNS server knows', ({ names }) => names)
  gauge('chronym_dns_cache_bytes', 'Bytes of names and packed answers', ({ cache_bytes: bytes }) => bytes)
  gauge('chronym_dns_waiting_queries', 'DNS queries that wait for a look-up', ({ waiting }) => waiting)
  gauge('chronym_dns_connections', 'Open connections for DNS over TCP and TLS', ({ connections }) => connections)
}
