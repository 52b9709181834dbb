/** Every operation of /openapi.json with a request that succeeds, and what its service is called. */
import type { GenericSchema } from 'valibot'
import * as common from '../../../src/api/schemas/common.ts'
import * as daemon from '../../../src/api/schemas/daemon.ts'
import * as identity from '../../../src/api/schemas/identity.ts'
import * as names from '../../../src/api/schemas/names.ts'
import * as zone from '../../../src/api/schemas/zone.ts'
import { BackupSchema } from '../../../src/views/backup.ts'
import { ConfigFieldListSchema } from '../../../src/views/config.ts'
import { DnsViewSchema } from '../../../src/views/dns.ts'
import { ExplanationSchema } from '../../../src/views/explanation.ts'
import * as network from '../../../src/views/network.ts'
import * as own from '../../../src/views/own.ts'
import * as pin from '../../../src/views/pin.ts'
import { ReadinessSchema } from '../../../src/views/readiness.ts'
import * as task from '../../../src/views/task.ts'
import type { PinView } from '../../../src/views/pin.ts'
import type { Operation } from './registry.ts'
import { CHECK_CODE } from './registry.ts'
import { MAIN_TOKEN, SEED_PASSPHRASE, type World } from './world.ts'

export const NAME = 'alice.chronym'
export const DID = 'did:chronym:zQmTest'
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }

