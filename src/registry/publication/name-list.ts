/**
 * The sealed list of our names and identities that one of our names carries (docs/backup.md, "A list in the zone of one
 * name"): what belongs on it, and what a record of that name carries.
 */
import { randomBytes } from 'node:crypto'
import { nameListKey } from '../../protocol/crypto/keys.ts'
import { keyIndexOfLog } from '../../protocol/identity/seed.ts'
import { decodeIdentityEnvelope } from '../../protocol/identity/record.ts'
import type { Name } from '../../protocol/name/names.ts'
import { NAME_LIST_NONCE_BYTES, openNameList, sealNameList } from '../../protocol/zone/name-list.ts'
import { fitsPayload, sealedPart, type Zone } from '../../protocol/zone/zone.ts'
import { keys, lastPart, prefixes } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import { type RegistryContext, leaseOf } from '../context.ts'
import { type OwnedName, encodeAdoption, isGone, storedAdoptions } from '../stored/owned-names.ts'

/** The other names that are kept and alive, our identities, what is still looked for. SVC-KEY-006, StoreError. */
export function listedIds(context: RegistryContext, listIn: Name): string[] {
  const { store, profile, owned } = context
  const seed = context.seed.require()
  const names = owned
    .list()
    .filter((record) => record.name !== listIn && isKept(context, record))
    .map(({ name }) => name)
  const dids = [...store.list(prefixes.ownIdentities)].flatMap(([key, value]) => {
    const isOfSeed = readOrSetAside(
      store,
      key,
      value,
      (bytes) => keyIndexOfLog(decodeIdentityEnvelope(bytes, profile).versions, seed, profile) !== undefined
    )
    return isOfSeed === true ? [lastPart(key)] : []
  })
  const toAdopt = [...storedAdoptions(store)].flatMap(([id, { isGuess }]) => (isGuess ? [] : [id]))
  return [...new Set<string>([...names, ...dids, ...toAdopt])].sort()
}

/** Ours, and neither released nor lapsed. */
export function isKept(context: RegistryContext, record: OwnedName | undefined): record is OwnedName {
  if (record === undefined || isGone(record) || record.released) return false
  return leaseOf(context, record.reveal.drand_pulse).state !== 'dead'
}

/** What the payload `former` carries; undefined without a list, or where our key does not open it. SVC-KEY-006. */
function openList(context: RegistryContext, name: Name, former: Uint8Array): string[] | undefined {
  const sealed = sealedPart(former, context.profile)
  return sealed && withListKey(context, name, (key) => openNameList(key, sealed, context.profile))
}

/**
 * The list of now, sealed: the bytes of `former` where they hold the same one, so that a second call gives no other
 * record. Undefined where it is too long. Throws SVC-KEY-006 and StoreError.
 */
export function sealedList(
  context: RegistryContext,
  name: Name,
  former: Uint8Array | undefined
): Uint8Array | undefined {
  const ids = listedIds(context, name)
  if (former !== undefined && String(openList(context, name, former)) === String(ids))
    return sealedPart(former, context.profile)
  const nonce = new Uint8Array(randomBytes(NAME_LIST_NONCE_BYTES))
  return withListKey(context, name, (key) => sealNameList(key, ids, nonce))
}

/**
 * What a new record of `name` with this zone carries, in place of the payload `former`. The zone comes first: a list
 * that has no room beside it is left out. Throws StoreError.
 */
export function listFor(
  context: RegistryContext,
  name: Name,
  zone: Zone,
  former: Uint8Array | undefined
): Uint8Array | undefined {
  const { profile, seed, store } = context
  const before = former && sealedPart(former, profile)
  const listIn = context.listIn()
  // Without the setting a list stays as it is: this daemon may be a restored one. One of another daemon is read first.
  const isCarried = listIn === '' || seed.isLocked || store.get(keys.wanted(name)) !== undefined
  const now = isCarried ? before : listIn === name ? (sealedList(context, name, former) ?? before) : undefined
  return now !== undefined && fitsPayload(zone, profile, now) ? now : undefined
}

/**
 * Looks for all that the list in a record of ours names and this daemon lacks. A list that does not open is ignored.
 * Not bound by MAX_ADOPTIONS: only the seed can seal a list, which ends at 8 KiB. Throws SVC-KEY-006 and StoreError.
 */
export function adoptListed(context: RegistryContext, name: Name, payload: Uint8Array): void {
  const { store, clock, log, owned, profile } = context
  if (sealedPart(payload, profile) === undefined) return
  const ids = openList(context, name, payload)
  if (ids === undefined) {
    log.warn({ name }, 'the list of names that this name carries does not open with this seed: it is ignored')
    return
  }
  const known = new Map(storedAdoptions(store))
  const lacking = ids.filter(
    (id) =>
      owned.get(id) === undefined && store.get(keys.ownIdentity(id)) === undefined && known.get(id)?.isGuess !== false
  )
  for (const id of lacking) store.put(keys.wanted(id), encodeAdoption({ sinceMs: clock.now(), isGuess: false }))
  log.info({ name, listed: ids.length, wanted: lacking.length }, 'read the list of names that this name carries')
}

function withListKey<T>({ seed, profileHash }: RegistryContext, name: Name, use: (key: Uint8Array) => T): T {
  const key = nameListKey(seed.require(), profileHash, name)
  try {
    return use(key)
  } finally {
    key.fill(0)
  }
}
