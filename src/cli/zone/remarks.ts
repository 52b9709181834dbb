/** What is allowed in a zone, and seldom meant. */
import { isIPv4 } from '../../protocol/zone/presentation.ts'
import { plural } from '../../util/words.ts'
import { absoluteName, labelBelow, targetsOf } from '../zone-file/format.ts'
import type { ZoneInput, ZoneRecordInput } from '../zone-file/zone-input.ts'

/** Sentences for people; `apex` is the name of the zone. */
export function remarksOn(zone: ZoneInput, apex: string): string[] {
  return [...addressesAsTargets(zone), ...hiddenRecords(zone, apex)]
}

function addressesAsTargets({ records }: ZoneInput): string[] {
  return Object.entries(records).flatMap(([label, list]) =>
    list
      .filter((record) => targetsOf(record).some((target) => isIPv4(target.replace(/\.$/, ''))))
      .map(
        ({ type, value }) =>
          `${label} ${type} ${value}: the target looks like an address, and is a name here. Give the host a name with an A record`
      )
  )
}

/** Answers below a delegation come from its servers, so that records here are not seen. Addresses of those servers are. */
function hiddenRecords({ records }: ZoneInput, apex: string): string[] {
  const cuts = Object.keys(records).filter((label) => records[label]!.some(({ type }) => type === 'NS'))
  return cuts.flatMap((cut) => {
    const servers = records[cut]!.filter(({ type }) => type === 'NS').flatMap((record) =>
      targetsOf(record).map((target) => labelOf(target, apex))
    )
    const isHidden = (label: string, { type }: ZoneRecordInput): boolean => {
      if (label === cut && (type === 'NS' || type === 'DS')) return false
      if (label !== cut && cut !== '@' && !label.endsWith(`.${cut}`)) return false
      return !(servers.includes(label) && (type === 'A' || type === 'AAAA'))
    }
    const hidden = Object.entries(records).flatMap(([label, list]) =>
      list.filter((record) => isHidden(label, record)).map(({ type }) => `${label} ${type}`)
    )
    if (hidden.length === 0) return []
    const shown = [...new Set(hidden)].slice(0, MOST_SHOWN).join(', ')
    return [
      `NS at ${cut} delegates ${cut === '@' ? 'the whole name' : cut} to other servers: ` +
        `${plural(hidden.length, 'record')} here can't be seen (${shown}${hidden.length > MOST_SHOWN ? ', ...' : ''})`
    ]
  })
}

const MOST_SHOWN = 5

/** The label of a target of a zone; undefined for a name outside. */
function labelOf(target: string, apex: string): string | undefined {
  try {
    const isWhole = target.includes('.')
    return labelBelow(absoluteName(isWhole ? `${target.replace(/\.$/, '')}.` : target, apex), apex)
  } catch {
    return undefined
  }
}
