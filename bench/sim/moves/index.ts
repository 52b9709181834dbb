/** All moves, by file name. */
import type { Move } from './move.ts'
import { move as clocksAYearAhead } from './clocks-a-year-ahead.ts'
import { move as deadOrOtherClaims } from './dead-or-other-claims.ts'
import { move as eclipseAnHourADay } from './eclipse-an-hour-a-day.ts'
import { move as eclipseSettled } from './eclipse-settled.ts'
import { move as equivocatingOwner } from './equivocating-owner.ts'
import { move as fiveLyingNeighbours } from './five-lying-neighbours.ts'
import { move as floodOfCommitments } from './flood-of-commitments.ts'
import { move as hideSettled } from './hide-settled.ts'
import { move as keepNothingDiverse } from './keep-nothing-diverse.ts'
import { move as keepNothing } from './keep-nothing.ts'
import { move as keptBackClaim } from './kept-back-claim.ts'
import { move as knownPulse } from './known-pulse.ts'
import { move as lateClaim } from './late-claim.ts'
import { move as laterCommitment } from './later-commitment.ts'
import { move as newcomersAmongLiars } from './newcomers-among-liars.ts'
import { move as oneAddressAroundAKey } from './one-address-around-a-key.ts'
import { move as silentIdsOfOneAddress } from './silent-ids-of-one-address.ts'
import { move as silentNeighbours } from './silent-neighbours.ts'
import { move as squatterWithoutAWitness } from './squatter-without-a-witness.ts'
import { move as stolenKeyClaimsAgain } from './stolen-key-claims-again.ts'
import { move as stoppedBeacon } from './stopped-beacon.ts'
import { move as talkOverWitnesses } from './talk-over-witnesses.ts'
import { move as unwitnessedClaim } from './unwitnessed-claim.ts'

export const MOVES: readonly Move[] = [
  clocksAYearAhead,
  deadOrOtherClaims,
  eclipseAnHourADay,
  eclipseSettled,
  equivocatingOwner,
  fiveLyingNeighbours,
  floodOfCommitments,
  hideSettled,
  keepNothingDiverse,
  keepNothing,
  keptBackClaim,
  knownPulse,
  lateClaim,
  laterCommitment,
  newcomersAmongLiars,
  oneAddressAroundAKey,
  silentIdsOfOneAddress,
  silentNeighbours,
  squatterWithoutAWitness,
  stolenKeyClaimsAgain,
  stoppedBeacon,
  talkOverWitnesses,
  unwitnessedClaim
]
