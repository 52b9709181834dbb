/** Whether the known peers are enough for the quorums of a profile that limits prefixes, in numbers and in words. */
import {
  diversityOf,
  missingDiversity,
  neededDiversity,
  type Diversity,
  type Needed
} from '../../protocol/neighbourhood/diversity-needs.ts'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Network } from '../../network/types.ts'
import type { Clock } from '../../time/clock.ts'
import type { NetworkDiversityView } from '../../views/network.ts'

/** Computing it sorts the whole table, and anybody may ask for the status at any rate. */
const KEPT_MS = 1000

/** As `networkDiversity`, one second old at most. */
export function keptDiversity({
  network,
  profile,
  clock
}: {
  network: Pick<Network, 'origins'>
  profile: NetworkProfile
  clock: Pick<Clock, 'now'>
}): () => NetworkDiversityView | null {
  let kept: { readonly atMs: number; readonly view: NetworkDiversityView | null } | undefined
  const isLimited = neededDiversity(profile) !== null
  return () => {
    if (!isLimited) return null
    const nowMs = clock.now()
    if (kept === undefined || Math.abs(nowMs - kept.atMs) >= KEPT_MS)
      kept = { atMs: nowMs, view: networkDiversity(network.origins(), profile) }
    return kept.view
  }
}

/** Null where the profile limits no prefixes. */
export function networkDiversity(peers: readonly Origin[], profile: NetworkProfile): NetworkDiversityView | null {
  const needed = neededDiversity(profile)
  if (needed === null) return null
  const known = diversityOf(peers, profile)
  const missing = missingDiversity(Math.max(needed.answer, needed.settle, needed.adopt), peers, profile)
  const enough = missing.peers === 0
  return {
    ...bodyOf(known),
    needed,
    missing: bodyOf(missing),
    enough,
    message: enough ? null : messageOf(known, needed, missing)
  }
}

function bodyOf({ peers, prefixes, widePrefixes }: Diversity): NetworkDiversityView['missing'] {
  return { peers, prefixes, wide_prefixes: widePrefixes }
}

/** Two sentences, without the cure: the peers known and needed, with the effect; then what is missing. */
function messageOf(
  { peers, prefixes, widePrefixes }: Diversity,
  { answer, settle, adopt }: Needed,
  missing: Diversity
): string {
  const most = Math.max(answer, settle, adopt)
  const use = most === answer ? 'an answer' : most === settle ? 'settling' : 'adoption'
  // With one fewer than an answer needs, our own store makes up for it, except about our own names.
  const effects = [
    ...(peers < answer ? [`${peers === answer - 1 ? 'may ' : ''}resolve as thin`] : []),
    ...(peers < settle ? ['do not settle'] : []),
    ...(peers < adopt ? ['are not adopted by newcomers'] : [])
  ]
  const more = [
    ...(missing.prefixes > 0 ? [`${missing.prefixes} more /24 (IPv6: /32)`] : []),
    ...(missing.widePrefixes > 0 ? [`${missing.widePrefixes} more /16 (IPv6: /24)`] : [])
  ]
  return (
    `${peers} of the ${most} diverse peers that ${use} needs, in ${prefixes} /24 (IPv6: /32) ` +
    `and ${widePrefixes} /16 (IPv6: /24): for now names ${listed(effects)}. ` +
    `Missing: ${missing.peers} ` +
    `${missing.peers === 1 ? 'peer' : 'peers'}${more.length === 0 ? '' : `, in at least ${more.join(' and ')}`}.`
  )
}

function listed(parts: readonly string[]): string {
  return [...(parts.length > 1 ? [parts.slice(0, -1).join(', ')] : []), parts.at(-1)!].join(' and ')
}
