/**
 * The one map of the database: every key is built here and nowhere else.
 *
 *   prefix                         value                                                        written by
 *   entry/<K>                      what we hold under K(name): state and claim                   network/holder
 *   record/<K>                     the Reveal of that entry                                      network/holder
 *   stub/<K>                       a settled claim without its payload                           network/holder
 *   unsettled/<K>                  nothing: the entry is not settled                             network/holder
 *   entries-indexed                nothing: all these marks are there                            network/holder
 *   coded-entry/<K> ...            as entry, record and the rest, held under K(name, code)         network/holder
 *   commitment/<C>                 first sight s, stamp, address prefix, last sent               network/holder
 *   identity/<K>                   the whole identity log held under K(did)                      network/holder
 *   stamped/<K>                    of an identity that only a stamp carries: work, round          network/holder
 *   manifest/<K>                   the newest manifest held under K(did)                         network/holder
 *   carried/<kind>/<K>             the name for which that identity or manifest is held          network/holder
 *   acquaintances                  since when peers are known                                   network
 *   contacts                       addresses of peers met before                                network
 *   bootstrap-lists                the last good list of each name of bootstrap peers              network
 *   reached                        nothing: by mode auto this node was full when it last changed    network
 *   own/<kind>/<id>                a record of our own, republished without end                   network/client
 *   time/lapse                     highest round verified while pulses were fresh                round-clock
 *   owned/<name>                   a name of ours: claim, salts, newest Reveal                   registry
 *   zone/<name>                    the local zone                                                registry
 *   receipts/<name>                who confirmed our commitment, and when they saw it            registry
 *   pin/<name>                     claim seen as settled: tentative, or firm until the lease dies registry
 *   pin-code/<name>                the code that the user gave: the bare name means its claim     registry
 *   pin-list/<hash of source>      a list of published pins that this daemon follows              registry
 *   pin-lists-agree                how many publishers of such lists must agree                 registry
 *   pin-look/<round>/<name>        nothing: from that round on a tentative pin is looked at again registry
 *   pin-end/<round>/<name>         nothing: after that round the lease of a firm pin is dead     registry
 *   https/<host>                   since when a host that had a TLSA record has none, or null      daemon
 *   seen/<name>/<claim>            highest (p, serial, ...) ever seen: no way back               registry
 *   wanted/<name or did>           a name or identity of ours to be found in the network            registry
 *   kid/<did>                      an identity document of ours                                  registry
 *   seen-kid/<did>                 newest log of an identity ever seen: no way back              registry
 *   awake                          when this daemon was awake recently                           registry
 *   task/<task id>                 the journal of a VDF task                                     tasks
 *   proof/<task kind>/<name>       a finished proof, kept for thirty days                        tasks
 *   aside/<key>                    a record that could not be read, as it was                    store
 *   token/<id>                     a narrower access token: hash, scopes, label                  daemon
 *   idempotency/<hash of key>      the answer once given under an Idempotency-Key                daemon
 *   config/<path>                  a field changed at run time                                   daemon
 *   profile                        hash of the network this directory belongs to                 daemon
 *   seed-fingerprint               of the seed this directory belongs to                         daemon
 *
 * K, C, pubkeys and hashes are lower-case hex. Rounds have sixteen decimal digits, so that they are in order. Names,
 * DIDs, task ids and configuration paths hold no slash. Secrets (seed words, tokens, the node key) are files, never
 * values here.
 */
import { toHex } from '../protocol/encoding/bytes.ts'

const SEPARATOR = '/'

function key(...parts: readonly string[]): string {
  for (const part of parts) {
    if (part === '' || part.includes(SEPARATOR)) throw new RangeError(`"${part}" cannot be part of a database key`)
  }
  return parts.join(SEPARATOR)
}

/** A round below 10^16. */
function inOrder(round: number): string {
  return String(round).padStart(16, '0')
}

export type DocumentKind = 'kid' | 'manifest'
type OwnRecordKind = 'reveal' | DocumentKind

