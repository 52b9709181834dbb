/**
 * Has a home's router let peers in: to an IPv4 address of its own by NAT-PMP, else by UPnP, and to an IPv6 address of this
 * machine by PCP. What it lets in is renewed, follows a change of networks, and is removed at the end. Peers have to
 * confirm the address (own-addresses.ts) before it is announced.
 */
import { createSocket } from 'node:dgram'
import { isIP, isIPv6 } from 'node:net'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { specialRange } from '../transport/addresses.ts'
import { gatewayByIPv4, gatewayByIPv6 } from './gateway.ts'
import { natPmp, pcp } from './port-control.ts'
import type { Mapped, Router, Way } from './router.ts'
import { findUpnp } from './upnp.ts'

/** The way out is looked at this often. A mapping is renewed each minute: the router may have another address by then. */
const LOOK_MS = 15_000
const RENEW_LOOKS = 4

/** After a failure, in looks: a minute, and more each time, since most routers without it never learn it. */
const PAUSES = { first: 4, most: 120 }

export interface PortMapping {
  /** Public, and mapped to the port that this node listens on. */
  address(): Multiaddr | undefined
  /** What keeps the router from helping, in a sentence; undefined while it helps, or was not asked. */
  fault(): string | undefined
  /** Resolves once the router has let go. */
  close(): Promise<void>
}

interface PortMappingOptions {
  readonly timers: Pick<Clock, 'every'>
  readonly log: Logger
  /** The TCP port to map; undefined while none needs to be. */
  readonly port: () => number | undefined
  readonly family: Family
  readonly wayOut?: () => Promise<Way | undefined>
}

/** How peers are let in by an IP version. */
interface Family {
  /** Undefined where no router is in between, or none is known. Sends nothing. */
  readonly wayOut: () => Promise<Way | undefined>
  readonly routers: (way: Way) => readonly (() => Router | Promise<Router>)[]
}

export const BY_IPV4: Family = {
  async wayOut() {
    const own = await sourceTowards('192.0.2.1', 'udp4')
    const range = own === undefined ? undefined : specialRange(own)
    // With a public address no router is in between.
    if (own === undefined || range === undefined || range === 'loopback') return undefined
    const gateway = await gatewayByIPv4()
    return gateway === undefined ? undefined : { own, gateway }
  },
  routers: (way) => [() => natPmp(way.gateway), () => findUpnp(way)]
}

export const BY_IPV6: Family = {
  async wayOut() {
    const own = await sourceTowards('2001:db8::1', 'udp6')
    const gateway = await gatewayByIPv6()
    return own === undefined || gateway === undefined || specialRange(own) !== undefined ? undefined : { own, gateway }
  },
  routers: ({ own, gateway }) => [() => pcp(gateway, own)]
}

interface Held {
  readonly router: Router
  readonly way: Way
  readonly port: number
  readonly mapped: Mapped
}

export function keepPortMapped(options: PortMappingOptions): PortMapping {
  const { timers, log, port, family, wayOut = family.wayOut } = options
  /** After a failure too: the router may have it still, for the one that mapped it alone to renew and remove. */
  let held: Held | undefined
  let isLetIn = false
  let fault: string | undefined
  /** The way on which no router helped. */
  let refused: string | undefined
  let looks = 0
  let dueAt = 0
  let pause = PAUSES.first
  let work: Promise<void> | undefined

  const letGo = async (): Promise<void> => {
    const former = held
    held = undefined
    isLetIn = false
    // A router that is gone has nothing to remove.
    await former?.router.unmap(former.port).catch((error: unknown) => log.debug({ err: error }, 'unmapping failed'))
  }
  const ask = async (way: Way, wanted: number): Promise<void> => {
    try {
      held = await renewed(held).catch(() => firstMapped(family.routers(way), way, wanted))
      if (!isLetIn) log.info(held.mapped, 'the router lets peers in; p2p.map_port = false turns this off')
      isLetIn = true
      fault = isPublic(held.mapped)
        ? undefined
        : `The router maps the port, but is behind another one: its own address, ${held.mapped.ip}, is not public.`
      refused = undefined
      pause = PAUSES.first
      dueAt = looks + RENEW_LOOKS
    } catch (error) {
      isLetIn = false
      fault = `No router maps the port by itself, turn on UPnP or NAT-PMP there (${(error as Error).message}).`
      if (refused !== textOf(way)) pause = PAUSES.first
      refused = textOf(way)
      dueAt = looks + pause
      pause = Math.min(2 * pause, PAUSES.most)
    }
  }
  const look = async (): Promise<void> => {
    const wanted = port()
    const way = wanted === undefined ? undefined : await wayOut()
    const isOther =
      held !== undefined && (way === undefined || textOf(held.way) !== textOf(way) || held.port !== wanted)
    if (isOther) await letGo()
    if (way === undefined || wanted === undefined) fault = undefined
    else if (looks >= dueAt || (!isLetIn && refused !== textOf(way))) await ask(way, wanted)
  }
  const next = (): void => {
    work ??= look()
      .catch((error: unknown) => log.debug({ err: error }, 'looking for a router failed'))
      .finally(() => (work = undefined))
  }

  next()
  const end = timers.every(LOOK_MS, () => {
    looks++
    next()
  })
  return {
    address: () =>
      isLetIn && held !== undefined && isPublic(held.mapped)
        ? multiaddr(`/${isIPv6(held.mapped.ip) ? 'ip6' : 'ip4'}/${held.mapped.ip}/tcp/${held.mapped.port}`)
        : undefined,
    fault: () => fault,
    async close() {
      end()
      await work
      await letGo()
    }
  }
}

async function renewed(held: Held | undefined): Promise<Held> {
  if (held === undefined) throw new Error('nothing is mapped')
  return { ...held, mapped: await held.router.map(held.port) }
}

async function firstMapped(routers: ReturnType<Family['routers']>, way: Way, port: number): Promise<Held> {
  const reasons: string[] = []
  for (const find of routers) {
    try {
      const router = await find()
      return { router, way, port, mapped: await router.map(port) }
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  throw new Error(reasons.join('; '))
}

function isPublic({ ip, port }: Mapped): boolean {
  return isIP(ip) > 0 && port > 0 && specialRange(ip) === undefined
}

const textOf = ({ own, gateway }: Way): string => `${own} ${gateway}`

function sourceTowards(destination: string, type: 'udp4' | 'udp6'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(type)
    socket.on('error', () => resolve(undefined))
    socket.connect(9, destination, () => {
      resolve(socket.address().address)
      socket.close()
    })
  })
}
