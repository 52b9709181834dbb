/** The DNS server of the daemon: made before the interface that shows it, started after the registry that it asks. */
import { serveDoh, type DohServices } from '../api/doh.ts'
import type { DnsResolver } from '../api/services.ts'
import type { DnsSettings } from '../config/dns.ts'
import { socketAddressText } from '../config/socket-address.ts'
import { readOrMakeDnsKey } from '../data-directory/key-files.ts'
import type { DataPaths } from '../data-directory/paths.ts'
import { readCertificate, startListening } from '../dns/listen.ts'
import { createDnsService, disabledDns, type DnsService } from '../dns/service.ts'
import type { Logger } from '../log.ts'
import { startDnsServer } from '../native/addon.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Registry } from '../registry/use-cases.ts'
import { dnsText } from './readiness.ts'
import { keepKeyedHost, readKeyedHosts } from './keyed-hosts.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Store } from '../store/types.ts'
import { openAuthority } from '../data-directory/https-authority.ts'
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
  /** Throws SVC-DNS-002. */
  start(services: DohServices, life: Lifecycle): Promise<void>
}

/** Throws SVC-DNS-003 (certificate) and SVC-DNS-004 (key). */
export function createDns({ settings, profile, registry, seed, store, paths, now, log }: DnsParts): DaemonDns {
  if (settings === undefined) return { resolver: disabledDns(profile), start: () => Promise.resolve() }
  const tls = settings.certificate === undefined ? null : readCertificate(settings.certificate)
  const { key, isNew } = readOrMakeDnsKey(paths.dnsKey)
  if (isNew) log.info({ file: paths.dnsKey }, 'made the key of the DNS zone on this machine')
  const service: DnsService = createDnsService({
    registry,
    profile,
    policy: settings.policy,
    isForwarding: settings.forward.length > 0,
    proxyAddress: settings.proxy?.address,
    startServer(onQuestion) {
      const proxy = settings.proxy && {
        ...settings.proxy,
        keyed: readKeyedHosts(store),
        onKeyed: (host: string, noneSince: number | null | undefined) => keepKeyedHost(store, host, noneSince)
      }
      const { server, remark } = startListening(settings, (listen) =>
        startDnsServer(
          {
            tld: profile.tld,
            key,
            serial: Math.floor(now() / 1000) >>> 0,
            listen,
            tls,
            proxy: proxy ?? null,
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
    nowMs: () => performance.now(),
    log
  })
  return {
    resolver: service,
    async start(services, life) {
      service.start()
      life.onStop('dns', () => service.stop())
      if (settings.proxy !== undefined) life.onStop('https', mintWhileUnlocked(service, seed, paths, log))
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

/** The key of this machine's authority is open while the seed is. Returns the end of it. */
function mintWhileUnlocked(service: DnsService, seed: SeedHolder, paths: DataPaths, log: Logger): () => void {
  const open = (): void => {
    try {
      const authority = openAuthority(paths, seed.require())
      service.mint(authority)
      // The addon has a copy of its own.
      authority?.key.fill(0)
      if (authority === undefined)
        log.warn('https is on, and this machine has no authority yet: `chronym https setup` makes one')
    } catch (error) {
      log.warn(`https stays off: ${messageOf(error)}; \`chronym https setup --undo\`, then set it up again`)
    }
  }
  if (!seed.isLocked) open()
  const ends = [seed.onUnlock(open), seed.onLock(() => service.mint(undefined))]
  return () => {
    for (const end of ends) end()
  }
}
