/** Another daemon with our seed: seen by records of our key that this one did not make. */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'
import { noteEquivocation, type Equivocation } from '../../protocol/claim/order.ts'
import type { RegistryContext } from '../context.ts'
import type { Survey } from '../resolution/survey.ts'

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
  const ours = claimOf(own.reveal, name, linksOf(own.reveal), context.profile)
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
