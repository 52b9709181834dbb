/**
 * The app over a node of the registry's tests, and requests to it. Registry and tasks are the real ones. The network,
 * beacon and kernel below them are made up.
 * The node is not started: nothing happens by itself, tasks stay queued, and the clock stands until a test moves it.
 * Each call from the app passes `over`, which notes it, fails it (`failures`), or takes another answer (`answers`).
 * State is made as an owner makes it: `hold`, `own`, `adopt`, and the use cases of `node.registry`.
 * `scriptTask` has a test tell the course of a task, where the course alone matters.
 */
import { pino } from 'pino'
import { Registry as MetricsRegistry } from 'prom-client'
import { createApp, type AppOptions } from '../../../src/api/app.ts'
import { createEventLog } from '../../../src/api/event-log.ts'
import { createIdempotency } from '../../../src/api/access/idempotency.ts'
import { createTokenService } from '../../../src/api/access/tokens.ts'
import type { SeedBody } from '../../../src/api/schemas/daemon.ts'
import type { ApiServices, DnsResolver } from '../../../src/api/services.ts'
import type { ConfigService } from '../../../src/config/service.ts'
import type { ReadinessCheck } from '../../../src/views/readiness.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { BackupView } from '../../../src/views/backup.ts'
import { NO_FARM } from '../../../src/views/farm.ts'
import type { DnsView, KeyedHostView } from '../../../src/views/dns.ts'
import { TaskEventLog } from '../../../src/registry/claims/event-log.ts'
import type { ClaimTasks, TaskEvent } from '../../../src/registry/tasks.ts'
import type { Registry } from '../../../src/registry/use-cases.ts'
import type { TaskView } from '../../../src/views/task.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { NOW_MS, ownReveal } from './records.ts'
import { FakeWorld } from '../../registry/fake-world.ts'
import { createNode } from '../../registry/test-node.ts'
import { ManualClock } from '../../time/manual-clock.ts'
import { temporary } from '../../temporary.ts'
import { taskView } from '../../views/task.ts'

/** Tasks that do not run leave nothing there. */
const DATA_DIR = temporary()

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

type UseCases = Registry & ClaimTasks
export type Operation = keyof UseCases

/** Hands calls on to what is real, unless a test says otherwise. */
class Calls {
  readonly calls: { operation: Operation; arguments: unknown[] }[] = []
  readonly failures = new Map<Operation, Error>()
  readonly answers: Partial<UseCases> = {}

  over<T extends Registry | ClaimTasks>(real: T): T {
    return new Proxy(real, {
      get: (target, property) => {
        const operation = property as Operation
        const member = this.answers[operation] ?? (target as Partial<UseCases>)[operation]
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          this.calls.push({ operation, arguments: args })
          const failure = this.failures.get(operation)
          if (failure !== undefined) throw failure
          return (member as (...args: unknown[]) => unknown).apply(target, args)
        }
      }
    })
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
  const clock = new ManualClock(NOW_MS)
  const now = (): number => clock.now()
  const network = new FakeWorld(clock, 5)
  const node = createNode({ world: network, clock, dataDir: DATA_DIR, self: 'peer-0' })
  const { store } = node
  const calls = new Calls()
  const [registry, tasks] = [calls.over(node.registry), calls.over(node.tasks)]
  let openStreams = 0
  async function* counting(events: AsyncIterable<TaskEvent>): AsyncGenerator<TaskEvent, void> {
    openStreams++
    try {
      yield* events
    } finally {
      openStreams--
    }
  }
  const counted = (events?: AsyncIterable<TaskEvent>) => events && counting(events)
  calls.answers.events = (...args) => counted(node.tasks.events(...args))
  const config = new MemoryConfig()
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) }
  )
  let mainToken = MAIN_TOKEN
  const writeMainToken = (token: string) => {
    store.onWrite([])
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
  const events = createEventLog({ capacity: 100, now })
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
      now
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
    idempotency: createIdempotency({ store, prefix: 'idempotency/', now }),
    metrics: new MetricsRegistry(),
    log,
    readiness: () => state.checks,
    allowedHosts: () => state.allowedHosts,
    allowedOrigins: () => state.allowedOrigins,
    now
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
  /** Every peer holds it. */
  const hold = (reveal: Reveal): void => {
    for (const { reveals } of network.peers) reveals.set(reveal.name, { state: 'settled', reveal })
  }
  return {
    calls: calls.calls,
    failures: calls.failures,
    answers: calls.answers,
    app,
    services,
    node,
    network,
    config,
    store,
    dns,
    events,
    clock,
    logged,
    state,
    request,
    hold,
    pass: (milliseconds: number) => clock.set(clock.now() + milliseconds),
    /** Has the daemon own a name, with a zone that is published. */
    async own(...terms: Parameters<typeof ownReveal>): Promise<void> {
      const reveal = ownReveal(...terms)
      hold(reveal)
      await node.registry.adopt(reveal.name)
    },
    /** Puts a task in place of all others; what it returns changes the task and reports that. */
    scriptTask(name = 'alice.chronym'): (type: TaskEvent['type'], change: Partial<TaskView>) => void {
      const log = new TaskEventLog()
      let task = taskView({ task_id: 'task-1', name, phase: 'queued', queue_position: 1, iterations: 1_000_000 })
      let id = 0
      calls.answers.register = () => Promise.resolve(task)
      calls.answers.get = (asked) => (asked === task.task_id ? task : undefined)
      calls.answers.list = () => [task]
      calls.answers.events = (asked, after = 0, signal) =>
        counted(asked === task.task_id ? log.read(after, signal) : undefined)
      return (type, change) => {
        task = { ...task, ...change }
        log.append({ id: ++id, type, task })
      }
    },
    /** Readers of the events of tasks. */
    openStreams: () => openStreams,
    mainToken: () => mainToken
  }
}
