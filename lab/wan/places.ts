/** The places of a wide area: their addresses, their lines of the emulator's plan, and their network namespaces. */
import { execFileSync } from 'node:child_process'
import { publishedTripMs, REGIONS } from './regions.ts'

type NatKind = 'full-cone' | 'port-restricted' | 'symmetric'
export type Versions = 'both' | 'ipv4' | 'ipv6'

export interface Home {
  readonly title: string
  /** From the home outwards; the last has a public address, those before it one that a carrier shares. */
  readonly nats: readonly NatKind[]
  /** Its own router answers NAT-PMP, or its outermost one forwards the port to it; default: neither. */
  readonly router?: 'maps' | 'forwards'
  /** `--announce` names the public address. */
  readonly announces?: true
  /** It has a public address of IPv6 too, behind a firewall that lets nothing in. */
  readonly hasIPv6?: true
  /** Bytes of the longest packet that its line takes. */
  readonly mtu?: number
  readonly mode: 'full' | 'light'
}

/** Every kind that the emulator knows, with the mode that a daemon behind it must end in. */
export const HOMES: readonly Home[] = [
  { title: 'full cone, IPv6 behind a firewall', nats: ['full-cone'], hasIPv6: true, mode: 'light' },
  { title: 'port restricted, NAT-PMP', nats: ['port-restricted'], router: 'maps', mode: 'full' },
  { title: 'port restricted, forwarded', nats: ['port-restricted'], router: 'forwards', announces: true, mode: 'full' },
  { title: 'port restricted, only named', nats: ['port-restricted'], announces: true, mode: 'light' },
  { title: 'symmetric', nats: ['symmetric'], mtu: 1_280, mode: 'light' },
  { title: 'symmetric, NAT-PMP', nats: ['symmetric'], router: 'maps', mode: 'full' },
  { title: 'carrier-grade, NAT-PMP at home', nats: ['port-restricted', 'symmetric'], router: 'maps', mode: 'light' }
]

export interface Weather {
  readonly seed: number
  /** One way, drawn for each pair of places; or those of regions.json. */
  readonly delayMs: readonly [number, number] | 'published'
  /** Published delays times this. Default: 1. */
  readonly stretch?: number
  readonly jitterMs: number
  readonly lossPerMille: number
  /** What a home sends and receives at most, bits a second each; 0: any number. */
  readonly homeRate: number
}

export interface Place {
  readonly namespace: string
  readonly ipv4?: string
  readonly ipv6?: string
  /** Of a home; `ipv4` is then its address outside. */
  readonly home?: Home
}

/** Each of the first twenty in its own /16, the next in the same ones. */
export const publicIPv4 = (index: number): string => `45.${40 + (index % REGIONS)}.${7 + Math.floor(index / REGIONS)}.2`
export const publicIPv6 = (index: number): string => `2a${(16 + (index % REGIONS)).toString(16)}:${index + 1}:7::2`
export const homeIPv4 = (index: number): string => `46.${40 + index}.7.2`
export const homeIPv6 = (index: number): string => `2a${(64 + index).toString(16)}:7::2`
const AT_HOME = '192.168.1.2'

export function planOf(places: readonly Place[], weather: Weather): string[] {
  const { delayMs, stretch = 1 } = weather
  const trips = places.flatMap((_, one) =>
    places.slice(0, one).map((_, other) => `trip ${one} ${other} ${stretch * publishedTripMs(one, other)}`)
  )
  return [
    `seed ${weather.seed}`,
    `jitter ${weather.jitterMs}`,
    `loss ${weather.lossPerMille}`,
    ...(delayMs === 'published' ? trips : [`delay ${delayMs.join(' ')}`]),
    ...places.map(
      (place, at) =>
        `place ${place.namespace} ${place.home === undefined ? publicly(place) : athome(place, place.home, at, weather)}`
    )
  ]
}

const publicly = ({ ipv4, ipv6 }: Place): string => [ipv4, ipv6].filter((each) => each !== undefined).join(' ')

function athome({ ipv4, ipv6 }: Place, { nats, router, mtu }: Home, at: number, { homeRate }: Weather): string {
  const outside = (nat: number): string => (nat === nats.length - 1 ? ipv4! : `100.64.${at}.2`)
  return [
    AT_HOME,
    ...(ipv6 === undefined ? [] : [ipv6, 'firewall']),
    `up ${homeRate} down ${homeRate}`,
    ...(mtu === undefined ? [] : [`mtu ${mtu}`]),
    ...(router === 'maps' ? ['pmp'] : []),
    ...nats.map((kind, nat) => `nat ${kind} ${outside(nat)}`),
    ...(router === 'forwards' ? ['forward 7469'] : [])
  ].join(' ')
}

/** Once the emulator has made its device. */
export function connect({ namespace, ipv4, ipv6, home }: Place): void {
  const ip = (...args: string[]): unknown => execFileSync('ip', ['-n', namespace, ...args])
  if (ipv4 !== undefined) ip('addr', 'add', home === undefined ? `${ipv4}/32` : `${AT_HOME}/24`, 'dev', 'wan')
  if (ipv6 !== undefined) ip('addr', 'add', `${ipv6}/128`, 'dev', 'wan', 'nodad')
  ip('link', 'set', 'wan', 'up')
  if (ipv4 !== undefined)
    ip('route', 'add', 'default', ...(home === undefined ? [] : ['via', '192.168.1.1']), 'dev', 'wan')
  if (ipv6 !== undefined) ip('-6', 'route', 'add', 'default', 'dev', 'wan')
}
