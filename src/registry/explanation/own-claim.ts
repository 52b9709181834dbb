/** What this daemon knows of its own claim to a name: for its owner only. */
import type { RegistryContext } from '../context.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { AutomaticRenewal } from '../upkeep/automatic-renewal.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import type { Name } from '../../protocol/name/names.ts'
import { linksOf } from '../../protocol/claim/reveal.ts'
import { ownedNames } from '../status.ts'
import type { OwnExplanation } from '../../views/explanation.ts'

interface ExplainParts {
  readonly context: RegistryContext
  readonly tasks: ClaimTasks
  readonly renewal: AutomaticRenewal
}

/** Null where this daemon neither owns the name nor has a task or receipts for it. */
export function ownClaim({ context, tasks, renewal }: ExplainParts, name: Name): OwnExplanation | null {
  const record = context.owned.get(name)
  const links = record === undefined ? [] : linksOf(record.reveal)
  const claim = record === undefined ? undefined : claimOf(record.reveal, name, context.profile)
  const kept = context.receipts.get(name)
  const ofName = tasks.of(name)
  if (record === undefined && kept === undefined && ofName.length === 0) return null
  return {
    name: record === undefined ? null : (ownedNames(context, renewal).find((owned) => owned.name === name) ?? null),
    claim:
      claim === undefined
        ? null
        : {
            owner: toHex(claim.pubkey),
            claim_id: toHex(claim.id),
            commitment: toHex(claim.commitment),
            pulse_round: claim.firstRound,
            renewals: links.length - 1
          },
    receipts:
      kept === undefined
        ? null
        : {
            commitment: toHex(kept.commitment),
            pulse_round: kept.pulseRound,
            receipts: kept.receipts.map(({ peer, seenRound, signature }) => ({
              peer,
              seen_round: seenRound,
              signature: toHex(signature)
            }))
          },
    tasks: ofName.map(({ task_id, kind, status, phase, paused, stalled, error }) => ({
      task_id,
      kind,
      status,
      phase,
      paused,
      stalled,
      error
    }))
  }
}
