/** What the HTTP interface is given by the daemon. It imports neither network nor store. */
import type { Registry as MetricsRegistry } from 'prom-client'
import type { Logger } from 'pino'
import type { Registry } from '../registry/use-cases.ts'
import type { BackupView } from '../views/backup.ts'
import type { DnsView } from '../views/dns.ts'
import type { TaskManager } from '../registry/tasks.ts'
import type { ProofStatement } from './daemon-proof.ts'
import type { ConfigFieldView, DaemonEvent, ReadinessCheck, TokenScope, TokenView } from './schemas/daemon.ts'

export type { ConfigFieldView, DaemonEvent, ReadinessCheck, TokenScope, TokenView }

/** Access tokens; only hashes of the narrower ones are stored. Compared in constant time. */
export interface TokenService {
  /** The scopes of a token, or undefined when it is not one of ours. */
  verify(token: string): readonly TokenScope[] | undefined
  create(scopes: readonly TokenScope[], label?: string): TokenView & { token: string }
  list(): TokenView[]
  /** False when unknown. */
  revoke(id: string): boolean
  /** Replaces the main token in its file; the old one stops working at once. */
  rotate(): string
  /** What only a holder of the main token can make: src/api/daemon-proof.ts. */
  prove(statement: ProofStatement): string
}

/** Configuration at run time. `change` validates all before it applies any: SVC-CFG-001, SVC-CFG-002. */
export interface ConfigService {
  view(): Record<string, unknown>
  fields(): ConfigFieldView[]
  /**
   * Takes back what was set at run time, by this run or an earlier one; nothing happens to a field that was not.
   * SVC-CFG-001 for an unknown field.
   */
  unset(field: string): Promise<Record<string, unknown>>
  change(patch: unknown): Promise<Record<string, unknown>>
}

export interface EventLog {
  /** Kept events after `lastEventId`, then new ones. A slow reader loses the oldest. */
  stream(lastEventId: number | undefined, signal: AbortSignal): AsyncIterable<DaemonEvent>
}

/** Durable answers to requests with an Idempotency-Key, kept 24 h. */
export interface IdempotencyService {
  /** `conflict`: same key, other body. */
  find(
    key: string,
    bodyHash: string
  ): { status: 'new' } | { status: 'conflict' } | { status: 'replay'; response: unknown }
  remember(key: string, bodyHash: string, response: unknown): void
}

export interface WaitingSignature {
  what: 'register' | 'renew' | 'adopt'
  /** A name or a DID. */
  name: string
  task_id: string | null
}

export interface SeedView {
  state: 'unlocked' | 'locked'
  /** Under a passphrase on the disk. */
  sealed: boolean
  /** The words were checked, or a backup was made. */
  kept_elsewhere: boolean
  waiting: WaitingSignature[]
}

/** The owner's seed, as far as the interface may touch it: it never shows it. */
export interface SeedService {
  view(): SeedView
  /**
   * Nothing happens where it is unlocked. SVC-KEY-007 (wrong), SVC-KEY-002 (not this directory's), SVC-KEY-003,
   * SVC-REQ-005 (too often).
   * @param passphrase UTF-8; for the caller to overwrite
   */
  unlock(passphrase: Uint8Array): Promise<SeedView>
  /** Overwrites it, with the keys that come from it. SVC-KEY-009 where it has no passphrase. */
  lock(): SeedView
}

/** The DNS server, as far as the interface shows and asks it. SVC-DNS-001 where it does not run. */
export interface DnsResolver {
  view(): DnsView
  /** Forgets what is known of a name, or of all; how many were known. SVC-NAM-001. */
  flush(name?: string): number
  /**
   * A DNS message in, one out, with the seconds that an HTTP cache may keep it. `client`: the IP address that limits
   * count. SVC-REQ-001 for what is no query.
   */
  query(message: Uint8Array, client: string): Promise<{ message: Uint8Array; maxAge: number }>
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
