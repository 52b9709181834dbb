/** Every operation of /openapi.json with a request that succeeds, and what its service is called. */
import type { GenericSchema } from 'valibot'
import * as common from '../../../src/api/schemas/common.ts'
import * as daemon from '../../../src/api/schemas/daemon.ts'
import * as identity from '../../../src/api/schemas/identity.ts'
import * as names from '../../../src/api/schemas/names.ts'
import * as zone from '../../../src/api/schemas/zone.ts'
import { BackupSchema } from '../../../src/views/backup.ts'
import { ConfigFieldListSchema } from '../../../src/views/config.ts'
import { FarmViewSchema } from '../../../src/views/farm.ts'
import { DnsViewSchema, KeyedHostListSchema } from '../../../src/views/dns.ts'
import { ExplanationSchema } from '../../../src/views/explanation.ts'
import { ChangeWordsSchema, KeysSchema, OfferSchema } from '../../../src/views/keys.ts'
import * as network from '../../../src/views/network.ts'
import * as own from '../../../src/views/own.ts'
import * as pin from '../../../src/views/pin.ts'
import { ReadinessSchema } from '../../../src/views/readiness.ts'
import * as task from '../../../src/views/task.ts'
import type { OwnedNameView } from '../../../src/views/own.ts'
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
    JSON.stringify({ records: { '@': [{ type: 'TXT', value: '"network"' }] }, serial: 4 })
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

/** The value that a parameter of a path gets. */
const PARAMETERS: Readonly<Record<string, string>> = {
  name: NAME,
  did: DID,
  task_id: 'task-1',
  field: 'mode',
  code: 'SVC-RES-002'
}

/** A case: an operation, the schema of its answer, the service that it calls, and what else the request needs. */
type Call = (operation: string, schema?: GenericSchema, service?: Service, more?: Partial<EndpointCase>) => EndpointCase

const call =
  (token: boolean): Call =>
  (operation, schema, service, more) => ({
    operation,
    path: operation.split(' ')[1]!.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => PARAMETERS[parameter]!),
    status: 200,
    token,
    ...(schema && { schema }),
    ...(service && { service }),
    ...more
  })
/** For everybody, and for holders of a token. */
const [open, closed] = [call(false), call(true)]

