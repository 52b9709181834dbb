/** An app over in-memory parts, and requests to it. */
import { pino } from 'pino'
import { Registry as MetricsRegistry } from 'prom-client'
import { createApp, type AppOptions } from '../../../src/api/app.ts'
import { createEventLog } from '../../../src/api/event-log.ts'
import { createIdempotency } from '../../../src/api/access/idempotency.ts'
import { createTokenService, type KeyValue } from '../../../src/api/access/tokens.ts'
import type { SeedBody } from '../../../src/api/schemas/daemon.ts'
import type { ApiServices, DnsResolver } from '../../../src/api/services.ts'
import type { ConfigService } from '../../../src/config/service.ts'
import type { ReadinessCheck } from '../../../src/views/readiness.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { BackupView } from '../../../src/views/backup.ts'
import { NO_FARM } from '../../../src/views/farm.ts'
import type { DnsView, KeyedHostView } from '../../../src/views/dns.ts'
import { MemoryRegistry } from './registry.ts'
import { MemoryTasks } from './tasks.ts'

export const INSTANCE = '6f1d2b7c-8e90-4f0e-9a53-3f1c9a520d0e'
/** The socket that every request comes on. */
const BINDINGS: object = {
  incoming: {
    socket: {
      remoteAddress: '::ffff:127.0.0.1',
      localAddress: '::ffff:127.0.0.1',
      localPort: 7468,
      setTimeout: () => undefined
    }
  }
}

/** What the seed of the test world opens to. */
export const SEED_PASSPHRASE = 'correct horse battery'
export const MAIN_TOKEN = 'main-token-of-the-test-world-0123456789abcde'

export class MemoryStore implements KeyValue {
  readonly values = new Map<string, Uint8Array>()
  failure: Error | undefined

  get(key: string): Uint8Array | undefined {
    return this.values.get(key)
  }

  list(prefix: string): [string, Uint8Array][] {
    return [...this.values].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
  }

  put(key: string, value: Uint8Array): void {
    if (this.failure !== undefined) throw this.failure
    this.values.set(key, value)
  }

  setAside(key: string): void {
    this.values.delete(key)
  }

  delete(key: string): void {
    if (this.failure !== undefined) throw this.failure
    this.values.delete(key)
  }
}

/** A service that a test can have fail. */
class Failing {
  failure: Error | undefined

  protected called(): void {
    if (this.failure !== undefined) throw this.failure
  }
}

class MemoryConfig extends Failing implements ConfigService {
  #fields: Record<string, unknown> = { mode: 'full', data_dir: '/var/lib/chronym', network: 'local' }

  view(): Record<string, unknown> {
    return this.#fields
  }

