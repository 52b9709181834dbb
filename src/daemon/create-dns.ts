/** The DNS server of the daemon: made before the interface that shows it, started after the registry that it asks. */
import { unwatchFile, watchFile, type Stats } from 'node:fs'
import { serveDoh, type DohServices } from '../api/doh.ts'
import type { DnsResolver } from '../api/services.ts'
import type { DnsSettings } from '../config/dns.ts'
import { ServiceError } from '../errors.ts'
import { socketAddressText } from '../config/socket-address.ts'
import { readOrMakeDnsKey } from '../data-directory/key-files.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { readCertificate, startListening } from '../dns/listen.ts'
import { createDnsService, disabledDns, type DnsService } from '../dns/service.ts'
import type { Logger } from '../log.ts'
import { startDnsServer } from '../native/addon.ts'
import { mayTakeZone } from '../protocol/profile/built-in.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Registry } from '../registry/use-cases.ts'
import { dnsText } from './readiness.ts'
import { keepKeyedHost, readKeyedHosts } from './keyed-hosts.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Store } from '../store/types.ts'
import { openAuthority, readAuthorityCertificate } from '../data-directory/https-authority.ts'
import type { SeedHolder } from '../registry/seed-holder.ts'
import { messageOf } from '../protocol/errors.ts'

interface DnsParts {
  /** Undefined where `dns.enabled` is false. */
  readonly settings: DnsSettings | undefined
  readonly profile: NetworkProfile
  readonly registry: Registry
  readonly seed: SeedHolder
  readonly store: Store
  readonly paths: DataPaths
  /** Milliseconds since the epoch: the zone's serial is made of it. */
  readonly now: () => number
  readonly log: Logger
}

interface DaemonDns {
  readonly resolver: DnsResolver
  /** The proxy for https from now on; undefined: none. Throws SVC-DNS-001, SVC-CFG-001 where it cannot listen. */
  setProxy(proxy: DnsSettings['proxy']): void
  /** Throws SVC-DNS-002. */
  start(services: DohServices, life: Lifecycle): Promise<void>
}

/** Throws SVC-DNS-003 (certificate) and SVC-DNS-004 (key). */
export function createDns({ settings, profile, registry, seed, store, paths, now, log }: DnsParts): DaemonDns {
  if (settings === undefined) {
    const setProxy = (proxy: DnsSettings['proxy']): void => {
      if (proxy !== undefined) throw new ServiceError('SVC-DNS-001', 'https needs the DNS server, which does not run.')
    }
    return { resolver: disabledDns(profile), setProxy, start: () => Promise.resolve() }
  }
  const tls = settings.certificate === undefined ? null : readCertificate(settings.certificate)
  const { key, isNew } = readOrMakeDnsKey(paths.dnsKey)
  if (isNew) log.info({ file: paths.dnsKey }, 'made the key of the DNS zone on this machine')
  const service: DnsService = createDnsService({
    registry,
    profile,
    isForwarding: settings.forward.length > 0,
    startServer(onQuestion) {
      const { server, remark } = startListening(settings, (listen) =>
        startDnsServer(
          {
            tld: profile.tld,
            key,
            serial: Math.floor(now() / 1000) >>> 0,
            listen,
            tls,
            forward: settings.forward.map(socketAddressText),
            isPublic: settings.isPublic,
            cacheBytes: settings.cacheBytes
          },
          onQuestion
        )
      )
      if (remark !== undefined)
        log.info({ dns: dnsText(server.addresses()), reason: remark }, 'DNS answers on another address than usual')
      return server
    },
    keyed: { list: () => readKeyedHosts(store), forget: (host) => keepKeyedHost(store, host, undefined) },
    nowMs: () => performance.now(),
    log
  })
  const https = new Https(service, { tld: profile.tld, seed, store, paths, log })
  return {
    resolver: service,
    setProxy(proxy) {
      const foreign = proxy === undefined ? undefined : foreignZone(profile.tld, paths)
      if (foreign !== undefined) {
        const errors = [{ path: 'https.enabled', message: foreign }]
        throw new ServiceError('SVC-CFG-001', `nothing was changed: ${foreign}`, { errors })
      }
      try {
        https.set(proxy)
      } catch (error) {
        const message = messageOf(error)
        const errors = [{ path: 'https.listen', message }]
        throw new ServiceError('SVC-CFG-001', `nothing was changed: ${message}`, { cause: error, errors })
      }
    },
    async start(services, life) {
      service.start()
      life.onStop('dns', () => service.stop())
      const foreign = settings.proxy === undefined ? undefined : foreignZone(profile.tld, paths)
      if (foreign === undefined) https.set(settings.proxy)
      else log.warn(`https stays off: ${foreign}; then restart the daemon`)
      life.onStop('https', () => https.stop())
      if (settings.isPublic && settings.forward.length > 0)
        log.warn(
          { forward: settings.forward.map(socketAddressText) },
          'DNS answers for all names beyond this machine: restrict who reaches it, or leave dns.forward empty'
        )
      if (tls === null) return
      for (const { address: host, port } of settings.httpsListen) {
        const { isPublic } = settings
        const doh = await serveDoh(services, { host, port }, { ...tls, isPublic })
        life.onStop('dns over https', () => doh.close())
        service.announce([{ transport: 'https', address: doh.address, port: doh.port }])
      }
    }
  }
}

