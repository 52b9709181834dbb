/**
 * `chronym/client`: the typed client of the HTTP interface, for programs and for the command line. It needs nothing of
 * the daemon but its address and a token, and nothing of Node.
 */
import {
  type Call,
  type ClientOptions,
  createSender,
  NotReady,
  plainFetch,
  ProblemError,
  type Transport,
  UnreachableError
} from './transport.ts'
import { daemonEvents, taskEvents } from './events.ts'
import type {
  BackupView,
  ChallengeBody,
  CommitRequest,
  CommittedBody,
  ConfigBody,
  ConfigFieldView,
  CreateKidRequest,
  CreateTokenRequest,
  DnsFlushedBody,
  DnsView,
  Estimate,
  Explanation,
  HealthBody,
  IdentityLogBody,
  IdentityPublishedBody,
  LoginLinkBody,
  NetworkStatusView,
  NewTokenBody,
  OwnedNameView,
  OwnIdentityView,
  PeerView,
  PinnedCodesView,
  PinView,
  PublishRequest,
  ReadinessBody,
  RequestOptions,
  ResolvedIdentityBody,
  RevealBody,
  RotatedTokenBody,
  SeedBody,
  SessionBody,
  SessionOpenedBody,
  StartOptions,
  StoredBody,
  StreamOptions,
  TaskStartedBody,
  TaskView,
  TokenView,
  WantedView,
  WriteOptions,
  ZoneAnswer,
  ZoneSource,
  ZoneBody,
  ZoneCheckedBody,
  ZoneDraft,
  ZonePatchBody,
  ZonePublishedBody,
  ZoneSavedBody
} from './types.ts'

export type * from './types.ts'
export type { Call, ClientOptions } from './transport.ts'
export { plainFetch, ProblemError, UnreachableError, type Transport }

export type Client = ReturnType<typeof createClient>