export const ENDPOINTS: readonly EndpointCase[] = [
  open('GET /api/network-status', network.NetworkStatusSchema, 'networkStatus'),
  open('GET /api/resolve/{name}', names.RevealSchema, 'resolve'),
  open('GET /api/explain/{name}', ExplanationSchema, 'explain'),
  open('GET /api/resolve-kid/{did}', identity.ResolvedIdentitySchema, 'resolveIdentity'),
  open('GET /1.0/identifiers/{did}', identity.DidResolutionResultSchema, 'resolveIdentityLog'),
  open('GET /api/resolve-kid/{did}/log', identity.IdentityLogSchema, 'resolveIdentityLog'),
  open('GET /api/zone/{name}', zone.ZoneSchema, 'publicZone'),
  closed('POST /api/commit', common.CommittedSchema, 'commit', {
    body: { name: NAME, commitment: { hash: [...new Uint8Array(32)] } }
  }),
  closed('POST /api/publish', common.StoredSchema, 'publish', { body: { reveal: REVEAL_BODY } }),
  closed('GET /api/identities', own.OwnIdentityListSchema, 'ownIdentities'),
  closed('POST /api/kid', common.IdentityPublishedSchema, 'createKid', {
    body: { name: NAME, services: [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }] }
  }),
  closed('POST /api/publish-kid', common.IdentityPublishedSchema, 'publishKid', {
    body: { authorized_kid: { document: { id: DID, verificationMethod: [] } } }
  }),
  closed('POST /api/publish-manifest', common.IdentityPublishedSchema, 'publishManifest', {
    body: { authorized_manifest: { manifest: { id: DID, capabilities: [] } } }
  }),
  closed('GET /api/owned-names', own.OwnedNamesSchema, 'ownedNames'),
  closed('GET /api/names', own.OwnedNameListSchema, 'ownedNames'),
  closed('POST /api/names/{name}/release', own.OwnedNameSchema, 'release', {
    path: '/api/names/owned.chronym/release'
  }),
  closed('DELETE /api/names/{name}/release', own.OwnedNameSchema, 'release', {
    path: '/api/names/owned.chronym/release'
  }),
  closed('GET /api/names/{name}/keys', KeysSchema, 'keysOf'),
  closed('POST /api/names/{name}/offer', OfferSchema, 'offerFor', { body: { alone: true } }),
  closed('POST /api/changes', common.StoredSchema, 'acceptOffer', {
    body: { offer: 'chronym:offer/AA', key: base64(new Uint8Array(32)), signature: base64(new Uint8Array(64)) }
  }),
  closed('GET /api/change-words', ChangeWordsSchema, 'changeWords'),
  closed('POST /api/change-words', ChangeWordsSchema, 'setChangePoint', {
    body: { point: base64(new Uint8Array(32)) }
  }),
  closed('GET /api/pins', pin.PinListSchema, 'pins'),
  closed('POST /api/pins', pin.PinnedCodesSchema, 'pinCodes', { body: { codes: ['alice--7kq2mx.chronym'] } }),
  closed('GET /api/pin-lists', pin.FollowedListsSchema, 'pinLists'),
  closed('POST /api/pin-lists', pin.FollowedListsSchema, 'followPinList', {
    body: { source: 'https://pins.example.org/list.txt', agree: 2 }
  }),
  closed('DELETE /api/pins/{name}', common.SuccessSchema, 'forgetPin'),
  closed('GET /api/backup', BackupSchema),
  closed('GET /api/peers', network.PeerListSchema, 'peers'),
  closed('GET /api/network/names', network.SampledNamesSchema, 'sampleNames'),
  closed('GET /api/network/clocks', network.PeerClocksSchema, 'clocks'),
  closed('POST /api/peers', network.PeerSchema, 'connect', { body: { address: '/ip4/192.0.2.1/tcp/7469' } }),
  closed('GET /api/seed', daemon.SeedSchema),
  closed('POST /api/seed/unlock', daemon.SeedSchema, 'seed', { body: { passphrase: SEED_PASSPHRASE } }),
  closed('POST /api/seed/lock', daemon.SeedSchema, 'seed'),
  closed('GET /api/wanted', own.WantedListSchema, 'adoptions'),
  closed('POST /api/wanted', own.WantedSchema, 'adopt', { body: { id: NAME } }),
  closed('DELETE /api/wanted/{id}', common.SuccessSchema, 'stopAdopting', { path: `/api/wanted/${NAME}` }),
  closed('POST /api/vdf/register', names.TaskStartedSchema, 'register', {
    body: { name: 'new.chronym', zone: ZONE },
    status: 202
  }),
  closed('POST /api/vdf/renew', names.TaskStartedSchema, 'renew', { body: { name: 'owned.chronym' }, status: 202 }),
  closed('POST /api/vdf/estimate', task.EstimateSchema, 'estimate', { body: { name: NAME } }),
  closed('GET /api/vdf/tasks', task.TaskListSchema, 'tasks'),
  closed('GET /api/farm', FarmViewSchema),
  closed('GET /api/vdf/status/{task_id}', task.TaskSchema, 'tasks'),
  closed('DELETE /api/vdf/status/{task_id}', common.SuccessSchema, 'tasks'),
  closed('GET /api/vdf/status/{task_id}/events', undefined, undefined, { path: '/api/vdf/status/task-2/events' }),
  closed('POST /api/vdf/tasks/{task_id}/pause', task.TaskSchema, 'tasks'),
  closed('POST /api/vdf/tasks/{task_id}/resume', task.TaskSchema, 'tasks'),
  closed('POST /api/vdf/tasks/{task_id}/move', task.TaskSchema, 'tasks', { body: { place: 'farm' } }),
  closed('POST /api/zone/{name}', zone.ZoneSavedSchema, 'saveZone', { body: ZONE }),
  closed('POST /api/zone/{name}/check', zone.ZoneCheckedSchema, 'checkZone', { body: ZONE }),
  closed('PATCH /api/zone/{name}', zone.ZoneSavedSchema, 'patchZone', {
    body: { add: ZONE.records, remove: [{ label: 'www' }] }
  }),
  closed('DELETE /api/zone/{name}', common.SuccessSchema, 'discardZone', { path: '/api/zone/owned.chronym' }),
  closed('GET /api/drafts', own.ZoneDraftListSchema, 'drafts'),
  closed('POST /api/zone/{name}/publish', common.ZonePublishedSchema, 'publishZone', {
    path: '/api/zone/owned.chronym/publish'
  }),
  closed('GET /api/config', daemon.ConfigSchema),
  closed('POST /api/config', daemon.ConfigSchema, 'config', { body: { mode: 'light' } }),
  closed('GET /api/config/fields', ConfigFieldListSchema),
  closed('DELETE /api/config/{field}', daemon.ConfigSchema, 'config'),
  open('GET /api/dns', DnsViewSchema),
  closed('POST /api/dns/flush', daemon.DnsFlushedSchema, 'dns', { body: { name: NAME } }),
  closed('GET /api/https/hosts', KeyedHostListSchema, 'dns'),
  closed('DELETE /api/https/hosts/{host}', daemon.KeyedHostForgottenSchema, 'dns', {
    path: `/api/https/hosts/${NAME}`
  }),
  open('GET /dns-query', undefined, 'dns', { path: '/dns-query?dns=AAABAAABAAAAAAAA' }),
  open('POST /dns-query', undefined, 'dns', {
    raw: new Uint8Array(12),
    headers: { 'Content-Type': 'application/dns-message' }
  }),
  closed('GET /api/events'),
  closed('GET /api/tokens', daemon.TokenListSchema),
  closed('POST /api/tokens', daemon.NewTokenSchema, 'store', {
    body: { scopes: ['read'], label: 'grafana' },
    status: 201
  }),
  closed('POST /api/tokens/rotate', daemon.RotatedTokenSchema, 'store'),
  closed('DELETE /api/tokens/{id}', common.SuccessSchema, 'store', { path: '/api/tokens/{token id}' }),
  open('GET /api/challenge', daemon.ChallengeSchema, undefined, {
    path: `/api/challenge?nonce=${'ab'.repeat(32)}&address=127.0.0.1:7468`
  }),
  open('GET /session', daemon.SessionSchema),
  open('POST /session', daemon.SessionOpenedSchema, undefined, { body: { token: MAIN_TOKEN } }),
  closed('POST /api/login-links', daemon.LoginLinkSchema, undefined, { status: 201 }),
  open('DELETE /session', undefined, undefined, { status: 204 }),
  open('GET /healthz', daemon.HealthSchema),
  open('GET /readyz', ReadinessSchema),
  closed('GET /metrics'),
  open('GET /errors/{code}', common.ErrorPageSchema),
  open('GET /openapi.json'),
  open('GET /proxy.pac'),
  open('GET /docs'),
  open('GET /')
]

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

export function ownedName(name: string): OwnedNameView {
  return {
    name,
    state: 'live',
    check_code: CHECK_CODE,
    coded_name: null,
    lease_end: '2026-11-28T12:00:00.000Z',
    serial: 1,
    published_serial: 0,
    records: 1,
    renewal: { state: 'scheduled', due: '2026-11-27T19:12:00.000Z', task_id: null, left: 64 },
    warnings: []
  }
}

/** Fills a world with what the paths above name. Returns the path, with the id of a token made for it. */
export function furnish(world: World, { path }: EndpointCase): string {
  world.registry.reveals.set(NAME, REVEAL)
  world.registry.identities.set(DID, { document: { id: DID, verificationMethod: [] }, manifest: null })
  world.registry.owned.set('owned.chronym', ownedName('owned.chronym'))
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
  world.tasks.change('task-2', 'completed', { status: 'completed', phase: 'done', progress: 1_000_000 })
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
