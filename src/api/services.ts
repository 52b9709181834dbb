/** What the HTTP interface is given by the daemon. It imports neither network nor store. */
import type { Registry as MetricsRegistry } from 'prom-client'
import type { Logger } from 'pino'
import type { Registry } from '../registry/use-cases.ts'
import type { BackupView } from '../views/backup.ts'
import type { FarmView } from '../views/farm.ts'
import type { DnsView, KeyedHostView } from '../views/dns.ts'
import type { TaskManager } from '../registry/tasks.ts'
import type { ConfigService } from '../config/service.ts'
import type { ReadinessCheck } from '../views/readiness.ts'
import type { IdempotencyService } from './access/idempotency.ts'
import type { TokenService } from './access/tokens.ts'
import type { EventLog } from './event-log.ts'
import type { SeedBody } from './schemas/daemon.ts'

/** The owner's seed, as far as the interface may touch it: it never shows it. */
export interface SeedService {
  view(): SeedBody
  /**
   * Nothing happens where it is unlocked. SVC-KEY-007 (wrong), SVC-KEY-002 (not this directory's), SVC-KEY-003,
   * SVC-REQ-005 (too often).
   * @param passphrase UTF-8; for the caller to overwrite
   */
  unlock(passphrase: Uint8Array): Promise<SeedBody>
  /** Overwrites it, with the keys that come from it. SVC-KEY-009 where it has no passphrase. */
  lock(): SeedBody
}

/** The DNS server, as far as the interface shows and asks it. SVC-DNS-001 where it does not run, or not for who asks. */
export interface DnsResolver {
  view(): DnsView
  /** Forgets what is known of a name, or of all; how many were known. SVC-NAM-001. */
  flush(name?: string): number
  keyedHosts(): KeyedHostView[]
  /** Takes a host for one that had no key; whether it had one. */
  forgetKeyed(host: string): boolean
  /**
   * A DNS message in, one out, with the seconds that an HTTP cache may keep it. `client`: the IP address that limits
   * count. `isHere`: a program of this machine asks. SVC-REQ-001 for what is not a query.
   */
  query(message: Uint8Array, client: string, isHere: boolean): Promise<{ message: Uint8Array; maxAge: number }>
}

export interface ApiServices {
  version: string
  /** Random for each start: tells this daemon from one that has the same token. */
  instance: string
  registry: Registry
  tasks: TaskManager
  tokens: TokenService
  config: ConfigService
  seed: SeedService
  dns: DnsResolver
  farm: () => FarmView
  /** The backup that the daemon keeps up to date. */
  backup(): BackupView
  events: EventLog
  idempotency: IdempotencyService
  metrics: MetricsRegistry
  log: Logger
  /** What /readyz reports: peers, beacon, store. */
  readiness(): ReadinessCheck[]
  /** Host guard and CORS. */
  allowedHosts(): readonly string[]
  allowedOrigins(): readonly string[]
  now(): number
}
