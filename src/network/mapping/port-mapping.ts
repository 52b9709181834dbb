/**
 * Has a home's router let peers in: by NAT-PMP, else by UPnP. The mapping is renewed, follows a change of networks, and is
 * removed at the end. Where it leads, peers have to confirm (own-addresses.ts) before it is announced.
 */
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { specialRange } from '../transport/addresses.ts'
import { natPmp } from './nat-pmp.ts'
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
  readonly wayOut?: () => Promise<Way | undefined>
}

interface Held {
  readonly router: Router
  readonly way: Way
  readonly port: number
  readonly mapped: Mapped
}

export function keepPortMapped({ timers, log, port, wayOut = findWayOut }: PortMappingOptions): PortMapping {
  let held: Held | undefined
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
    // A router that is gone has nothing to remove.
    await former?.router.unmap(former.port).catch((error: unknown) => log.debug({ err: error }, 'unmapping failed'))
  }
  const ask = async (way: Way, wanted: number): Promise<void> => {
    try {
      const isFirst = held === undefined
      held = await renewed(held).catch(() => firstMapped(way, wanted))
      if (isFirst) log.info(held.mapped, 'the router maps a port for peers; p2p.map_port = false turns this off')
      fault = isPublic(held.mapped)
        ? undefined
        : `The router maps the port, but is behind another one: its own address, ${held.mapped.ip}, is not public.`
      refused = undefined
      pause = PAUSES.first
      dueAt = looks + RENEW_LOOKS
    } catch (error) {
      held = undefined
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
    else if (looks >= dueAt || (held === undefined && refused !== textOf(way))) await ask(way, wanted)
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
      held !== undefined && isPublic(held.mapped)
        ? multiaddr(`/ip4/${held.mapped.ip}/tcp/${held.mapped.port}`)
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

async function firstMapped(way: Way, port: number): Promise<Held> {
  const by = async (router: Router): Promise<Held> => ({ router, way, port, mapped: await router.map(port) })
  const attempts = [
    ...(way.gateway === undefined ? [] : [() => by(natPmp(way.gateway!))]),
    async () => by(await findUpnp(way.own))
  ]
  const reasons: string[] = []
  for (const attempt of attempts) {
    try {
      return await attempt()
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  throw new Error(reasons.join('; '))
}

function isPublic({ ip, port }: Mapped): boolean {
  return isIPv4(ip) && port > 0 && specialRange(ip) === undefined
}

const textOf = ({ own, gateway }: Way): string => `${own} ${gateway ?? ''}`

/** By IPv4, and only from a private address: with a public one no router is in between. Sends nothing. */
async function findWayOut(): Promise<Way | undefined> {
  const own = await sourceTowards('192.0.2.1')
  if (own === undefined || specialRange(own) === undefined || specialRange(own) === 'loopback') return undefined
  return { own, gateway: await gatewayOfLinux() }
}

function sourceTowards(destination: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.on('error', () => resolve(undefined))
    socket.connect(9, destination, () => {
      resolve(socket.address().address)
      socket.close()
    })
  })
}

/** Elsewhere a router is found by UPnP alone. By `self`, since the systemd unit shows nothing else of /proc. */
async function gatewayOfLinux(): Promise<string | undefined> {
  const routes = await readFile('/proc/self/net/route', 'latin1').catch(() => '')
  const [, , gateway] =
    routes
      .split('\n')
      .map((line) => line.split('\t'))
      .find((fields) => fields[1] === '00000000') ?? []
  if (gateway === undefined || gateway === '00000000') return undefined
  return Buffer.from(gateway, 'hex').reverse().join('.')
}
