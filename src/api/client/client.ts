/**
 * The typed client of the HTTP interface, as the command line uses it. It needs nothing of the daemon but its address
 * and a token.
 */
import { readEventStream } from './events.ts'
import type { CommittedBody, IdentityPublishedBody, StoredBody, ZonePublishedBody } from '../schemas/common.ts'
import type {
  ConfigBody,
  ConfigFieldView,
  CreateTokenRequest,
  DaemonEvent,
  HealthBody,
  NewTokenBody,
  ReadinessBody,
  RotatedTokenBody,
  TokenView
} from '../schemas/daemon.ts'
import type { IdentityLogBody, ResolvedIdentityBody } from '../schemas/identity.ts'
import type { DnsView } from '../../views/dns.ts'
import type { Explanation } from '../../views/explanation.ts'
import type { NetworkStatusView } from '../../views/network-status.ts'
import type { OwnedNameView } from '../../views/owned-name.ts'
import type { PinView } from '../../views/pin.ts'
import type { ProblemBody } from '../schemas/problem.ts'
import type { CommitRequest, PublishRequest, RevealBody } from '../schemas/reveal.ts'
import type { WantedView } from '../../views/wanted.ts'
import type { TaskStartedBody } from '../schemas/task.ts'
import type { Estimate } from '../../views/estimate.ts'
import type { TaskView } from '../../views/task.ts'
import type { ZoneBody, ZonePatchBody, ZoneSavedBody } from '../schemas/zone.ts'
import type { ZoneDraft } from '../../views/zone-draft.ts'
import type { SeedBody } from '../schemas/seed.ts'
import { NotReady, plainFetch, problemOf, ProblemError, UnreachableError, type Transport } from './transport.ts'

export type {
  CommitRequest,
  ConfigBody,
  ConfigFieldView,
  CreateTokenRequest,
  Estimate,
  DaemonEvent,
  DnsView,
  Explanation,
  HealthBody,
  IdentityLogBody,
  IdentityPublishedBody,
  NetworkStatusView,
  NewTokenBody,
  OwnedNameView,
  PinView,
  ProblemBody,
  PublishRequest,
  ReadinessBody,
  ResolvedIdentityBody,
  RevealBody,
  SeedBody,
  StoredBody,
  TaskView,
  TaskStartedBody,
  TokenView,
  WantedView,
  ZoneBody,
  ZoneDraft,
  ZonePatchBody,
  ZonePublishedBody,
  ZoneSavedBody
}
export { plainFetch, ProblemError, UnreachableError, type Transport }

export interface ClientOptions {
  /** `http://host:port` */
  readonly baseUrl: string
  readonly token?: string | undefined
  readonly fetch?: Transport | undefined
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
}

export interface StartOptions extends RequestOptions {
  readonly zone?: ZoneBody | undefined
  readonly idempotencyKey?: string | undefined
}

export interface TaskEventMessage {
  readonly id: number
  readonly type: 'progress' | 'phase' | 'completed' | 'failed'
  readonly task: TaskView
}

export interface ZoneAnswer {
  readonly zone: ZoneBody
  readonly source: 'local' | 'network'
  readonly state: 'draft' | 'published'
  readonly etag: string
}

export type Client = ReturnType<typeof createClient>

interface Call extends RequestOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string | undefined>
}

