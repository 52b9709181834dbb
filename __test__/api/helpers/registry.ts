/**
 * A registry in memory: owners, zones and identities in maps, and failures on demand. It knows no peers and no proofs.
 */
import { ServiceError } from '../../../src/errors.ts'
import type { NetworkMode } from '../../../src/network/types.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { Zone } from '../../../src/protocol/zone/zone.ts'
import type {
  LookedUp,
  NewIdentity,
  ResolvedName,
  ZonePatch,
  ZoneView,
  Registry
} from '../../../src/registry/use-cases.ts'
import type { Explanation } from '../../../src/views/explanation.ts'
import type { OwnedNameView, OwnIdentityView, WantedView, ZoneDraft } from '../../../src/views/own.ts'
import type { NetworkDiversityView, PeerClockView, PeerView } from '../../../src/views/network.ts'
import type { FollowedListsView, FollowedListView, PinnedCodesView, PinView } from '../../../src/views/pin.ts'
import type { ChangeWordsView, KeysView, OfferView } from '../../../src/views/keys.ts'
import type { Authority, FollowOptions } from '../../../src/registry/use-cases.ts'
import type { StoredBy } from '../../../src/views/common.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { profileHash } from '../../../src/protocol/profile/profile.ts'
import { LOCAL } from '../../protocol/fixtures.ts'
import { explanation } from './explanation.ts'
import type { MemoryTasks } from './tasks.ts'

/** Of each answer. */
export const CHECK_CODE = '7kq2mx0123456789abcdefghjk'

export type Operation = keyof Registry

/** Four peers of a young network, two of each of two /24. */
const DIVERSITY: NetworkDiversityView = {
  peers: 4,
  prefixes: 2,
  wide_prefixes: 1,
  needed: { answer: 11, settle: 8, adopt: 5 },
  missing: { peers: 7, prefixes: 4, wide_prefixes: 2 },
  enough: false,
  message: '4 of the 11 diverse peers'
}

export class MemoryRegistry implements Registry {
  readonly reveals = new Map<string, Reveal>()
  readonly zones = new Map<string, Zone & { serial: number }>()
  readonly owned = new Map<string, OwnedNameView>()
  changePoint: string | null = null
  /** What differs from the keys of a name that never changed them. */
  readonly changedKeys = new Map<string, Partial<KeysView>>()
  readonly sought = new Map<string, WantedView>()
  readonly followed = new Map<string, FollowedListView>()
  pinned = new Map<string, PinView>()
  readonly identities = new Map<
    string,
    { document: Record<string, unknown>; manifest: Record<string, unknown> | null }
  >()
  readonly failures = new Map<Operation, Error>()
  readonly calls: { operation: Operation; arguments: unknown[] }[] = []
  mode: NetworkMode = 'full'
  readonly #tasks: MemoryTasks

  constructor(tasks: MemoryTasks) {
    this.#tasks = tasks
  }