/** Every method rejects with ProblemError, UnreachableError, or the reason of its signal. */
export function createClient(settings: ClientOptions = {}) {
  const sender = createSender(settings)
  const { base, send, json } = sender
  const segment = encodeURIComponent
  /** A name to look up; its check code may be behind a space. */
  const named = (text: string): string => {
    const [name = '', code] = text.split(' ', 2)
    return code === undefined ? segment(name) : `${segment(name)}?code=${segment(code)}`
  }
  const start =
    (kind: 'register' | 'renew') =>
    (name: string, { zone, idempotencyKey, ...options }: StartOptions = {}) =>
      json<TaskStartedBody>('POST', `/api/vdf/${kind}`, {
        body: { name, zone },
        headers: { 'Idempotency-Key': idempotencyKey },
        ...options
      })

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
    /** The 500 nearest to the daemon at most, nearest first. */
    peers: (options?: RequestOptions) => json<PeerView[]>('GET', '/api/peers', options),
    /** Dials a peer at a multiaddr. */
    connectPeer: (address: string, options?: RequestOptions) =>
      json<PeerView>('POST', '/api/peers', { ...options, body: { address } }),
    resolve: (name: string, options?: RequestOptions) =>
      json<RevealBody>('GET', `/api/resolve/${named(name)}`, options),
    identityLog: (did: string, options?: RequestOptions) =>
      json<IdentityLogBody>('GET', `/api/resolve-kid/${segment(did)}/log`, options),
    resolveKid: (did: string, options?: RequestOptions) =>
      json<ResolvedIdentityBody>('GET', `/api/resolve-kid/${segment(did)}`, options),
    explain: (name: string, options?: RequestOptions) =>
      json<Explanation>('GET', `/api/explain/${named(name)}`, options),

    commit: (request: CommitRequest, options?: RequestOptions) =>
      json<CommittedBody>('POST', '/api/commit', { ...options, body: request }),
    publish: (reveal: PublishRequest['reveal'], options?: RequestOptions) =>
      json<StoredBody>('POST', '/api/publish', { ...options, body: { reveal } }),
    identities: (options?: RequestOptions) => json<OwnIdentityView[]>('GET', '/api/identities', options),
    /** Signed by the daemon with its seed. */
    createKid: (request: CreateKidRequest = {}, options?: RequestOptions) =>
      json<IdentityPublishedBody>('POST', '/api/kid', { ...options, body: request }),
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
    /** At most 1,000 at once; `dryRun` changes nothing. */
    pinCodes: (codes: readonly string[], dryRun = false, options?: RequestOptions) =>
      json<PinnedCodesView>('POST', '/api/pins', { ...options, body: { codes, dry_run: dryRun } }),
    forgetPin: (name: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/pins/${segment(name)}`, options),

    wanted: (options?: RequestOptions) => json<WantedView[]>('GET', '/api/wanted', options),
    backup: (options?: RequestOptions) => json<BackupView>('GET', '/api/backup', options),
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
     * Connects again after a cut or a restart of the daemon, with Last-Event-ID. Ends after `completed` or `failed`, or
     * when the signal aborts.
     */
    taskEvents: (taskId: string, options: StreamOptions = {}) =>
      taskEvents(sender, `/api/vdf/status/${segment(taskId)}`, options),

    zone: async (name: string, options?: RequestOptions): Promise<ZoneAnswer> => {
      const response = await send('GET', `/api/zone/${named(name)}`, options)
      return {
        zone: (await response.json()) as ZoneBody,
        source: (response.headers.get('X-Zone-Source') ?? 'network') as ZoneSource,
        state: response.headers.get('X-Zone-State') === 'draft' ? 'draft' : 'published',
        etag: response.headers.get('ETag') ?? ''
      }
    },
    /** What saving it would say, without saving it. */
    checkZone: (name: string, zone: ZoneBody, options?: RequestOptions) =>
      json<ZoneCheckedBody>('POST', `/api/zone/${segment(name)}/check`, { ...options, body: zone }),
    saveZone: (name: string, zone: ZoneBody, { ifMatch, ...options }: WriteOptions = {}) =>
      json<ZoneSavedBody>('POST', `/api/zone/${segment(name)}`, {
        body: zone,
        headers: { 'If-Match': ifMatch },
        ...options
      }),
    patchZone: (name: string, patch: ZonePatchBody, { ifMatch, ...options }: WriteOptions = {}) =>
      json<ZoneSavedBody>('PATCH', `/api/zone/${segment(name)}`, {
        body: patch,
        headers: { 'If-Match': ifMatch },
        ...options
      }),
    discardZone: (name: string, { ifMatch, ...options }: WriteOptions = {}) =>
      json<{ success: true }>('DELETE', `/api/zone/${segment(name)}`, {
        headers: { 'If-Match': ifMatch },
        ...options
      }),
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
      json<DnsFlushedBody>('POST', '/api/dns/flush', { ...options, body: { name } }),
    tokens: (options?: RequestOptions) => json<TokenView[]>('GET', '/api/tokens', options),
    createToken: (request: CreateTokenRequest, options?: RequestOptions) =>
      json<NewTokenBody>('POST', '/api/tokens', { ...options, body: request }),
    revokeToken: (id: string, options?: RequestOptions) =>
      json<{ success: true }>('DELETE', `/api/tokens/${segment(id)}`, options),
    rotateToken: (options?: RequestOptions) => json<RotatedTokenBody>('POST', '/api/tokens/rotate', options),
    /** All that happens at the daemon. Connects again as `taskEvents` does; ends when the signal aborts. */
    events: (options: StreamOptions = {}) => daemonEvents(sender, options),
    /** A DNS query over HTTPS (RFC 8484): a message in, a message out. */
    dnsQuery: async (message: Uint8Array, options?: RequestOptions): Promise<Uint8Array> => {
      const type = 'application/dns-message'
      const headers = { 'Content-Type': type, Accept: type }
      const answer = await send('POST', '/dns-query', { ...options, body: message, headers })
      return new Uint8Array(await answer.arrayBuffer())
    },
    /** Proves that the daemon holds the main token: chronym/client/node checks it before it shows a token. */
    challenge: (nonce: string, address: string, options?: RequestOptions) =>
      json<ChallengeBody>('GET', `/api/challenge?nonce=${segment(nonce)}&address=${segment(address)}`, options),
    /** What this client may do; no scopes without a token. */
    session: (options?: RequestOptions) => json<SessionBody>('GET', '/session', options),
    /** For pages that the daemon serves: sets a cookie that counts with `secret` in the header X-Session-Secret. */
    logIn: (withToken: string, options?: RequestOptions) =>
      json<SessionOpenedBody>('POST', '/session', { ...options, body: { token: withToken } }),
    /** Opens the dashboard once: `<address>/#login=<link>`, within a minute. */
    createLoginLink: (options?: RequestOptions) => json<LoginLinkBody>('POST', '/api/login-links', options),
    logOut: async (options?: RequestOptions): Promise<void> => {
      await send('DELETE', '/session', options)
    },
    /** The OpenAPI 3.1 document. */
    openapi: (options?: RequestOptions) => json<Record<string, unknown>>('GET', '/openapi.json', options),
    /** Any path, as it is: for what a newer daemon has. */
    request: (method: string, path: string, call?: Call) => send(method, path, call),
    metrics: async (options?: RequestOptions) => (await send('GET', '/metrics', options)).text()
  }
}