export const REVEAL = {
  name: NAME,
  pubkey: new Uint8Array(32).fill(1),
  drand_pulse: 12,
  iterations: 1_000_000,
  vdf_proof: new Uint8Array([0xa1, 0xff, 0x00]),
  signature: new Uint8Array(64).fill(2),
  payload: new TextEncoder().encode(
    JSON.stringify({ serial: 4, records: { '@': [{ type: 'TXT', value: '"network"' }] } })
  )
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
export const REVEAL_BODY = {
  ...REVEAL,
  pubkey: [...REVEAL.pubkey],
  vdf_proof: base64(REVEAL.vdf_proof),
  signature: base64(REVEAL.signature),
  payload: base64(REVEAL.payload)
}

/** Where the failure of a service is planted. */
export type Service = Operation | 'seed' | 'tasks' | 'config' | 'store' | 'dns'

export interface EndpointCase {
  readonly operation: string
  readonly path: string
  readonly body?: unknown
  /** A body that is not JSON, with its headers. */
  readonly raw?: Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
  readonly status: number
  /** Of the JSON body; left out where the answer is none. */
  readonly schema?: GenericSchema
  readonly token: boolean
  readonly service?: Service
}

const open = { status: 200, token: false }
const closed = { status: 200, token: true }

/** The value that a parameter of a path gets. */
const PARAMETERS: Readonly<Record<string, string>> = {
  name: NAME,
  did: DID,
  task_id: 'task-1',
  field: 'mode',
  code: 'SVC-RES-002'
}

const CALLS: readonly (Omit<EndpointCase, 'path'> & { readonly path?: string })[] = [
  { ...open, operation: 'GET /api/network-status', schema: network.NetworkStatusSchema, service: 'networkStatus' },
  { ...open, operation: 'GET /api/resolve/{name}', schema: names.RevealSchema, service: 'resolve' },
  { ...open, operation: 'GET /api/explain/{name}', schema: ExplanationSchema, service: 'explain' },
  {
    ...open,
    operation: 'GET /api/resolve-kid/{did}',
    schema: identity.ResolvedIdentitySchema,
    service: 'resolveIdentity'
  },
  {
    ...open,
    operation: 'GET /1.0/identifiers/{did}',
    schema: identity.DidResolutionResultSchema,
    service: 'resolveIdentityLog'
  },
  {
    ...open,
    operation: 'GET /api/resolve-kid/{did}/log',
    schema: identity.IdentityLogSchema,
    service: 'resolveIdentityLog'
  },
  { ...open, operation: 'GET /api/zone/{name}', schema: zone.ZoneSchema, service: 'publicZone' },
  {
    ...closed,
    operation: 'POST /api/commit',
    body: { name: NAME, commitment: { hash: [...new Uint8Array(32)] } },
    schema: common.CommittedSchema,
    service: 'commit'
  },
  {
    ...closed,
    operation: 'POST /api/publish',
    body: { reveal: REVEAL_BODY },
    schema: common.StoredSchema,
    service: 'publish'
  },
  { ...closed, operation: 'GET /api/identities', schema: own.OwnIdentityListSchema, service: 'ownIdentities' },
  {
    ...closed,
    operation: 'POST /api/kid',
    body: { name: NAME, services: [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }] },
    schema: common.IdentityPublishedSchema,
    service: 'createKid'
  },
  {
    ...closed,
    operation: 'POST /api/publish-kid',
    body: { authorized_kid: { document: { id: DID, verificationMethod: [] } } },
    schema: common.IdentityPublishedSchema,
    service: 'publishKid'
  },
  {
    ...closed,
    operation: 'POST /api/publish-manifest',
    body: { authorized_manifest: { manifest: { id: DID, capabilities: [] } } },
    schema: common.IdentityPublishedSchema,
    service: 'publishManifest'
  },
  { ...closed, operation: 'GET /api/owned-names', schema: own.OwnedNamesSchema, service: 'ownedNames' },
  { ...closed, operation: 'GET /api/names', schema: own.OwnedNameListSchema, service: 'ownedNames' },
  {
    ...closed,
    operation: 'POST /api/names/{name}/release',
    path: '/api/names/owned.chronym/release',
    schema: own.OwnedNameSchema,
    service: 'release'
  },
  {
    ...closed,
    operation: 'DELETE /api/names/{name}/release',
    path: '/api/names/owned.chronym/release',
    schema: own.OwnedNameSchema,
    service: 'release'
  },
  { ...closed, operation: 'GET /api/pins', schema: pin.PinListSchema, service: 'pins' },
  {
    ...closed,
    operation: 'POST /api/pins',
    body: { codes: ['alice--7kq2mx.chronym'] },
    schema: pin.PinnedCodesSchema,
    service: 'pinCodes'
  },
  { ...closed, operation: 'DELETE /api/pins/{name}', schema: common.SuccessSchema, service: 'forgetPin' },
  { ...closed, operation: 'GET /api/backup', schema: BackupSchema },
  { ...closed, operation: 'GET /api/peers', schema: network.PeerListSchema, service: 'peers' },
  {
    ...closed,
    operation: 'POST /api/peers',
    body: { address: '/ip4/192.0.2.1/tcp/7469' },
    schema: network.PeerSchema,
    service: 'connect'
  },
  { ...closed, operation: 'GET /api/seed', schema: daemon.SeedSchema },
  {
    ...closed,
    operation: 'POST /api/seed/unlock',
    body: { passphrase: SEED_PASSPHRASE },
    schema: daemon.SeedSchema,
    service: 'seed'
  },
  { ...closed, operation: 'POST /api/seed/lock', schema: daemon.SeedSchema, service: 'seed' },
  { ...closed, operation: 'GET /api/wanted', schema: own.WantedListSchema, service: 'adoptions' },
  { ...closed, operation: 'POST /api/wanted', body: { id: NAME }, schema: own.WantedSchema, service: 'adopt' },
  {
    ...closed,
    operation: 'DELETE /api/wanted/{id}',
    path: `/api/wanted/${NAME}`,
    schema: common.SuccessSchema,
    service: 'stopAdopting'
  },
  {
    ...closed,
    operation: 'POST /api/vdf/register',
    body: { name: 'new.chronym', zone: ZONE },
    status: 202,
    schema: names.TaskStartedSchema,
    service: 'register'
  },
  {
    ...closed,
    operation: 'POST /api/vdf/renew',
    body: { name: 'owned.chronym' },
    status: 202,
    schema: names.TaskStartedSchema,
    service: 'renew'
  },
  {
    ...closed,
    operation: 'POST /api/vdf/estimate',
    body: { name: NAME },
    schema: task.EstimateSchema,
    service: 'estimate'
  },
  { ...closed, operation: 'GET /api/vdf/tasks', schema: task.TaskListSchema, service: 'tasks' },
  { ...closed, operation: 'GET /api/vdf/status/{task_id}', schema: task.TaskSchema, service: 'tasks' },
  { ...closed, operation: 'DELETE /api/vdf/status/{task_id}', schema: common.SuccessSchema, service: 'tasks' },
  { ...closed, operation: 'GET /api/vdf/status/{task_id}/events', path: '/api/vdf/status/task-2/events' },
  { ...closed, operation: 'POST /api/vdf/tasks/{task_id}/pause', schema: task.TaskSchema, service: 'tasks' },
  { ...closed, operation: 'POST /api/vdf/tasks/{task_id}/resume', schema: task.TaskSchema, service: 'tasks' },
  { ...closed, operation: 'POST /api/zone/{name}', body: ZONE, schema: zone.ZoneSavedSchema, service: 'saveZone' },
  {
    ...closed,
    operation: 'POST /api/zone/{name}/check',
    body: ZONE,
    schema: zone.ZoneCheckedSchema,
    service: 'checkZone'
  },
  {
    ...closed,
    operation: 'PATCH /api/zone/{name}',
    body: { add: ZONE.records, remove: [{ label: 'www' }] },
    schema: zone.ZoneSavedSchema,
    service: 'patchZone'
  },
  {
    ...closed,
    operation: 'DELETE /api/zone/{name}',
    path: '/api/zone/owned.chronym',
    schema: common.SuccessSchema,
    service: 'discardZone'
  },
  { ...closed, operation: 'GET /api/drafts', schema: own.ZoneDraftListSchema, service: 'drafts' },
  {
    ...closed,
    operation: 'POST /api/zone/{name}/publish',
    path: '/api/zone/owned.chronym/publish',
    schema: common.ZonePublishedSchema,
    service: 'publishZone'
  },
  { ...closed, operation: 'GET /api/config', schema: daemon.ConfigSchema },
  { ...closed, operation: 'POST /api/config', body: { mode: 'light' }, schema: daemon.ConfigSchema, service: 'config' },
  { ...closed, operation: 'GET /api/config/fields', schema: ConfigFieldListSchema },
  { ...closed, operation: 'DELETE /api/config/{field}', schema: daemon.ConfigSchema, service: 'config' },
  { ...open, operation: 'GET /api/dns', schema: DnsViewSchema },
  {
    ...closed,
    operation: 'POST /api/dns/flush',
    body: { name: NAME },
    schema: daemon.DnsFlushedSchema,
    service: 'dns'
  },
  { ...open, operation: 'GET /dns-query', path: '/dns-query?dns=AAABAAABAAAAAAAA', service: 'dns' },
  {
    ...open,
    operation: 'POST /dns-query',
    raw: new Uint8Array(12),
    headers: { 'Content-Type': 'application/dns-message' },
    service: 'dns'
  },
  { ...closed, operation: 'GET /api/events' },
  { ...closed, operation: 'GET /api/tokens', schema: daemon.TokenListSchema },
  {
    ...closed,
    operation: 'POST /api/tokens',
    body: { scopes: ['read'], label: 'grafana' },
    status: 201,
    schema: daemon.NewTokenSchema,
    service: 'store'
  },
  { ...closed, operation: 'POST /api/tokens/rotate', schema: daemon.RotatedTokenSchema, service: 'store' },
  {
    ...closed,
    operation: 'DELETE /api/tokens/{id}',
    path: '/api/tokens/{token id}',
    schema: common.SuccessSchema,
    service: 'store'
  },
  {
    ...open,
    operation: 'GET /api/challenge',
    path: `/api/challenge?nonce=${'ab'.repeat(32)}&address=127.0.0.1:7468`,
    schema: daemon.ChallengeSchema
  },
  { ...open, operation: 'GET /session', schema: daemon.SessionSchema },
  { ...open, operation: 'POST /session', body: { token: MAIN_TOKEN }, schema: daemon.SessionOpenedSchema },
  { ...closed, operation: 'POST /api/login-links', status: 201, schema: daemon.LoginLinkSchema },
  { ...open, operation: 'DELETE /session', status: 204 },
  { ...open, operation: 'GET /healthz', schema: daemon.HealthSchema },
  { ...open, operation: 'GET /readyz', schema: ReadinessSchema },
  { ...closed, operation: 'GET /metrics' },
  { ...open, operation: 'GET /errors/{code}', schema: common.ErrorPageSchema },
  { ...open, operation: 'GET /openapi.json' },
  { ...open, operation: 'GET /docs' },
  { ...open, operation: 'GET /' }
]

