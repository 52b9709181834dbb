/** A zone with a record of each kind, a world around it, and our own server, for foreign programs on loopback. */
import { generateKeyPairSync } from 'node:crypto'
import { addon } from '../../src/native/addon.ts'
import { zoneToWire } from '../../src/dns/wire.ts'
import { local } from '../../src/protocol/profile/built-in.ts'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { parseZone } from '../../src/protocol/zone/zone.ts'
import { type Route, routeOf } from '../../src/cli/dns/route.ts'

const KEPT_MS = 60 * 60_000
const CACHE_BYTES = 8 * 2 ** 20
const profile = parseProfile(local)

interface Served {
  readonly address: string
  readonly port: number
  stop(): Promise<void>
}

type Zones = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

function serve(tld: string, address: string, port: number, forward: readonly string[], zones: Zones, isSecure = true) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = addon().DnsServer.start(
    {
      tld,
      key: privateKey.export({ type: 'pkcs8', format: 'der' }),
      serial: 1,
      listen: (['udp', 'tcp'] as const).map((transport) => ({ transport, address, port })),
      tls: null,
      forward: [...forward],
      isPublic: false,
      cacheBytes: CACHE_BYTES
    },
    ({ name }) => server.setAbsent(name, KEPT_MS, KEPT_MS)
  )
  for (const [name, records] of Object.entries(zones)) {
    const byLabel = Object.entries(records).map(([owner, texts]) => [
      owner,
      texts.map((text) => ({ type: text.split(' ')[0], value: text.slice(text.indexOf(' ') + 1) }))
    ])
    const zone = parseZone({ records: Object.fromEntries(byLabel) as unknown }, profile)
    server.setZone(
      name,
      zoneToWire(zone, name, profile),
      isSecure ? { secure: true, reason: '' } : { secure: false, reason: 'a world without signatures' },
      KEPT_MS,
      KEPT_MS
    )
  }
  return server
}

/** The resolver of the world outside, which knows `www.example.com` and the server of a delegation. */
export const WORLD = { address: '192.0.2.222', port: 53 }
const DELEGATED = '127.77.0.4'

const ALICE = {
  '@': ['A 192.0.2.1', 'AAAA 2001:db8::1', 'MX 10 mail', 'TXT "v=spf1 -all"', 'CAA 0 issue "ca.example"'],
  mail: ['A 192.0.2.25'],
  www: ['CNAME @'],
  out: ['CNAME www.example.com'],
  '*.wild': ['TXT "any"'],
  _443: ['TLSA 3 1 1 ' + '07'.repeat(32)],
  '_xmpp._tcp': ['SRV 5 0 5222 mail'],
  ssh: ['SSHFP 4 2 ' + '09'.repeat(32)],
  svc: ['HTTPS 1 . alpn=h2'],
  long: [1, 2, 3, 4, 5, 6, 7].map((number) => `TXT "${String(number).repeat(220)}"`),
  'deep.empty': ['A 192.0.2.3'],
  sub: ['NS ns.example.com']
}

/** Our server, with the world as its `dns.forward` or without. */
export function startZone(address: string, port: number, isForwarding: boolean): Served & { readonly route: Route } {
  const forward = isForwarding ? [`${WORLD.address}:${WORLD.port}`] : []
  const server = serve('chronym', address, port, forward, { 'alice.chronym': ALICE })
  const listen = [{ transport: 'udp' as const, address, port }]
  const view = { enabled: true, zone: 'chronym.', listen, forwarding: isForwarding, https: null, stats: null }
  const { keyTag: key_tag, ...anchor } = server.anchor()
  return { address, port, route: routeOf({ ...view, anchor: { ...anchor, key_tag } }), stop: () => server.close() }
}

/** A server of names outside of the zone, and below a delegation. Takes port 53. */
export function startWorld(): { stop(): Promise<unknown> } {
  const servers = [
    serve(
      'com',
      WORLD.address,
      WORLD.port,
      ['127.0.0.1:1'],
      {
        'example.com': { www: ['A 203.0.113.5'], ns: [`A ${DELEGATED}`] }
      },
      false
    ),
    serve('sub.alice.chronym', DELEGATED, 53, [], { 'x.sub.alice.chronym': { '@': ['A 203.0.113.9'] } }, false)
  ]
  return { stop: () => Promise.all(servers.map((server) => server.close())) }
}