export const keys = {
  entry: (recordKey: Uint8Array) => key('entry', toHex(recordKey)),
  record: (recordKey: Uint8Array) => key('record', toHex(recordKey)),
  notice: (recordKey: Uint8Array) => key('notice', toHex(recordKey)),
  stub: (recordKey: Uint8Array) => key('stub', toHex(recordKey)),
  unsettled: (recordKey: Uint8Array) => key('unsettled', toHex(recordKey)),
  entriesIndexed: () => key('entries-indexed'),
  stamped: (recordKey: Uint8Array) => key('stamped', toHex(recordKey)),
  commitment: (commitment: Uint8Array) => key('commitment', toHex(commitment)),
  identity: (recordKey: Uint8Array) => key('identity', toHex(recordKey)),
  manifest: (recordKey: Uint8Array) => key('manifest', toHex(recordKey)),
  carried: (kind: DocumentKind, recordKeyHex: string) => key('carried', kind, recordKeyHex),
  ownRecord: (kind: OwnRecordKind, id: string) => key('own', kind, id),
  reached: () => key('reached'),
  lapseRound: () => key('time', 'lapse'),
  ownedName: (name: string) => key('owned', name),
  zone: (name: string) => key('zone', name),
  receipts: (name: string) => key('receipts', name),
  pin: (name: string) => key('pin', name),
  pinCode: (name: string) => key('pin-code', name),
  pinList: (sourceHash: string) => key('pin-list', sourceHash),
  pinListsAgree: () => key('pin-lists-agree'),
  pinLook: (round: number, name: string) => key('pin-look', inOrder(round), name),
  pinEnd: (round: number, name: string) => key('pin-end', inOrder(round), name),
  keyedHost: (host: string) => key('https', host),
  seen: (name: string, claimId: Uint8Array) => key('seen', name, toHex(claimId)),
  wanted: (nameOrDid: string) => key('wanted', nameOrDid),
  ownIdentity: (did: string) => key('kid', did),
  seenIdentity: (did: string) => key('seen-kid', did),
  awake: () => key('awake'),
  task: (taskId: string) => key('task', taskId),
  proof: (kind: string, name: string) => key('proof', kind, name),
  token: (id: string) => key('token', id),
  idempotency: (hash: Uint8Array) => key('idempotency', toHex(hash)),
  configOverride: (path: string) => key('config', path),
  changePoint: () => key('change-point'),
  profile: () => key('profile'),
  seedFingerprint: () => key('seed-fingerprint'),
  contacts: () => key('contacts'),
  bootstrapLists: () => key('bootstrap-lists'),
  acquaintances: () => key('acquaintances')
} as const

/** Prefixes for `Store.list` and `Store.count`: all values of one kind. */
export const prefixes = {
  entries: 'entry/',
  /** Entries whose K begins with these hex digits. */
  entriesUnder: (hexDigits: string) => `entry/${hexDigits}`,
  records: 'record/',
  stubs: 'stub/',
  unsettled: 'unsettled/',
  stamped: 'stamped/',
  commitments: 'commitment/',
  identities: 'identity/',
  manifests: 'manifest/',
  carried: (kind: DocumentKind) => `${key('carried', kind)}${SEPARATOR}`,
  ownRecordsOf: (kind: OwnRecordKind) => `${key('own', kind)}${SEPARATOR}`,
  ownedNames: 'owned/',
  zones: 'zone/',
  pins: 'pin/',
  pinCodes: 'pin-code/',
  pinLists: 'pin-list/',
  pinLooks: 'pin-look/',
  pinEnds: 'pin-end/',
  keyedHosts: 'https/',
  seen: (name: string) => `${key('seen', name)}${SEPARATOR}`,
  receipts: 'receipts/',
  seenNames: 'seen/',
  wanted: 'wanted/',
  ownIdentities: 'kid/',
  seenIdentities: 'seen-kid/',
  tasks: 'task/',
  proofs: 'proof/',
  aside: 'aside/',
  tokens: 'token/',
  idempotency: 'idempotency/',
  configOverrides: 'config/'
} as const

/** What nobody else can give back to the owner: it must not wait in the log (`-wal`) beside the database. */
const OWNER_PREFIXES = [
  prefixes.ownedNames,
  prefixes.zones,
  prefixes.receipts,
  prefixes.ownIdentities,
  prefixes.tasks,
  prefixes.proofs,
  prefixes.wanted,
  prefixes.pinCodes,
  prefixes.pinLists,
  prefixes.tokens,
  prefixes.configOverrides
]

export function isOwners(storeKey: string): boolean {
  return OWNER_PREFIXES.some((prefix) => storeKey.startsWith(prefix))
}

const entryPart =
  (part: string) =>
  (recordKey: Uint8Array): string =>
    key(`coded-${part}`, toHex(recordKey))

/** Keys and prefixes of the entries of names. */
export const nameTable = {
  keys,
  prefixes
} as const satisfies EntryTable

/** The same of names with a check code. */
export const codedTable: EntryTable = {
  keys: {
    entry: entryPart('entry'),
    record: entryPart('record'),
    notice: entryPart('notice'),
    stub: entryPart('stub'),
    unsettled: entryPart('unsettled'),
    entriesIndexed: () => key('coded-entries-indexed')
  },
  prefixes: {
    entries: 'coded-entry/',
    entriesUnder: (hexDigits) => `coded-entry/${hexDigits}`,
    stubs: 'coded-stub/',
    unsettled: 'coded-unsettled/'
  }
}

export interface EntryTable {
  readonly keys: Pick<typeof keys, 'entry' | 'record' | 'notice' | 'stub' | 'unsettled' | 'entriesIndexed'>
  readonly prefixes: {
    readonly entries: string
    readonly entriesUnder: (hexDigits: string) => string
    readonly stubs: string
    readonly unsettled: string
  }
}

/** Where an unreadable record goes: nothing else is stored there, and nothing is deleted from it. */
export function asideOf(storeKey: string): string {
  return `${prefixes.aside}${storeKey}`
}

export function roundOf(storeKey: string): number {
  return Number(storeKey.split(SEPARATOR).at(-2))
}

/** The name in a key under `seen/`. */
export function nameOfSeen(storeKey: string): string {
  return storeKey.split(SEPARATOR).at(-2)!
}

/** The last part of a key: an id, a name, or hex. */
export function lastPart(storeKey: string): string {
  return storeKey.slice(storeKey.lastIndexOf(SEPARATOR) + 1)
}