export const ENDPOINTS: readonly EndpointCase[] = CALLS.map((call) => ({
  path: call.operation.split(' ')[1]!.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => PARAMETERS[parameter]!),
  ...call
}))

/** A pin that was seen once. */
export function pinOf(name: string): PinView {
  const at = '2026-11-21T12:00:00.000Z'
  return {
    name,
    coded_name: null,
    owner: '01'.repeat(32),
    claim_id: '02'.repeat(32),
    check_code: '7kq2mx4q8r7kq2mx4q8r7kq2mx',
    state: 'tentative',
    since: at,
    second_look: '2026-11-22T18:00:00.000Z',
    firm_since: null,
    until: '2026-11-23T12:00:00.000Z',
    rival: null,
    contested_until: null
  }
}

/** Fills a world with what the paths above name. Returns the path, with the id of a token made for it. */
export function furnish(world: World, { path }: EndpointCase): string {
  world.registry.reveals.set(NAME, REVEAL)
  world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
  world.registry.owned.set('owned.chronym', {
    name: 'owned.chronym',
    state: 'live',
    check_code: CHECK_CODE,
    coded_name: null,
    lease_end: '2026-11-28T12:00:00.000Z',
    serial: 1,
    published_serial: 0,
    renewal: { state: 'scheduled', due: '2026-11-27T19:12:00.000Z', task_id: null, left: 64 },
    warnings: []
  })
  world.registry.pinned.set(NAME, pinOf(NAME))
  world.registry.sought.set(NAME, {
    id: NAME,
    state: 'looking',
    detail: 'The network has not been asked yet.',
    since: '2026-11-21T12:00:00.000Z',
    looked_at: null
  })
  world.registry.zones.set('owned.chronym', { serial: 1, records: {} })
  world.tasks.create({ name: 'running.chronym', kind: 'register' })
  world.tasks.create({ name: 'ended.chronym', kind: 'register' })
  world.tasks.move('task-2', 'completed', { status: 'completed', phase: 'done', progress: 1_000_000 })
  return path.includes('{token id}') ? path.replace('{token id}', world.services.tokens.create(['read']).id) : path
}

/** Plants a failure in the service behind an endpoint. */
export function plant(world: World, service: Service, failure: Error): void {
  if (service === 'tasks') world.tasks.failure = failure
  else if (service === 'dns') world.dns.failure = failure
  else if (service === 'seed') world.state.seedFailure = failure
  else if (service === 'config') world.config.failure = failure
  else if (service === 'store') world.store.failure = failure
  else world.registry.failures.set(service, failure)
}
