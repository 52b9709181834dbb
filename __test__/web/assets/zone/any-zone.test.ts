/** Any zone is the same after the rows of the page, and after each of its forms. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { zoneToWire } from '../../../../src/dns/wire.ts'
import { local as profile } from '../../../../src/protocol/profile/built-in.ts'
import { parseZone } from '../../../../src/protocol/zone/zone.ts'
import type { Records } from '../../../../src/web/assets/zone/daemon.ts'
import { needsText, partsOf, valueOf } from '../../../../src/web/assets/zone/forms.ts'
import {
  difference,
  isUnchanged,
  recordsOf,
  rowOf,
  rowsOf,
  shownValue
} from '../../../../src/web/assets/zone/records.ts'
import { anyZone, APEX } from '../../../properties/any-zone.ts'
import { CASES } from '../../../properties/cases.ts'

type PageRecord = Records[string][number]

const wireOf = (records: Records) => zoneToWire(parseZone({ records }, profile), APEX, profile)

/** As the first key in a form makes the value again. */
function byForm({ type, value, ...rest }: PageRecord): PageRecord {
  const shown = shownValue({ type, value })
  return { type, value: needsText(type, shown) ? shown : valueOf(type, partsOf(type, shown)), ...rest }
}

it('keeps any zone through its rows and its forms', () => {
  fc.assert(
    fc.property(anyZone, (zone) => {
      const given = Object.fromEntries(Object.entries(zone.records).filter(([, list]) => list.length > 0)) as Records
      const { records } = recordsOf(rowsOf(given).map((row) => rowOf(row)))
      expect({ ...records }).toEqual(given)
      expect(isUnchanged(difference(given, records))).toBe(true)
      const formed = Object.fromEntries(Object.entries(records).map(([label, list]) => [label, list.map(byForm)]))
      expect(wireOf(formed)).toEqual(wireOf(given))
    }),
    CASES
  )
})
