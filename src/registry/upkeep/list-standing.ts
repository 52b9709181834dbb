/** Whether the sealed list is where the configuration wants it, and what its owner should know. */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import { fitsPayload, sealedPart, type PublishedZone } from '../../protocol/zone/zone.ts'
import { keys } from '../../store/keys.ts'
import type { NameListView } from '../../views/backup.ts'
import type { RegistryContext } from '../context.ts'
import type { OwnedName } from '../stored/owned-names.ts'
import { ownZone } from '../zones/zones.ts'
import { isKept, listedIds, sealedList } from '../publication/name-list.ts'

export type ListStanding = NameListView & {
  /** What to publish, where that can be done now. */
  readonly due?: { readonly record: OwnedName; readonly zone: PublishedZone; readonly sealed: Uint8Array }
}

/** Undefined where no list is asked for, and none is there. Throws StoreError. */
export function listStanding(context: RegistryContext): ListStanding | undefined {
  const { seed, store, profile, owned } = context
  const name = context.listIn() as Name
  if (name === '' || name === 'none') return name === '' ? leftAlone(context) : undefined

  const record = owned.get(name)
  if (!isKept(context, record)) {
    const detail = `This daemon does not own ${name}, or lets it lapse: no list is kept. Register it, or take it back,`
    return { name, state: 'not-owned', detail: `${detail} or set backup.list_in to another name of yours.` }
  }
  if (seed.isLocked) return { name, state: 'waiting', detail: 'Changes of the list wait until the seed is unlocked.' }
  if (store.get(keys.wanted(name)) !== undefined)
    return { name, state: 'waiting', detail: 'Another daemon with this seed has listed names: they are read first.' }

  const zone = ownZone(context, record)
  const sealed = sealedList(context, name, record.reveal.payload)
  if (sealed === undefined) {
    const detail = 'There are more names than the longest list holds, so it does not change any more.'
    return { name, state: 'no-room', detail: `${detail} Keep a backup file: docs/backup.md.` }
  }
  if (zone === undefined || !fitsPayload(zone, profile, sealed)) {
    const detail = `The zone of ${name} has no room for the list, which takes ${sealed.length} bytes and a third more.`
    return {
      name,
      state: 'no-room',
      detail: `${detail} Publish a smaller zone, or set backup.list_in to another name.`
    }
  }
  const there = sealedPart(record.reveal.payload, profile)
  if (there !== undefined && equalBytes(there, sealed) && record.serial <= record.publishedSerial) {
    const count = listedIds(context, name).length
    return {
      name,
      state: 'kept',
      detail: `${name} carries the sealed list of your other names and identities: ${count}.`
    }
  }
  const detail = `Changes of the list go out with the next zone of ${name}, or by themselves within some hours.`
  return {
    name,
    state: 'waiting',
    detail: `${detail} At once: chronym zone publish ${name}`,
    due: { record, zone, sealed }
  }
}

/** As after a restore from the words: a list is there, and nothing keeps it up to date. */
function leftAlone(context: RegistryContext): ListStanding | undefined {
  const { owned, profile } = context
  const carrier = owned
    .list()
    .find((record) => isKept(context, record) && sealedPart(record.reveal.payload, profile) !== undefined)
  if (carrier === undefined) return undefined
  const { name } = carrier
  const detail = `${name} carries a list of your names, and nothing keeps it up to date.`
  return { name, state: 'not-updated', detail: `${detail} Let the daemon: chronym config set backup.list_in=${name}` }
}
