import { ServiceError } from '../../errors.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { TaskManager } from '../tasks.ts'
import { openName, type RegistryContext } from '../context.ts'
import { translatedSync } from '../../service-errors.ts'
import type { ZoneDraft } from '../../views/own.ts'
import { draftOf, requireUnchanged, zoneOwner } from './zones.ts'

/** By name, including drafts of names that are not ours: they can be discarded. SVC-STO-001. */
export function listDrafts(context: RegistryContext, tasks: TaskManager): ZoneDraft[] {
  return translatedSync(() =>
    context.zones
      .names()
      .sort()
      .flatMap((text) => {
        const name = text as Name
        const draft = draftOf(context, name)
        if (draft === undefined) return []
        const records = Object.values(draft.records).reduce((count, list) => count + list.length, 0)
        return [
          {
            name,
            serial: draft.serial,
            published_serial: context.owned.get(name)?.serial ?? null,
            records,
            owner: zoneOwner(context, tasks, name)
          }
        ]
      })
  )
}

/**
 * Forgets the draft of a name, of any owner; what is published stays. SVC-NAM-001/002, SVC-ZON-003, SVC-ZON-004,
 * SVC-STO-001.
 */
export function discardZone(context: RegistryContext, text: string, ifMatchSerial?: number): void {
  translatedSync(() => {
    const name = openName(context, text)
    if (draftOf(context, name) === undefined) throw new ServiceError('SVC-ZON-003', `There is no draft for ${name}.`)
    requireUnchanged(context, name, ifMatchSerial)
    context.zones.remove(name)
  })
}