  #called(operation: Operation, ...args: unknown[]): void {
    this.calls.push({ operation, arguments: args })
    const failure = this.failures.get(operation)
    if (failure !== undefined) throw failure
  }

  #named(operation: Operation, name: string, ...args: unknown[]): void {
    this.#called(operation, name, ...args)
    if (!/^[a-z0-9-]{1,63}\.chronym$/.test(name))
      throw new ServiceError('SVC-NAM-001', `"${name}" is not a valid name of this network.`)
  }

  #find(name: string): Reveal {
    const reveal = this.reveals.get(name)
    if (reveal === undefined) throw new ServiceError('SVC-RES-002', `${name} is not registered.`)
    return reveal
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  networkStatus() {
    this.#called('networkStatus')
    return {
      status: 'online' as const,
      connecting: null,
      peers: 4,
      mode: this.mode,
      auto: null,
      peer_id: '12D3KooW',
      network: 'local',
      size: 5,
      beacon: { round: 99, age_seconds: 1, message: null },
      addresses: [
        {
          address: '/ip4/192.0.2.1/tcp/7469/p2p/12D3KooW',
          state: 'unconfirmed' as const,
          confirmed_by: [],
          message: 'No peer has dialled it yet.'
        }
      ],
      records: 7,
      alone: false,
      diversity: DIVERSITY
    }
  }

  peers(): PeerView[] {
    this.#called('peers')
    const peer = { prefix: '192.0.2.0/24', distance: 0.01, in_table: true, agent: 'chronym/0.1.0' }
    return Array.from({ length: this.peerCount }, (_, index) => ({
      ...peer,
      peer: `12D3KooW${index}`,
      connection: { direction: 'inbound', since: '2026-11-21T12:00:00.000Z' }
    }))
  }

  sampleNames(count: number): string[] {
    this.#called('sampleNames', count)
    return [...this.reveals.keys()].slice(0, count)
  }

  ahead: readonly number[] = [12]

  async clocks(): Promise<PeerClockView[]> {
    this.#called('clocks')
    return this.ahead.map((ahead, index) => ({ peer: `12D3KooW${index}`, ahead_ms: ahead }))
  }

  async connect(address: string): Promise<PeerView> {
    this.#called('connect', address)
    return this.peers()[0]!
  }

  peerCount = 1

  async setMode(mode: NetworkMode): Promise<void> {
    this.mode = mode
  }

  async resolve(name: string) {
    this.#named('resolve', name)
    const reveal = this.#find(name)
    return { reveal, checkCode: CHECK_CODE, confidence: 'settled' as const, source: 'network' as const }
  }

  kept: (name: string) => ResolvedName | undefined = () => undefined

  async lookUp(name: string): Promise<LookedUp> {
    this.#named('lookUp', name)
    return { resolved: await this.resolve(name), isPinFirm: false, freshMs: 1000, staleMs: 2000 }
  }

  forget(name?: string): void {
    this.#called('forget', name)
  }

  onForgotten = () => () => undefined
  isOwnRecord = ({ name }: Pick<Reveal, 'name'>) => this.owned.has(name)

  async explain(name: string, options?: { withOwn?: boolean }): Promise<Explanation> {
    this.#named('explain', name, options?.withOwn)
    return explanation({
      name,
      own: options?.withOwn === true ? { name: null, claim: null, receipts: null, tasks: [] } : null
    })
  }

  async resolveIdentity(did: string) {
    this.#called('resolveIdentity', did)
    const identity = this.identities.get(did)
    if (identity === undefined) throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
    return {
      kid_document: identity.document,
      manifest_document: { capabilities: [], ...identity.manifest },
      manifest_answered: true
    }
  }

  async resolveIdentityLog(did: string) {
    this.#called('resolveIdentityLog', did)
    const identity = this.identities.get(did)
    if (identity === undefined) throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
    return { did, versions: [{ version: 1, ...identity.document }] }
  }

  readonly didMethod = 'chronym'

  ownIdentities(): OwnIdentityView[] {
    this.#called('ownIdentities')
    return [...this.identities.keys()].map((did) => ({
      did,
      version: 1,
      state: 'active',
      created: '2026-01-01T00:00:00.000Z',
      updated: '2026-01-01T00:00:00.000Z',
      name: null,
      index: 0,
      services: 0,
      recovery_keys: 1
    }))
  }

  async publicZone(name: string): Promise<ZoneView> {
    this.#named('publicZone', name)
    try {
      return {
        zone: JSON.parse(Buffer.from(this.#find(name).payload).toString()) as Zone,
        source: 'network',
        state: 'published'
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw new ServiceError('SVC-ZON-001', `The payload of ${name} is not a zone.`)
      throw error
    }
  }

  localZone(name: string): ZoneView | undefined {
    this.#called('localZone', name)
    const zone = this.zones.get(name)
    return zone === undefined ? undefined : { zone, source: 'local', state: 'draft' }
  }

  saveZone(name: string, zone: unknown, ifMatchSerial?: number) {
    this.#named('saveZone', name, zone, ifMatchSerial)
    const standing = this.#unchanged(name, ifMatchSerial)
    this.#judge(zone)
    this.zones.set(name, { records: (zone as Zone).records, serial: standing + 1 })
    return { serial: standing + 1 }
  }

  checkZone(name: string, zone: unknown) {
    this.#named('checkZone', name, zone)
    this.#judge(zone)
  }

  #judge(zone: unknown): void {
    const { records } = zone as Zone
    for (const [label, group] of Object.entries(records)) {
      for (const [index, { type, value }] of group.entries()) {
        if (type === 'A' && !/^[\d.]+$/.test(value)) {
          throw new ServiceError('SVC-ZON-002', 'The zone breaks a rule.', {
            errors: [{ path: `records/${label}/${index}/value`, message: 'is not an IPv4 address' }]
          })
        }
      }
    }
  }

  #unchanged(name: string, ifMatchSerial: number | undefined): number {
    const standing = this.zones.get(name)?.serial ?? 0
    if (ifMatchSerial !== undefined && ifMatchSerial !== standing)
      throw new ServiceError('SVC-ZON-004', `The zone has serial ${standing}.`)
    return standing
  }

  patchZone(name: string, patch: ZonePatch, ifMatchSerial?: number) {
    this.#named('patchZone', name, patch, ifMatchSerial)
    const standing = this.#unchanged(name, ifMatchSerial)
    const records = Object.assign(
      Object.create(null) as Zone['records'],
      structuredClone(this.zones.get(name)?.records ?? {})
    )
    for (const { label, type, value } of patch.remove) {
      records[label] = (records[label] ?? []).filter(
        (record) => !((type === undefined || record.type === type) && (value === undefined || record.value === value))
      )
    }
    for (const [label, added] of Object.entries(patch.add as Zone['records'])) (records[label] ??= []).push(...added)
    this.zones.set(name, { records, serial: standing + 1 })
    return { serial: standing + 1 }
  }

  discardZone(name: string, ifMatchSerial?: number): void {
    this.#named('discardZone', name, ifMatchSerial)
    this.#unchanged(name, ifMatchSerial)
    if (!this.zones.delete(name)) throw new ServiceError('SVC-ZON-003', `There is no draft for ${name}.`)
  }

  drafts(): ZoneDraft[] {
    this.#called('drafts')
    return [...this.zones].map(([name, { serial, records }]) => ({
      name,
      serial,
      published_serial: 0,
      records: Object.keys(records).length,
      owner: 'owned'
    }))
  }

  async publishZone(name: string) {
    this.#named('publishZone', name)
    if (!this.owned.has(name)) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
    const zone = this.zones.get(name)
    if (zone === undefined) throw new ServiceError('SVC-ZON-003', `This daemon has no zone for ${name}.`)
    return { serial: zone.serial, stored_by: 3, of: 4 }
  }

  async commit(name: string, commitment: Uint8Array) {
    this.#named('commit', name, commitment)
    return { stored_by: 3, of: 4, pulse_round: 1020 }
  }

  async publish(reveal: Reveal) {
    this.#named('publish', reveal.name, reveal)
    this.reveals.set(reveal.name, reveal)
    return { stored_by: 3, of: 4 }
  }

  async createKid(identity: NewIdentity) {
    this.#called('createKid', identity)
    return { did: 'did:chronym:zNew', version: 1, stored_by: 3, of: 4 }
  }

  async publishKid(authorizedIdentity: unknown) {
    this.#called('publishKid', authorizedIdentity)
    const { document = authorizedIdentity } = authorizedIdentity as { document?: unknown }
    const kid = document as { id?: unknown }
    if (typeof kid.id !== 'string') throw new ServiceError('SVC-KID-001', 'The document has no id.')
    this.identities.set(kid.id, { document: kid, manifest: null })
    return { did: kid.id, version: 1, stored_by: 3, of: 4 }
  }

  async publishManifest(authorizedManifest: unknown) {
    this.#called('publishManifest', authorizedManifest)
    const { manifest = authorizedManifest } = authorizedManifest as { manifest?: unknown }
    const document = manifest as { id?: unknown }
    if (typeof document.id !== 'string') throw new ServiceError('SVC-KID-001', 'The manifest has no id.')
    const identity = this.identities.get(document.id)
    if (identity === undefined)
      throw new ServiceError('SVC-KID-001', `No identity document is known for ${document.id}.`)
    identity.manifest = document
    return { did: document.id, version: 1, stored_by: 3, of: 4 }
  }

  subscribe(): () => void {
    return () => undefined
  }
  pins(after = ''): PinView[] {
    this.#called('pins', after)
    return [...this.pinned.values()].filter(({ name }) => name > after).slice(0, 2)
  }

  pinCodes(codes: readonly string[], dryRun = false): PinnedCodesView {
    this.#called('pinCodes', codes, dryRun)
    return { pinned: codes.map((each) => each.replace(/--[^.]*/, '')), known: 0 }
  }

  forgetPin(name: string): void {
    this.#named('forgetPin', name)
    if (!this.pinned.delete(name)) throw new ServiceError('SVC-PIN-001', `This daemon remembers no owner of ${name}.`)
  }

  pinLists(): FollowedListsView {
    this.#called('pinLists')
    return { agree: 1, lists: [...this.followed.values()] }
  }

  followPinList(source: string, options: FollowOptions = {}): Promise<FollowedListsView> {
    this.#called('followPinList', source, options)
    if (options.follow === false) this.followed.delete(source)
    else this.followed.set(source, followedList(source))
    return Promise.resolve(this.pinLists())
  }

  adoptions(): WantedView[] {
    this.#called('adoptions')
    return [...this.sought.values()]
  }

  async adopt(id: string): Promise<WantedView> {
    if (id.startsWith('did:')) this.#called('adopt', id)
    else this.#named('adopt', id)
    const view: WantedView = {
      id,
      state: 'not-found',
      detail: 'No peer that answered shows it.',
      since: '2026-11-21T12:00:00.000Z',
      looked_at: null
    }
    this.sought.set(id, view)
    return view
  }

  stopAdopting(id: string): void {
    this.#called('stopAdopting', id)
    if (!this.sought.delete(id)) throw new ServiceError('SVC-WNT-002', `This daemon does not look for ${id}.`)
  }

  keysOf(name: string): Promise<KeysView> {
    this.#named('keysOf', name)
    const { pubkey } = this.#find(name)
    return Promise.resolve({
      name,
      check_code: CHECK_CODE,
      claim_id: '00'.repeat(32),
      claimed_round: 1,
      claimed_at: '2026-11-24T12:00:00.000Z',
      renewals: 0,
      pubkey: toHex(pubkey),
      own: this.owned.has(name),
      changes: 0,
      changes_left: 16,
      last_change: null,
      consented: null,
      change_key: false,
      final_after_seconds: { both: 86_400, alone: 60 * 86_400 },
      final: true,
      final_at: null,
      final_votes: 19,
      votes: 20,
      coded: { final_votes: 18, votes: 20 },
      other_keys: 0,
      equivocation: false,
      notice: null,
      ...this.changedKeys.get(name)
    })
  }

  offerFor(name: string, alone: boolean): Promise<OfferView> {
    this.#named('offerFor', name, alone)
    return Promise.resolve({
      offer: 'chronym:offer/',
      code: '0'.repeat(12),
      name,
      pubkey: '11'.repeat(32),
      consented: !alone
    })
  }

  acceptOffer(offer: string, authority: Authority): Promise<StoredBy> {
    this.#called('acceptOffer', offer, authority)
    return Promise.resolve({ stored_by: 3, of: 4 })
  }

  changeWords(): ChangeWordsView {
    this.#called('changeWords')
    return { point: this.changePoint, profile_hash: toHex(profileHash(LOCAL)) }
  }

  setChangePoint(point: Uint8Array): ChangeWordsView {
    this.#called('setChangePoint', point)
    this.changePoint = toHex(point)
    return this.changeWords()
  }

  ownedNames(): OwnedNameView[] {
    this.#called('ownedNames')
    return [...this.owned.values()]
  }

  release(name: string): OwnedNameView {
    return this.#released(name, 'released')
  }

  takeBack(name: string): OwnedNameView {
    return this.#released(name, 'scheduled')
  }

  #released(name: string, state: OwnedNameView['renewal']['state']): OwnedNameView {
    this.#named('release', name)
    const owned = this.owned.get(name)
    if (owned === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
    return { ...owned, renewal: { ...owned.renewal, state } }
  }

  async register(name: string, options: { zone?: unknown }) {
    this.#named('register', name, options)
    return this.#tasks.create({ name, kind: 'register' })
  }

  async renew(name: string, options: { zone?: unknown }) {
    this.#named('renew', name, options)
    if (!this.owned.has(name)) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
    return this.#tasks.create({ name, kind: 'renew' })
  }

  async estimate(name: string) {
    this.#named('estimate', name)
    return {
      kind: 'register' as const,
      iterations: 1_000_000,
      iterations_per_second: 333_000,
      seconds: 6,
      queued_seconds: 0,
      proving_seconds: 1,
      proof_kept: false,
      lease_start: '2026-11-21T12:00:00.000Z',
      lease_end: '2026-11-28T12:00:00.000Z',
      renewal_iterations: 250_000,
      renewals: 64,
      gain_seconds: null,
      left: null
    }
  }

  renewalGain(name: string) {
    return this.owned.has(name) ? { gain_seconds: 90, left: 64 } : { gain_seconds: null, left: null }
  }
}

function followedList(source: string): FollowedListView {
  return {
    source,
    key: 'z6MkTest',
    made_at: '2023-11-14T22:13:20.000Z',
    fetched_at: '2023-11-14T22:13:20.000Z',
    entries: 3,
    failure: null,
    rolled_back_to: null,
    equivocation: null
  }
}
