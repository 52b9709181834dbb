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
import { changePoint } from '../../../src/protocol/crypto/change-keys.ts'
import { formatOffer, makeOffer } from '../../../src/protocol/claim/offer.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { keyOf, bytesOf } from '../../protocol/fixtures.ts'
import { profile } from '../../registry/test-profile.ts'
import { DID, IDENTITY, MANIFEST, NAME, ownReveal, REVEAL, REVEAL_BODY } from './records.ts'
import { MAIN_TOKEN, SEED_PASSPHRASE, type Operation, type World } from './world.ts'

const OWNED = 'owned.chronym'
const ZONE = { records: { '@': [{ type: 'A', value: '192.0.2.1' }] } }
const HASH = profileHash(profile)
/** A buyer's offer to take the name over from this daemon. */
const OFFER = makeOffer(ownReveal(OWNED), { next: bytesOf('next'), consented: false }, keyOf('bob'), HASH)
const POINT = changePoint(bytesOf('words'), HASH)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

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
  task_id: '{running task}',
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
    body: { name: OWNED, services: [{ id: '#files', type: 'FileServer', serviceEndpoint: 'https://files.example' }] }
  }),
  closed('POST /api/publish-kid', common.IdentityPublishedSchema, 'publishKid', {
    body: { authorized_kid: { document: IDENTITY } }
  }),
  closed('POST /api/publish-manifest', common.IdentityPublishedSchema, 'publishManifest', {
    body: { authorized_manifest: { manifest: MANIFEST } }
  }),
  closed('GET /api/owned-names', own.OwnedNamesSchema, 'ownedNames'),
  closed('GET /api/names', own.OwnedNameListSchema, 'ownedNames'),
  closed('POST /api/names/{name}/release', own.OwnedNameSchema, 'release', {
    path: `/api/names/${OWNED}/release`
  }),
  closed('DELETE /api/names/{name}/release', own.OwnedNameSchema, 'takeBack', {
    path: `/api/names/${OWNED}/release`
  }),
  closed('GET /api/names/{name}/keys', KeysSchema, 'keysOf'),
  closed('POST /api/names/{name}/offer', OfferSchema, 'offerFor', { body: { alone: false } }),
  closed('POST /api/changes', common.StoredSchema, 'acceptOffer', {
    body: { offer: formatOffer(OFFER) }
  }),
  closed('GET /api/change-words', ChangeWordsSchema, 'changeWords'),
  closed('POST /api/change-words', ChangeWordsSchema, 'setChangePoint', {
    body: { point: base64(POINT) }
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
  closed('DELETE /api/wanted/{id}', common.SuccessSchema, 'stopAdopting', { path: '/api/wanted/wanted.chronym' }),
  closed('POST /api/vdf/register', names.TaskStartedSchema, 'register', {
    body: { name: 'new.chronym', zone: ZONE },
    status: 202
  }),
  closed('POST /api/vdf/renew', names.TaskStartedSchema, 'renew', { body: { name: OWNED }, status: 202 }),
  closed('POST /api/vdf/estimate', task.EstimateSchema, 'estimate', { body: { name: NAME } }),
  closed('GET /api/vdf/tasks', task.TaskListSchema, 'tasks'),
  closed('GET /api/farm', FarmViewSchema),
  closed('GET /api/vdf/status/{task_id}', task.TaskSchema, 'tasks'),
  closed('DELETE /api/vdf/status/{task_id}', common.SuccessSchema, 'tasks'),
  closed('GET /api/vdf/status/{task_id}/events', undefined, undefined, {
    path: '/api/vdf/status/{ended task}/events'
  }),
  closed('POST /api/vdf/tasks/{task_id}/pause', task.TaskSchema, 'tasks'),
  closed('POST /api/vdf/tasks/{task_id}/resume', task.TaskSchema, 'tasks'),
  closed('POST /api/vdf/tasks/{task_id}/move', task.TaskSchema, 'tasks', { body: { place: 'farm' } }),
  closed('POST /api/zone/{name}', zone.ZoneSavedSchema, 'saveZone', { path: `/api/zone/${OWNED}`, body: ZONE }),
  closed('POST /api/zone/{name}/check', zone.ZoneCheckedSchema, 'checkZone', { body: ZONE }),
  closed('PATCH /api/zone/{name}', zone.ZoneSavedSchema, 'patchZone', {
    path: `/api/zone/${OWNED}`,
    body: { add: ZONE.records, remove: [{ label: 'www' }] }
  }),
  closed('DELETE /api/zone/{name}', common.SuccessSchema, 'discardZone', { path: `/api/zone/${OWNED}` }),
  closed('GET /api/drafts', own.ZoneDraftListSchema, 'drafts'),
  closed('POST /api/zone/{name}/publish', common.ZonePublishedSchema, 'publishZone', {
    path: `/api/zone/${OWNED}/publish`
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

/** Fills a world with what the requests above name. Returns the path, as `pathIn` does. */
export async function furnish(world: World, endpoint: EndpointCase): Promise<string> {
  const { registry, tasks } = world.node
  world.hold(REVEAL)
  await world.own(OWNED)
  registry.saveZone(OWNED, { records: { www: [{ type: 'A', value: '192.0.2.3' }] } })
  await registry.publishKid(IDENTITY)
  await registry.adopt('wanted.chronym')
  // Each takes some time, and one path alone needs it.
  if (endpoint.path.startsWith('/api/pins/')) await registry.resolve(NAME)
  if (endpoint.path.endsWith('/offer')) registry.setChangePoint(POINT)
  // These reach farms, peers and lists, which the world does not have.
  world.answers.connect = () => Promise.resolve(registry.peers()[0]!)
  world.answers.followPinList = (_source, { agree = 1 } = {}) => Promise.resolve({ agree, lists: [] })
  world.answers.move = (id, place) => tasks.get(id) && { ...tasks.get(id)!, moved_to: place }
  return pathIn(world, endpoint)
}

/** The path of a request, with the ids that are made for it. */
export async function pathIn(world: World, { path }: EndpointCase): Promise<string> {
  const { tasks } = world.node
  const running = tasks.create({ name: 'running.chronym', kind: 'register' })
  const ended = tasks.create({ name: 'ended.chronym', kind: 'register' })
  await tasks.remove(ended.task_id)
  return path
    .replace('{running task}', running.task_id)
    .replace('{ended task}', ended.task_id)
    .replace('{token id}', () => world.services.tokens.create(['read']).id)
}

/** Plants a failure in the service behind an endpoint. */
export function plant(world: World, service: Service, failure: Error): void {
  if (service === 'tasks')
    for (const each of ['get', 'list', 'remove', 'pause', 'resume', 'move'] as const) world.failures.set(each, failure)
  else if (service === 'dns') world.dns.failure = failure
  else if (service === 'seed') world.state.seedFailure = failure
  else if (service === 'config') world.config.failure = failure
  else if (service === 'store') {
    world.store.onWrite = () => {
      throw failure
    }
  } else world.failures.set(service, failure)
}
