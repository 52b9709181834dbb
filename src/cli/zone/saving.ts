/** Saving a whole zone, with a question before records are lost. */
import type { Client, ZoneBody } from '../../api/client.ts'
import { confirm } from '../confirm.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, usageFailure } from '../failure.ts'
import { canonicalName } from '../../protocol/names.ts'
import { plural, printable } from '../terminal/format.ts'
import type { ZoneInput } from '../zone-input.ts'
import { changesBetween, formatChanges, isUnchanged, type ZoneChanges } from './changes.ts'
import { currentZone } from './current.ts'

export interface ReplaceOptions {
  readonly yes?: boolean
  readonly ifSerial?: number
}

/** Whether somebody is there to ask. */
export function isInteractive(context: Context): boolean {
  return context.output.live && (context.stdin as { isTTY?: boolean }).isTTY === true
}

/**
 * Asks on a terminal before records are lost, with the difference. Throws CLI-USE-001 where nobody can answer and `--yes` was not given, CLI-INT-001 for a no.
 */
export async function requireConsent(context: Context, changes: ZoneChanges, options: { readonly yes?: boolean | undefined; readonly what: string; readonly cure: string }): Promise<void> {
  if (options.yes === true || changes.removed.length === 0) return
  if (!isInteractive(context)) throw usageFailure(`${options.what} ${plural(changes.removed.length, 'record')}; nothing was changed`, options.cure)
  context.output.note(formatChanges(changes))
  if (!(await confirm(context, `This ${options.what.replace(/^.*?would /u, 'will ')} ${plural(changes.removed.length, 'record')}. Go on?`, false))) {
    throw new Failure('CLI-INT-001', 'not confirmed: nothing was changed', { exitCode: EXIT.interrupted })
  }
}

/** Puts a zone in the place of the present one. Asks before records are lost; a change that came in between is not overwritten. */
export async function replaceZone(context: Context, client: Client, name: string, zone: ZoneInput, options: ReplaceOptions): Promise<{ saved: { serial: number }; changes: ZoneChanges }> {
  const current = await currentZone(client, name)
  const changes = changesBetween(current.zone, zone)
  await requireConsent(context, changes, {
    yes: options.yes,
    what: `replacing the zone of ${printable(name)} would drop`,
    cure: 'To keep what is there: `chronym zone add` and `zone rm` change single records. To replace the whole zone all the same: --yes.'
  })
  // With the serial of the present zone it is that zone, edited: a condition, not a wish.
  const { serial, ...rest } = zone
  const sent: ZoneBody = serial === undefined || serial === current.zone.serial ? rest : zone
  const ifMatch = options.ifSerial === undefined ? current.etag : `"${options.ifSerial}"`
  return { saved: await client.saveZone(name, sent, { ifMatch }), changes }
}

/** What a saved zone is answered with. */
export function showSaved(context: Context, name: string, saved: { serial: number }, changes: ZoneChanges): void {
  if (!isUnchanged(changes)) context.output.note(formatChanges(changes))
  context.output.answer(saved, () => `saved as serial ${saved.serial}; make it live: chronym zone publish ${printable(canonicalName(name))}`)
}