/**
 * Why there is no https for a zone; undefined where there may be. The authority that `https setup` made for it says that
 * the user named it.
 */
function foreignZone(tld: string, paths: DataPaths): string | undefined {
  if (mayTakeZone(tld, undefined)) return undefined
  try {
    if (readAuthorityCertificate(paths)?.suffix === tld) return undefined
  } catch {
    // What cannot be read or is no authority says nothing of the user.
  }
  return `no built-in network has the zone ${tld}. If it is your own network's, run \`chronym https setup --zone ${tld}\` first`
}

/** How often it is seen that `chronym https setup` made the authority, or took it back. */
const LOOK_MS = 2_000

interface HttpsParts extends Pick<DnsParts, 'seed' | 'store' | 'paths' | 'log'> {
  readonly tld: string
}

/** The proxy for https, and the key of this machine's authority, which is open while the seed is. */
class Https {
  readonly #service: DnsService
  readonly #parts: HttpsParts
  readonly #ends: readonly (() => void)[]
  /** Undefined: off. */
  #settings: DnsSettings['proxy']

  constructor(service: DnsService, parts: HttpsParts) {
    this.#service = service
    this.#parts = parts
    const changed = (): void => {
      if (this.#settings !== undefined) this.#mint()
    }
    this.#ends = [parts.seed.onUnlock(changed), parts.seed.onLock(changed)]
  }

  /** Throws SVC-DNS-001, SVC-DNS-002; then the former settings hold, where they still can. */
  set(settings: DnsSettings['proxy']): void {
    const former = this.#settings
    try {
      this.#apply(settings)
    } catch (error) {
      try {
        this.#apply(former)
      } catch {
        // Another program has its port now: there is no proxy.
      }
      throw error
    }
  }

  #apply(settings: DnsSettings['proxy']): void {
    const { store, paths } = this.#parts
    this.#off()
    if (settings === undefined) return
    this.#service.setProxy({
      ...settings,
      keyed: readKeyedHosts(store),
      onKeyed: (host, noneSince) => keepKeyedHost(store, host, noneSince)
    })
    this.#settings = settings
    this.#mint()
    watchFile(paths.httpsCertificate, { interval: LOOK_MS, persistent: false }, this.#look)
  }

  stop(): void {
    unwatchFile(this.#parts.paths.httpsCertificate, this.#look)
    for (const end of this.#ends) end()
  }

  #off(): void {
    unwatchFile(this.#parts.paths.httpsCertificate, this.#look)
    if (this.#settings === undefined) return
    this.#settings = undefined
    this.#service.mint(undefined)
    this.#service.setProxy(undefined)
  }

  readonly #look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) this.#mint()
  }

  #mint(): void {
    const { tld, seed, paths, log } = this.#parts
    try {
      const authority = !seed.isLocked ? openAuthority(paths, seed.require(), tld) : undefined
      this.#service.mint(authority)
      // The addon has a copy of its own.
      authority?.key.fill(0)
      if (authority === undefined && !seed.isLocked)
        log.warn('https is on, and this machine has no authority yet: `chronym https setup` makes one')
    } catch (error) {
      this.#service.mint(undefined)
      log.warn(`https stays off: ${messageOf(error)}; \`chronym https setup --undo\`, then set it up again`)
    }
  }
}
