/** Saving a whole zone, with a question before records are lost. */
import type { Client, ZoneBody } from '../../api/client/client.ts'
import { requireConsent } from '../questions/consent.ts'
import type { Context } from '../context.ts'
import { canonicalName } from '../../protocol/name/names.ts'
import { plural, printable } from '../terminal/format.ts'
import type { ZoneInput } from '../zone-file/zone-input.ts'
import { changesBetween, formatChanges, isUnchanged, type ZoneChanges } from './changes.ts'
import { currentZone } from './current.ts'

export interface ReplaceOptions {
  readonly yes?: boolean
  readonly ifSerial?: number
}

/**
 * Asks before records are lost, with the difference. `act` begins a sentence: "replacing the zone". Throws as {@link
 * requireConsent} does.
 */
export async function requireConsentToLoss(
  context: Context,
  { removed, ...rest }: ZoneChanges,
  { act, isGiven, cure }: { readonly act: string; readonly isGiven: boolean; readonly cure: string }
): Promise<void> {
  if (removed.length === 0) return
  const lost = plural(removed.length, 'record')
  await requireConsent(context, {
    cost: `${act} would drop ${lost}`,
    question: `This will drop ${lost}. Continue?`,
    isGiven,
    shown: formatChanges({ removed, ...rest }),
    refusal: `${act} would drop ${lost}; nothing was changed`,
    cure
  })
}

/**
 * Puts a zone in the place of the present one. Asks before records are lost; a change that came in between is not
 * overwritten.
 */
export async function replaceZone(
  context: Context,
  client: Client,
  name: string,
  zone: ZoneInput,
  options: ReplaceOptions
): Promise<{ saved: { serial: number }; changes: ZoneChanges }> {
  const current = await currentZone(client, name)
  const changes = changesBetween(current.zone, zone)
  await requireConsentToLoss(context, changes, {
    isGiven: options.yes === true,
    act: `replacing the zone of ${printable(name)}`,
    cure: 'To change single records, use `chronym zone add` and `zone rm`. To replace the whole zone, give --yes.'
  })
  // The serial of the present zone is a condition: it means that zone, edited.
  const { serial, ...rest } = zone
  const sent: ZoneBody = serial === undefined || serial === current.zone.serial ? rest : zone
  const ifMatch = options.ifSerial === undefined ? current.etag : `"${options.ifSerial}"`
  return { saved: await client.saveZone(name, sent, { ifMatch }), changes }
}

export function showSaved(context: Context, name: string, saved: { serial: number }, changes: ZoneChanges): void {
  if (!isUnchanged(changes)) context.output.note(formatChanges(changes))
  context.output.answer(saved, () =>
    context.output.commands(
      `saved as serial ${saved.serial}; make it live: chronym zone publish ${printable(canonicalName(name))}`
    )
  )
}
