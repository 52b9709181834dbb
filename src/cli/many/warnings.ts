import { count, plural } from '../../util/words.ts'
import type { Place } from './schedule.ts'
import type { Machine, Survey } from './survey.ts'

export interface PlanWarning {
  readonly code: string
  readonly message: string
}

interface WarningParts {
  readonly survey: Pick<Survey, 'unasked'>
  readonly machine: Machine
  readonly places: readonly Place[]
  readonly totals: { readonly to_register: number; readonly seconds: number }
  readonly renewals: { readonly names: number; readonly share: number; readonly every_seconds: number }
}

/** From this share on, renewals leave little for anything new. */
const HALF = 1 / 2
const MIB = 2 ** 20

/** What an owner should know before so much work begins: each with the cure. */
export function warningsOf({ survey, machine, places, totals, renewals }: WarningParts): PlanWarning[] {
  const { farm, maxTasks, threads, queue, memoryMib, freeBytes } = machine
  const slots = places.reduce((all, place) => all + place.slots, 0)
  const assumed = places.filter(({ isAssumed }) => isAssumed).map(({ name }) => name)
  const percent = `${count(Math.round(renewals.share * 100))}%`
  const checkpoints = Math.min(slots, totals.to_register) * memoryMib * MIB
  const found: [boolean, string, string][] = [
    [
      survey.unasked !== undefined,
      'not-looked-up',
      `No peer could be asked which names are taken: ${survey.unasked ?? ''}. The start of a registration asks again.`
    ],
    [
      renewals.share > 1,
      'renewals',
      `The renewals of these names take ${percent} of all slots: they cannot all be kept. Add workers (vdf.farm), or ` +
        'register fewer.'
    ],
    [
      renewals.share > HALF && renewals.share <= 1,
      'renewals',
      `The renewals of these names take ${percent} of all slots, as long as they are kept. Add workers (vdf.farm) before there are more.`
    ],
    [
      totals.seconds > renewals.every_seconds,
      'renewals-meanwhile',
      'The first of these names are renewed before the last one is done. Renewals go first, so it takes longer than ' +
        'the plan says.'
    ],
    [
      !machine.autoRenew && renewals.names > 0,
      'renewal-off',
      'auto_renew is off: nothing renews these names by itself. Switch it on: `chronym config set auto_renew=true`.'
    ],
    [
      freeBytes !== undefined && freeBytes < checkpoints,
      'disk',
      `Checkpoints may take ${sizeText(checkpoints)} (vdf.memory_mib for each slot), and the disk has ` +
        `${sizeText(freeBytes ?? 0)} left. Free some, or lower vdf.memory_mib.`
    ],
    [
      totals.to_register > queue,
      'queue',
      `The daemon lets ${plural(queue, 'registration')} wait (vdf.queue): the command adds the others as places come ` +
        'free. Leave it running, or run it again.'
    ],
    [
      machine.isLocked && totals.to_register > 0,
      'locked',
      'The seed is locked, and a commitment needs its signature. `chronym unlock` lets registrations begin.'
    ],
    [
      threads < maxTasks,
      'threads',
      `${count(maxTasks)} tasks (vdf.max_tasks) share ${plural(threads, 'thread')} (vdf.threads), so each goes slower.`
    ],
    [
      farm.enabled && !farm.connected,
      'farm-unreached',
      'The server of the farm is not reached: the plan counts on this machine alone.'
    ],
    [
      assumed.length > 0,
      'rate-assumed',
      `${plural(assumed.length, 'worker')} had nothing to measure (${assumed.slice(0, 3).join(', ')}` +
        `${assumed.length > 3 ? ', ...' : ''}): each thread there is taken to be as fast as one here.`
    ]
  ]
  return found.flatMap(([holds, code, message]) => (holds ? [{ code, message }] : []))
}

function sizeText(bytes: number): string {
  return bytes < 1024 * MIB ? `${count(Math.round(bytes / MIB))} MiB` : `${(bytes / 1024 / MIB).toFixed(1)} GiB`
}