  fields() {
    return Object.entries(this.#fields).map(([field, value]) => ({
      field,
      value,
      source: 'default' as const,
      changeable: field === 'mode',
      help: 'a field',
      kind: 'string' as const,
      choices: null,
      flag: `--${field}`,
      environment: `CHRONYM_${field.toUpperCase()}`
    }))
  }

  async unset(field: string): Promise<Record<string, unknown>> {
    this.called()
    if (!(field in this.#fields)) throw new ServiceError('SVC-CFG-001', `There is no field ${field}.`)
    return this.#fields
  }

  async change(patch: unknown): Promise<Record<string, unknown>> {
    this.called()
    for (const field of Object.keys(patch as object)) {
      if (field === 'data_dir') throw new ServiceError('SVC-CFG-002', 'data_dir cannot change while the daemon runs.')
      if (!(field in this.#fields))
        throw new ServiceError('SVC-CFG-001', `There is no field ${field}.`, {
          errors: [{ path: field, message: 'unknown field' }]
        })
    }
    this.#fields = { ...this.#fields, ...(patch as object) }
    return this.#fields
  }
}

/** Of the DNS server: an answer that says nothing but the id of the query. */
class MemoryDns extends Failing implements DnsResolver {
  readonly queries: { readonly message: Uint8Array; readonly client: string; readonly isHere: boolean }[] = []
  readonly flushed: (string | undefined)[] = []
  https: DnsView['https'] = null

  view(): DnsView {
    return {
      enabled: true,
      zone: 'chronym.',
      listen: [{ transport: 'udp', address: '127.0.0.1', port: 7453 }],
      forwarding: false,
      https: this.https,
      anchor: { ds: 'chronym. IN DS 1 13 2 AB', dnskey: 'chronym. IN DNSKEY 257 3 13 AA==', key_tag: 1, algorithm: 13 },
      stats: { names: 1, cache_bytes: 400, queries: { udp: 2 }, answers: {}, cache: {}, waiting: 0, connections: 0 }
    }
  }

  flush(name?: string): number {
    this.called()
    this.flushed.push(name)
    return 1
  }

  keyedHosts(): KeyedHostView[] {
    this.called()
    return [{ host: 'www.alice.chronym', none_since: null }]
  }

  forgetKeyed(host: string): boolean {
    this.called()
    return host === 'www.alice.chronym'
  }

  async query(message: Uint8Array, client: string, isHere: boolean): Promise<{ message: Uint8Array; maxAge: number }> {
    this.called()
    this.queries.push({ message, client, isHere })
    return Promise.resolve({ message: message.subarray(0, 2), maxAge: 42 })
  }
}

export interface RequestOptions {
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  readonly headers?: Record<string, string>
}

export type World = ReturnType<typeof createWorld>

export function createWorld(options: AppOptions = {}) {
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') }
  const store = new MemoryStore()
  const tasks = new MemoryTasks()
  const registry = new MemoryRegistry(tasks)
  const config = new MemoryConfig()
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) }
  )
  let mainToken = MAIN_TOKEN
  const writeMainToken = (token: string) => {
    if (store.failure !== undefined) throw store.failure
    mainToken = token
  }
  const state = {
    checks: [{ name: 'peers', ok: true, detail: '4 peers' }] as ReadinessCheck[],
    allowedHosts: [] as string[],
    allowedOrigins: [] as string[],
    seed: { state: 'unlocked', sealed: true, kept_elsewhere: false, waiting: [] } as SeedBody,
    seedFailure: undefined as Error | undefined,
    backup: { kept: null, missing: [] } as BackupView
  }
  const dns = new MemoryDns()
  const events = createEventLog({ capacity: 100, now: () => clock.now })
  const services: ApiServices = {
    version: '1.2.3',
    instance: INSTANCE,
    registry,
    tasks,
    tokens: createTokenService({
      store,
      prefix: 'token/',
      readMainToken: () => mainToken,
      writeMainToken,
      now: () => clock.now
    }),
    config,
    seed: {
      view: () => state.seed,
      unlock: async (passphrase) => {
        if (state.seedFailure !== undefined) throw state.seedFailure
        if (String(Buffer.from(passphrase)) !== SEED_PASSPHRASE)
          throw new ServiceError('SVC-KEY-007', 'The passphrase does not open it.')
        state.seed = { ...state.seed, state: 'unlocked', waiting: [] }
        return Promise.resolve(state.seed)
      },
      lock: () => {
        if (state.seedFailure !== undefined) throw state.seedFailure
        state.seed = {
          ...state.seed,
          state: 'locked',
          waiting: [{ what: 'renew', name: 'alice.chronym', task_id: 't-1' }]
        }
        return state.seed
      }
    },
    dns,
    farm: () => NO_FARM,
    backup: () => state.backup,
    events,
    idempotency: createIdempotency({ store, prefix: 'idempotency/', now: () => clock.now }),
    metrics: new MetricsRegistry(),
    log,
    readiness: () => state.checks,
    allowedHosts: () => state.allowedHosts,
    allowedOrigins: () => state.allowedOrigins,
    now: () => clock.now
  }
  const app = createApp(services, options)

  const request = (
    method: string,
    path: string,
    { token, body, raw, headers }: RequestOptions = {}
  ): Promise<Response> => {
    const given = new Headers(headers)
    if (token !== undefined) given.set('Authorization', `Bearer ${token}`)
    if (body !== undefined && !given.has('Content-Type')) given.set('Content-Type', 'application/json')
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const init = { method, headers: given, ...(content !== undefined && { body: content, duplex: 'half' as const }) }
    return Promise.resolve(app.request(path, init, BINDINGS))
  }
  return {
    app,
    services,
    registry,
    tasks,
    config,
    store,
    dns,
    events,
    clock,
    logged,
    state,
    request,
    mainToken: () => mainToken
  }
}