/** Every method rejects with ProblemError or UnreachableError. */
export function createClient({ baseUrl, token, fetch: transport = plainFetch }: ClientOptions) {
  const base = baseUrl.replace(/\/+$/, '')

  async function send(method: string, path: string, { body, headers, signal }: Call = {}): Promise<Response> {
    const given = new Headers()
    for (const [name, value] of Object.entries({
      ...headers,
      Authorization: token === undefined ? undefined : `Bearer ${token}`
    })) {
      if (value !== undefined) given.set(name, value)
    }
    const request: RequestInit & { body?: string } = { method, headers: given, signal: signal ?? null }
    if (body !== undefined) {
      request.body = JSON.stringify(body)
      given.set('Content-Type', 'application/json')
    }
    const response = await transport(`${base}${path}`, request)
    if (!response.ok && response.status !== 304) throw await problemOf(response, base)
    return response
  }

  async function json<T>(method: string, path: string, call?: Call): Promise<T> {
    const response = await send(method, path, call)
    try {
      // The daemon's tests hold every answer against the schema that T is made from.
      return (await response.json()) as T
    } catch (cause) {
      if (call?.signal?.aborted === true) throw cause
      throw new UnreachableError(`The daemon at ${base} broke its answer off.`, { cause })
    }
  }

  const segment = encodeURIComponent
  const start =
    (kind: 'register' | 'renew') =>
    (name: string, { zone, idempotencyKey, signal }: StartOptions = {}) =>
      json<TaskStartedBody>('POST', `/api/vdf/${kind}`, {
        body: { name, zone },
        headers: { 'Idempotency-Key': idempotencyKey },
        signal
      })

  const openStream = (path: string, lastEventId: string | undefined, signal?: AbortSignal) =>
    send('GET', path, { headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId }, signal })

  return {
    baseUrl: base,
    health: (options?: RequestOptions) => json<HealthBody>('GET', '/healthz', options),
    /** Does not reject while the daemon is not ready: `ready` says it. */
    readiness: async (options?: RequestOptions): Promise<ReadinessBody> => {
      try {
        return await json<ReadinessBody>('GET', '/readyz', options)
      } catch (error) {
        if (error instanceof NotReady) return error.body
        throw error
      }
    },
    networkStatus: (options?: RequestOptions) => json<NetworkStatusView>('GET', '/api/network-status', options),
    resolve: (name: string, options?: RequestOptions) =>
      json<RevealBody>('GET', `/api/resolve/${segment(name)}`, options),
    identityLog: (did: string, options?: RequestOptions) =>
      json<IdentityLogBody>('GET', `/api/resolve-kid/${segment(did)}/log`, options),
    resolveKid: (did: string, options?: RequestOptions) =>
      json<ResolvedIdentityBody>('GET', `/api/resolve-kid/${segment(did)}`, options),
    explain: (name: string, options?: RequestOptions) =>
      json<Explanation>('GET', `/api/explain/${segment(name)}`, options),

    commit: (request: CommitRequest, options?: RequestOptions) =>
      json<CommittedBody>('POST', '/api/commit', { ...options, body: request }),
    publish: (reveal: PublishRequest['reveal'], options?: RequestOptions) =>
      json<StoredBody>('POST', '/api/publish', { ...options, body: { reveal } }),
    publishKid: (authorizedIdentity: unknown, options?: RequestOptions) =>
      json<IdentityPublishedBody>('POST', '/api/publish-kid', {
        ...options,
        body: { authorized_kid: authorizedIdentity }
      }),
    publishManifest: (authorizedManifest: unknown, options?: RequestOptions) =>
      json<IdentityPublishedBody>('POST', '/api/publish-manifest', {
        ...options,
        body: { authorized_manifest: authorizedManifest }
      }),
    ownedNames: (options?: RequestOptions) => json<string[]>('GET', '/api/owned-names', options),
    /** As ownedNames, with lease and serials. */
    names: (options?: RequestOptions) => json<OwnedNameView[]>('GET', '/api/names', options),

    release: (name: string, options?: RequestOptions) =>
      json<OwnedNameView>('POST', `/api/names/${segment(name)}/release`, options),
    takeBack: (name: string, options?: RequestOptions) =>
      json<OwnedNameView>('DELETE', `/api/names/${segment(name)}/release`, options),

    /** All of them, page by page. */
    pins: async (options?: RequestOptions): Promise<PinView[]> => {
      const all: PinView[] = []
      for (;;) {
        const last = all.at(-1)?.name
        const page = await json<PinView[]>(
          'GET',
          `/api/pins${last === undefined ? '' : `?after=${segment(last)}`}`,
          options
        )
        all.push(...page)
        if (page.length === 0) return all
      }
    },
    forgetPin: (name: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/pins/${segment(name)}`, options),

    wanted: (options?: RequestOptions) => json<WantedView[]>('GET', '/api/wanted', options),
    seed: (options?: RequestOptions) => json<SeedBody>('GET', '/api/seed', options),
    /** SVC-KEY-007 for a wrong passphrase. */
    unlock: (passphrase: string, options?: RequestOptions) =>
      json<SeedBody>('POST', '/api/seed/unlock', { ...options, body: { passphrase } }),
    lock: (options?: RequestOptions) => json<SeedBody>('POST', '/api/seed/lock', options),

    want: (id: string, options?: RequestOptions) =>
      json<WantedView>('POST', '/api/wanted', { ...options, body: { id } }),
    unwant: (id: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/wanted/${segment(id)}`, options),

    register: start('register'),
    renew: start('renew'),
    estimate: (name: string, options?: RequestOptions) =>
      json<Estimate>('POST', '/api/vdf/estimate', { ...options, body: { name } }),
    tasks: (options?: RequestOptions) => json<TaskView[]>('GET', '/api/vdf/tasks', options),
    task: (taskId: string, options?: RequestOptions) =>
      json<TaskView>('GET', `/api/vdf/status/${segment(taskId)}`, options),
    /** SVC-TSK-004 for one that has ended, which stays. */
    cancelTask: (taskId: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/vdf/status/${segment(taskId)}?only=running`, options),
    /** Cancels a running one too. */
    clearTask: (taskId: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/vdf/status/${segment(taskId)}`, options),
    pauseTask: (taskId: string, options?: RequestOptions) =>
      json<TaskView>('POST', `/api/vdf/tasks/${segment(taskId)}/pause`, options),
    resumeTask: (taskId: string, options?: RequestOptions) =>
      json<TaskView>('POST', `/api/vdf/tasks/${segment(taskId)}/resume`, options),
    /**
     * Connects again after a cut or a restart of the daemon, with Last-Event-ID; `whenLost` hears of each pause before
     * that. Ends after `completed` or `failed`, or when `signal` aborts.
     */
    async *taskEvents(
      taskId: string,
      signal?: AbortSignal,
      whenLost?: () => void
    ): AsyncGenerator<TaskEventMessage, void> {
      const path = `/api/vdf/status/${segment(taskId)}`
      let last = 0
      let ended: TaskView | undefined
      const connect = async (lastEventId: string | undefined, again: boolean) => {
        const task = again ? await json<TaskView>('GET', path, { signal }) : undefined
        if (task !== undefined && task.status !== 'running') ended = task
        return ended === undefined ? await openStream(`${path}/events`, lastEventId, signal) : undefined
      }
      for await (const { id, event, data } of withoutBreaks(readEventStream(connect, signal, whenLost), base)) {
        const type = event as TaskEventMessage['type']
        last = Number(id)
        yield { id: last, type, task: data as TaskView }
        if (type === 'completed' || type === 'failed') return
      }
      // It ended while nobody was connected, and its events are gone.
      if (ended !== undefined && ended.status !== 'running') yield { id: last, type: ended.status, task: ended }
    },

    zone: async (name: string, options?: RequestOptions): Promise<ZoneAnswer> => {
      const response = await send('GET', `/api/zone/${segment(name)}`, options)
      return {
        zone: (await response.json()) as ZoneBody,
        source: response.headers.get('X-Zone-Source') === 'local' ? 'local' : 'network',
        state: response.headers.get('X-Zone-State') === 'draft' ? 'draft' : 'published',
        etag: response.headers.get('ETag') ?? ''
      }
    },
    saveZone: (
      name: string,
      zone: ZoneBody,
      { ifMatch, signal }: RequestOptions & { ifMatch?: string | undefined } = {}
    ) =>
      json<ZoneSavedBody>('POST', `/api/zone/${segment(name)}`, {
        body: zone,
        headers: { 'If-Match': ifMatch },
        signal
      }),
    patchZone: (
      name: string,
      patch: ZonePatchBody,
      { ifMatch, signal }: RequestOptions & { ifMatch?: string | undefined } = {}
    ) =>
      json<ZoneSavedBody>('PATCH', `/api/zone/${segment(name)}`, {
        body: patch,
        headers: { 'If-Match': ifMatch },
        signal
      }),
    discardZone: (name: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/zone/${segment(name)}`, options),
    drafts: (options?: RequestOptions) => json<ZoneDraft[]>('GET', '/api/drafts', options),
    publishZone: (name: string, options?: RequestOptions) =>
      json<ZonePublishedBody>('POST', `/api/zone/${segment(name)}/publish`, options),

    config: (options?: RequestOptions) => json<ConfigBody>('GET', '/api/config', options),
    changeConfig: (patch: Record<string, unknown>, options?: RequestOptions) =>
      json<ConfigBody>('POST', '/api/config', { ...options, body: patch }),
    configFields: (options?: RequestOptions) => json<ConfigFieldView[]>('GET', '/api/config/fields', options),
    /** Undoes a change at run time. */
    unsetConfig: (field: string, options?: RequestOptions) =>
      json<ConfigBody>('DELETE', `/api/config/${segment(field)}`, options),
    dns: (options?: RequestOptions) => json<DnsView>('GET', '/api/dns', options),
    /** Forgets what is known of a name, or of all. */
    flushDns: (name?: string, options?: RequestOptions) =>
      json<{ success: true; flushed: number }>('POST', '/api/dns/flush', { ...options, body: { name } }),
    tokens: (options?: RequestOptions) => json<TokenView[]>('GET', '/api/tokens', options),
    createToken: (request: CreateTokenRequest, options?: RequestOptions) =>
      json<NewTokenBody>('POST', '/api/tokens', { ...options, body: request }),
    revokeToken: (id: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/tokens/${segment(id)}`, options),
    rotateToken: (options?: RequestOptions) => json<RotatedTokenBody>('POST', '/api/tokens/rotate', options),
    async *events(signal?: AbortSignal): AsyncGenerator<DaemonEvent, void> {
      for await (const { data } of readEventStream(
        (lastEventId) => openStream('/api/events', lastEventId, signal),
        signal
      ))
        yield data as DaemonEvent
    },
    metrics: async (options?: RequestOptions) => (await send('GET', '/metrics', options)).text()
  }
}

/** Turns the platform's errors of a broken stream into {@link UnreachableError}. */
async function* withoutBreaks<T>(events: AsyncIterable<T>, base: string): AsyncGenerator<T, void> {
  try {
    yield* events
  } catch (cause) {
    if (cause instanceof ProblemError || cause instanceof UnreachableError) throw cause
    throw new UnreachableError(`The daemon at ${base} answers no more.`, { cause })
  }
}
