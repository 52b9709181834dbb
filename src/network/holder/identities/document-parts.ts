import type { DocumentJudge } from '../../../native/types.ts'
import type { Urgency } from '../../../native/urgency.ts'
import type { Origin } from '../../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../../protocol/profile/profile.ts'
import type { RoundClock } from '../../../time/round-clock.ts'
import type { DocumentKind } from '../../../store/keys.ts'
import type { Store } from '../../../store/types.ts'
import { documentMs, type Budget, type Work } from '../../budget/budget.ts'
import type { FoundDocuments } from '../../types.ts'
import { BUSY, refused } from '../../wire/answers.ts'
import type { PutAnswer } from '../../wire/put.ts'
import { OURSELVES } from '../ourselves.ts'
import type { Owners } from './name-owner.ts'
import type { Room } from '../room.ts'
import type { StampedIdentities } from './stamped.ts'

export const STORED: PutAnswer = { type: 'stored' }
export const FULL = refused('full', 'no room is left here for documents')

export interface DocumentHolderParts {
  readonly profile: NetworkProfile
  readonly clock: RoundClock
  readonly store: Store
  readonly budget: Budget
  readonly room: Room
  readonly stamped: StampedIdentities
  readonly judge: DocumentJudge
  readonly isNear: (key: Uint8Array) => boolean
  readonly owners: Owners
  /** Other nodes' identity records of a DID, and whether enough answered to exclude more. */
  readonly fetchIdentities: (did: string) => Promise<FoundDocuments>
  readonly onStored: (did: string, kind: DocumentKind) => void
  /** Bytes by chance; `randomBytes` by default. */
  readonly random?: (length: number) => Uint8Array
}

/** Charges a sender's work to its budget, or answers BUSY; this node's own work is free. */
export async function withBudget(
  budget: Budget,
  sender: Origin,
  bytes: Uint8Array,
  expected: boolean,
  action: (urgency: Urgency, work: Work) => Promise<PutAnswer>
): Promise<PutAnswer> {
  if (sender === OURSELVES) return action('own', { charge: () => undefined, end: () => undefined })
  const work = budget.begin(sender, expected, bytes.length, documentMs(bytes.length))
  if (work === undefined) return BUSY
  try {
    return await action(expected ? 'expected' : 'unexpected', work)
  } finally {
    work.end()
  }
}
