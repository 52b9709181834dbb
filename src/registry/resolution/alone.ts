/** What this daemon says of a name by itself, when no peer answers (docs/protocol/rules.md, 11). */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { claimOf, type Claim } from '../../protocol/claim/claim.ts'
import { linksOf, type Reveal } from '../../protocol/claim/reveal.ts'
import { checkCodeOf } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import { isContested, livePin } from '../../protocol/resolution/pin.ts'
import { isRollback } from '../../protocol/resolution/rollback.ts'
import type { RegistryContext } from '../context.ts'
import { leaseOf } from '../lease-times.ts'
import type { ResolvedName } from '../types.ts'

/**
 * The record of our own name, else the one that this node holds for others, while its lease runs. Undefined without
 * one, and where anything known speaks against it: a pin of another owner, a contest, a newer record seen, another key
 * on which the peers have settled. It is `thin`, and nothing is pinned by it: cutting the line gains no belief.
 */
export function answerAlone(context: RegistryContext, name: Name): ResolvedName | undefined {
  const found = ownRecord(context, name) ?? heldRecord(context, name)
  if (found === undefined || !isUndisputed(context, name, found.claim)) return undefined
  return {
    reveal: found.reveal,
    checkCode: checkCodeOf(found.reveal, context.profile),
    confidence: 'thin',
    source: found.source
  }
}

interface Found {
  readonly reveal: Reveal
  readonly claim: Claim
  readonly source: 'own' | 'held'
}

/** Once most of its peers held it, and not while they name another key. */
function ownRecord({ owned, profile }: RegistryContext, name: Name): Found | undefined {
  const record = owned.get(name)
  if (record === undefined || record.standing !== 'held' || record.publishedSerial === 0) return undefined
  const { reveal } = record
  return { reveal, claim: claimOf(reveal, name, linksOf(reveal), profile), source: 'own' }
}

function heldRecord({ network }: RegistryContext, name: Name): Found | undefined {
  const held = network.storedRecord(name)
  // Nobody has confirmed a provisional claim: an earlier one may be known elsewhere.
  return held === undefined || held.state === 'provisional' ? undefined : { ...held, source: 'held' }
}

function isUndisputed(context: RegistryContext, name: Name, claim: Claim): boolean {
  const { pins, memory, profile } = context
  if (leaseOf(context, claim.newestRound).state !== 'live') return false
  if (isRollback(memory.newest(name, claim.pubkey), claim)) return false
  const time = context.time()
  const pin = livePin(pins.get(name), time, profile)
  if (pin === undefined) return true
  const isInDispute = pin.state === 'tentative' && pin.rival !== undefined && isContested(pin, time, profile)
  return !isInDispute && equalBytes(pin.claim, claim.id)
}
