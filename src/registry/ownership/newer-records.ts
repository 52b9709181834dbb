/** Records of our names that this daemon did not make: it was restored, or another daemon has the same seed. */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import {
  claimOf,
  compareRecords,
  hasSameKeys,
  noteEquivocation,
  type Equivocation
} from '../../protocol/claim/claim.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { parseZonePayload, payloadSerial, sealedPart } from '../../protocol/zone/zone.ts'
import { keys } from '../../store/keys.ts'
import type { ClaimTasks } from '../tasks.ts'
import { nextSerial } from '../publication/publishing.ts'
import { isKnownAsOwn, type RegistryContext } from '../context.ts'
import type { StoreOperation } from '../../store/types.ts'
import { type OwnedName, encodeAdoption, isGivenAway } from '../stored/owned-names.ts'
import { revealOf, type Survey } from '../resolution/survey.ts'

/**
 * Takes up the newest record of a survey: of our key and newer than ours, or of the claim of our key that won.
 * Later publications and renewals build on it, and the daemon sends it again from now on. Its zone replaces the local
 * one, unless that was edited here since its publication.
 * False where there is none. A running renewal has a newer record that some peers may hold, and takes it up itself.
 * Throws StoreError.
 */
export function takeUpNewer(context: RegistryContext, tasks: ClaimTasks, found: Survey): boolean {
  const { name, tally } = found
  if (tasks.running(name) !== undefined) return false
  const own = context.owned.get(name)
  if (own === undefined || tally.kind !== 'owner' || !isKnownAsOwn(context, tally.owner.newest)) return false
  const { newest } = tally.owner
  const ours = claimOf(own.reveal, name, context.profile)
  // Two daemons with one seed may have made two claims. Only the one that the peers settled on is renewed, even if it
  // is the older.
  const isSameClaim = equalBytes(newest.id, ours.id)
  if (isSameClaim ? compareRecords(newest, ours) <= 0 : !tally.settled || tally.thin) return false
  const reveal = revealOf(found, newest)
  context.memory.see(newest)
  // The keys of a name that was given away come back by an offer of this daemon.
  const isBack = isGivenAway(own)
  const isFinal = own.notice !== undefined && hasSameKeys(claimOf(own.notice, name, context.profile), newest)
  const foreign = { serial: newest.serial, seenMs: context.clock.now() }
  context.owned.replace(
    reveal,
    { ...(!isBack && !isFinal && { foreign }), ...(isSameClaim && own.released && { released: true }) },
    [
      ...replacingZone(context, name, own, reveal),
      // Its list may name more than ours. It is read once the seed is unlocked, and not replaced before.
      ...(sealedPart(reveal.payload, context.profile) === undefined
        ? []
        : [{ put: keys.wanted(name), value: encodeAdoption({ sinceMs: context.clock.now(), isGuess: true }) }])
    ]
  )
  context.network.withdrawReveal(name, reveal)
  if (isFinal) context.log.info({ name }, 'the new keys of this name are final')
  else if (isBack) context.log.info({ name }, 'the keys of this name are those of this daemon again: it is taken up')
  else
    context.log.warn(
      { name, serial: newest.serial },
      'the network holds a newer record of this name than this daemon signed: it is taken up. It ' +
        'comes from another daemon with the same seed, or from before this one was restored'
    )
  return true
}

/**
 * A local zone that was published here is not an edit: if it stayed, the next publication would put it over the newer one.
 */
function replacingZone(
  context: RegistryContext,
  name: Name,
  { publishedSerial }: OwnedName,
  { payload }: Reveal
): readonly StoreOperation[] {
  const { zones, profile } = context
  const local = zones.get(name)
  if (local === undefined) return []
  if (local.serial > publishedSerial) {
    const taken = payloadSerial(payload, profile)
    if (local.serial > taken) return []
    // With a serial above the published one it stays an edit, and the next newer record does not replace it.
    const serial = Math.max(nextSerial(context, name), taken + 1)
    return [zones.saving(name, { serial, records: local.records })]
  }
  try {
    return [zones.saving(name, parseZonePayload(payload, profile))]
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    // The payload, signed elsewhere with our key, need not be a zone.
    return []
  }
}

/**
 * How long the warning lasts after the last sighting: longer than a weekend. A restored backup, which looks the same,
 * is settled by then.
 */
export const OTHER_DAEMON_WARNED_MS = 7 * 24 * 60 * 60 * 1000

/** What this daemon's own store noted of two payloads at one serial, or what the answers show between them. */
export function equivocationOf(
  context: RegistryContext,
  { name, answers }: Pick<Survey, 'name' | 'answers'>
): Equivocation | undefined {
  const claims = answers.flatMap(({ claim }) => claim ?? [])
  let noted = context.network.heldHere(name)?.equivocation
  for (const [index, left] of claims.entries()) {
    for (const right of claims.slice(index + 1))
      if (equalBytes(left.pubkey, right.pubkey)) noted = noteEquivocation(noted, left, right)
  }
  return noted
}

/**
 * Notes that our key signed another payload at the serial that we published: this daemon never signs two. Throws
 * StoreError.
 */
export function noteEquivocationOfOurs(context: RegistryContext, found: Survey): void {
  const { name } = found
  const own = context.owned.get(name)
  const noted = equivocationOf(context, found)
  if (own === undefined || noted === undefined) return
  const ours = claimOf(own.reveal, name, context.profile)
  const isOfOurs =
    noted.round === ours.newestRound &&
    noted.serial === ours.serial &&
    noted.payloadHashes.some((hash) => equalBytes(hash, ours.payloadHash))
  if (!isOfOurs || own.foreign?.serial === noted.serial) return
  context.owned.noteForeign(name, noted.serial, context.clock.now())
  context.log.warn(
    { name, serial: noted.serial },
    'the key of this name has signed another zone with the serial that ' +
      'this daemon published: another daemon has the same seed'
  )
}
