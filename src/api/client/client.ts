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
import type * as api from './types.ts'
import type { RequestOptions as Options } from './types.ts'

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
  /** A call without a body, of a path that is always the same. */
  const fixed =
    <T>(method: string, path: string) =>
    (options?: Options) =>
      json<T>(method, path, options)
  const start =
    (kind: 'register' | 'renew') =>
    (name: string, { zone, idempotencyKey, ...options }: api.StartOptions = {}) =>
      json<api.TaskStartedBody>('POST', `/api/vdf/${kind}`, {
        body: { name, zone },
        headers: { 'Idempotency-Key': idempotencyKey },
        ...options
      })

  return {
    baseUrl: base,
    health: fixed<api.HealthBody>('GET', '/healthz'),
    /** Does not reject while the daemon is not ready: `ready` says it. */
    readiness: async (options?: Options): Promise<api.ReadinessBody> => {
      try {
        return await json<api.ReadinessBody>('GET', '/readyz', options)
      } catch (error) {
        if (error instanceof NotReady) return error.body
        throw error
      }
    },
    networkStatus: fixed<api.NetworkStatusView>('GET', '/api/network-status'),
    /** The 500 nearest to the daemon at most, nearest first. */
    peers: fixed<api.PeerView[]>('GET', '/api/peers'),
    /** 16 at most that the daemon holds for the network, drawn at random. */
    sampleNames: fixed<string[]>('GET', '/api/network/names'),
    clocks: fixed<api.PeerClockView[]>('GET', '/api/network/clocks'),
    /** Dials a peer at a multiaddr. */
    connectPeer: (address: string, options?: Options) =>
      json<api.PeerView>('POST', '/api/peers', { ...options, body: { address } }),
    resolve: (name: string, options?: Options) => json<api.RevealBody>('GET', `/api/resolve/${named(name)}`, options),
    identityLog: (did: string, options?: Options) =>
      json<api.IdentityLogBody>('GET', `/api/resolve-kid/${segment(did)}/log`, options),
    resolveKid: (did: string, options?: Options) =>
      json<api.ResolvedIdentityBody>('GET', `/api/resolve-kid/${segment(did)}`, options),
    explain: (name: string, options?: Options) => json<api.Explanation>('GET', `/api/explain/${named(name)}`, options),

    commit: (request: api.CommitRequest, options?: Options) =>
      json<api.CommittedBody>('POST', '/api/commit', { ...options, body: request }),
    publish: (reveal: api.PublishRequest['reveal'], options?: Options) =>
      json<api.StoredBody>('POST', '/api/publish', { ...options, body: { reveal } }),
    identities: fixed<api.OwnIdentityView[]>('GET', '/api/identities'),
    /** Signed by the daemon with its seed. */
    createKid: (request: api.CreateKidRequest = {}, options?: Options) =>
      json<api.IdentityPublishedBody>('POST', '/api/kid', { ...options, body: request }),
    publishKid: (authorizedIdentity: unknown, options?: Options) =>
      json<api.IdentityPublishedBody>('POST', '/api/publish-kid', {
        ...options,
        body: { authorized_kid: authorizedIdentity }
      }),
    publishManifest: (authorizedManifest: unknown, options?: Options) =>
      json<api.IdentityPublishedBody>('POST', '/api/publish-manifest', {
        ...options,
        body: { authorized_manifest: authorizedManifest }
      }),
    ownedNames: fixed<string[]>('GET', '/api/owned-names'),
    /** As ownedNames, with lease and serials. */
    names: fixed<api.OwnedNameView[]>('GET', '/api/names'),

    release: (name: string, options?: Options) =>
      json<api.OwnedNameView>('POST', `/api/names/${segment(name)}/release`, options),
    takeBack: (name: string, options?: Options) =>
      json<api.OwnedNameView>('DELETE', `/api/names/${segment(name)}/release`, options),

    nameKeys: (name: string, options?: Options) =>
      json<api.KeysView>('GET', `/api/names/${segment(name)}/keys`, options),
    /** `alone`: the change key alone is to sign. */
    offer: (name: string, alone = false, options?: Options) =>
      json<api.OfferView>('POST', `/api/names/${segment(name)}/offer`, { ...options, body: { alone } }),
    acceptOffer: (accepted: api.AcceptRequest, options?: Options) =>
      json<api.StoredBody>('POST', '/api/changes', { ...options, body: accepted }),
    changeWords: fixed<api.ChangeWordsView>('GET', '/api/change-words'),
    /** `point`: base64. */
    setChangeWords: (point: string, options?: Options) =>
      json<api.ChangeWordsView>('POST', '/api/change-words', { ...options, body: { point } }),

    /** All of them, page by page. */
    pins: async (options?: Options): Promise<api.PinView[]> => {
      const all: api.PinView[] = []
      for (;;) {
        const last = all.at(-1)?.name
        const page = await json<api.PinView[]>(
          'GET',
          `/api/pins${last === undefined ? '' : `?after=${segment(last)}`}`,
          options
        )
        all.push(...page)
        if (page.length === 0) return all
      }
    },
    /** At most 1,000 at once; `dryRun` changes nothing. */
    pinCodes: (codes: readonly string[], dryRun = false, options?: Options) =>
      json<api.PinnedCodesView>('POST', '/api/pins', { ...options, body: { codes, dry_run: dryRun } }),
    pinLists: (options?: Options) => json<api.FollowedListsView>('GET', '/api/pin-lists', options),
    followPinList: (followed: api.FollowRequest, options?: Options) =>
      json<api.FollowedListsView>('POST', '/api/pin-lists', { ...options, body: followed }),
    forgetPin: (name: string, options?: Options) =>
      json<{ success: true }>('DELETE', `/api/pins/${segment(name)}`, options),

    wanted: fixed<api.WantedView[]>('GET', '/api/wanted'),
    backup: fixed<api.BackupView>('GET', '/api/backup'),
    seed: fixed<api.SeedBody>('GET', '/api/seed'),
    /** SVC-KEY-007 for a wrong passphrase: a text, or its octets. */
    unlock: (passphrase: string | Uint8Array, options?: Options) =>
      json<api.SeedBody>('POST', '/api/seed/unlock', {
        ...options,
        body: typeof passphrase === 'string' ? { passphrase } : { passphrase_hex: hexOf(passphrase) }
      }),
    lock: fixed<api.SeedBody>('POST', '/api/seed/lock'),

    want: (id: string, options?: Options) => json<api.WantedView>('POST', '/api/wanted', { ...options, body: { id } }),
    unwant: (id: string, options?: Options) => json<{ success: true }>('DELETE', `/api/wanted/${segment(id)}`, options),

    register: start('register'),
    renew: start('renew'),
    /** `lookUp`: asks peers too who holds the name. */
    estimate: (name: string, options?: Options) =>
      json<api.Estimate>('POST', '/api/vdf/estimate', { ...options, body: { name } }),
    tasks: fixed<api.TaskView[]>('GET', '/api/vdf/tasks'),
    farm: fixed<api.FarmView>('GET', '/api/farm'),
    task: (taskId: string, options?: Options) =>
      json<api.TaskView>('GET', `/api/vdf/status/${segment(taskId)}`, options),
    /** SVC-TSK-004 for one that has ended, which stays. */
    cancelTask: (taskId: string, options?: Options) =>
      json<{ success: true }>('DELETE', `/api/vdf/status/${segment(taskId)}?only=running`, options),
    /** Cancels a running one too. */
    clearTask: (taskId: string, options?: Options) =>
      json<{ success: true }>('DELETE', `/api/vdf/status/${segment(taskId)}`, options),
    pauseTask: (taskId: string, options?: Options) =>
      json<api.TaskView>('POST', `/api/vdf/tasks/${segment(taskId)}/pause`, options),
    resumeTask: (taskId: string, options?: Options) =>
      json<api.TaskView>('POST', `/api/vdf/tasks/${segment(taskId)}/resume`, options),
    /** SVC-TSK-005 where the farm does not take it, SVC-TSK-006 where it is there. */
    moveTask: (taskId: string, place: api.TaskPlace, options?: Options) =>
      json<api.TaskView>('POST', `/api/vdf/tasks/${segment(taskId)}/move`, { ...options, body: { place } }),
    /**
     * Connects again after a cut or a restart of the daemon, with Last-Event-ID. Ends after `completed` or `failed`, or
     * when the signal aborts.
     */
    taskEvents: (taskId: string, options: api.StreamOptions = {}) =>
      taskEvents(sender, `/api/vdf/status/${segment(taskId)}`, options),

    zone: async (name: string, options?: Options): Promise<api.ZoneAnswer> => {
      const response = await send('GET', `/api/zone/${named(name)}`, options)
      return {
        zone: (await response.json()) as api.ZoneBody,
        source: (response.headers.get('X-Zone-Source') ?? 'network') as api.ZoneSource,
        state: response.headers.get('X-Zone-State') === 'draft' ? 'draft' : 'published',
        etag: response.headers.get('ETag') ?? ''
      }
    },
    /** What saving it would say, without saving it. */
    checkZone: (name: string, zone: api.ZoneBody, options?: Options) =>
      json<api.ZoneCheckedBody>('POST', `/api/zone/${segment(name)}/check`, { ...options, body: zone }),
    saveZone: (name: string, zone: api.ZoneBody, { ifMatch, ...options }: api.WriteOptions = {}) =>
      json<api.ZoneSavedBody>('POST', `/api/zone/${segment(name)}`, {
        body: zone,
        headers: { 'If-Match': ifMatch },
        ...options
      }),
    patchZone: (name: string, patch: api.ZonePatchBody, { ifMatch, ...options }: api.WriteOptions = {}) =>
      json<api.ZoneSavedBody>('PATCH', `/api/zone/${segment(name)}`, {
        body: patch,
        headers: { 'If-Match': ifMatch },
        ...options
      }),
    discardZone: (name: string, { ifMatch, ...options }: api.WriteOptions = {}) =>
      json<{ success: true }>('DELETE', `/api/zone/${segment(name)}`, {
        headers: { 'If-Match': ifMatch },
        ...options
      }),
    drafts: fixed<api.ZoneDraft[]>('GET', '/api/drafts'),
    publishZone: (name: string, options?: Options) =>
      json<api.ZonePublishedBody>('POST', `/api/zone/${segment(name)}/publish`, options),

    config: fixed<api.ConfigBody>('GET', '/api/config'),
    changeConfig: (patch: Record<string, unknown>, options?: Options) =>
      json<api.ConfigBody>('POST', '/api/config', { ...options, body: patch }),
    configFields: fixed<api.ConfigFieldView[]>('GET', '/api/config/fields'),
    /** Undoes a change at run time. */
    unsetConfig: (field: string, options?: Options) =>
      json<api.ConfigBody>('DELETE', `/api/config/${segment(field)}`, options),
    dns: fixed<api.DnsView>('GET', '/api/dns'),
    /** Forgets what is known of a name, or of all. */
    flushDns: (name?: string, options?: Options) =>
      json<api.DnsFlushedBody>('POST', '/api/dns/flush', { ...options, body: { name } }),
    /** Hosts that had a key for https. */
    keyedHosts: fixed<api.KeyedHostView[]>('GET', '/api/https/hosts'),
    forgetKeyedHost: (host: string, options?: Options) =>
      json<api.KeyedHostForgottenBody>('DELETE', `/api/https/hosts/${segment(host)}`, options),
    tokens: fixed<api.TokenView[]>('GET', '/api/tokens'),
    createToken: (request: api.CreateTokenRequest, options?: Options) =>
      json<api.NewTokenBody>('POST', '/api/tokens', { ...options, body: request }),
    revokeToken: (id: string, options?: Options) =>
      json<{ success: true }>('DELETE', `/api/tokens/${segment(id)}`, options),
    rotateToken: fixed<api.RotatedTokenBody>('POST', '/api/tokens/rotate'),
    /** All that happens at the daemon. Connects again as `taskEvents` does; ends when the signal aborts. */
    events: (options: api.StreamOptions = {}) => daemonEvents(sender, options),
    /** A DNS query over HTTPS (RFC 8484): a message in, a message out. */
    dnsQuery: async (message: Uint8Array, options?: Options): Promise<Uint8Array> => {
      const type = 'application/dns-message'
      const headers = { 'Content-Type': type, Accept: type }
      const answer = await send('POST', '/dns-query', { ...options, body: message, headers })
      return new Uint8Array(await answer.arrayBuffer())
    },
    /** Proves that the daemon holds the main token: chronym/client/node checks it before it shows a token. */
    challenge: (nonce: string, address: string, options?: Options) =>
      json<api.ChallengeBody>('GET', `/api/challenge?nonce=${segment(nonce)}&address=${segment(address)}`, options),
    /** What this client may do; no scopes without a token. */
    session: fixed<api.SessionBody>('GET', '/session'),
    /** For pages that the daemon serves: sets a cookie that counts with `secret` in the header X-Session-Secret. */
    logIn: (withToken: string, options?: Options) =>
      json<api.SessionOpenedBody>('POST', '/session', { ...options, body: { token: withToken } }),
    /** Opens the dashboard once: `<address>/#login=<link>`, within a minute. */
    createLoginLink: fixed<api.LoginLinkBody>('POST', '/api/login-links'),
    logOut: async (options?: Options): Promise<void> => {
      await send('DELETE', '/session', options)
    },
    /** The OpenAPI 3.1 document. */
    openapi: fixed<Record<string, unknown>>('GET', '/openapi.json'),
    /** Any path, as it is: for what a newer daemon has. */
    request: (method: string, path: string, call?: Call) => send(method, path, call),
    metrics: async (options?: Options) => (await send('GET', '/metrics', options)).text()
  }
}

function hexOf(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('')
}
