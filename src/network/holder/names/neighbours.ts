/** Asks a name's other holders what they hold. */
import { equalBytes, sha256, toHex } from '../../../protocol/encoding/bytes.ts'
import { type Claim, isAhead } from '../../../protocol/claim/claim.ts'
import { leaseState } from '../../../protocol/time.ts'
import type { NeighbourAnswer, NeighbourFacts } from '../../../protocol/admission/neighbours.ts'
import { profileHash, type NetworkProfile } from '../../../protocol/profile/profile.ts'
import { recordKey } from '../../../protocol/neighbourhood/key-space.ts'
import { otherAmong } from '../../../protocol/admission/key-changes.ts'
import { decodeReveal } from '../../../protocol/claim/reveal.ts'
import { EncodingError } from '../../../protocol/errors.ts'
import type { RoundClock } from '../../../time/clock.ts'
import { waitForEnough } from '../../../util/wait-for-enough.ts'
import { answerOrUndefined } from '../../wire/exchange.ts'
import type { Peer, Peers } from '../../peers.ts'
import type { Verifier } from '../verifier.ts'

export interface Neighbour extends NeighbourAnswer {
  readonly from: Peer
}

export interface Neighbours {
  readonly key: Uint8Array
  /** Where the key is: of a name, or of its check code. */
  readonly kind: Place
  /** Closest first. */
  readonly answers: readonly Neighbour[]
  /** Known diverse peers, whether they answered or not. */
  readonly known: number
}

type Place = 'reveal' | 'coded'

/** Whether the answers so far decide, whatever `awaited` more peers answer. */
type IsDecided = (soFar: NeighbourFacts, awaited: number) => boolean

/**
 * Asks the k known peers closest to a key what they hold under it. Omits silent peers, and those still pending when the
 * others decide.
 */
export async function askNeighbours(
  peers: Peers | undefined,
  key: Uint8Array,
  isDecided: IsDecided,
  kind: Place = 'reveal'
): Promise<Neighbours> {
  if (peers === undefined) return { key, kind, answers: [], known: 0 }
  // Read each time, since the table drops unreachable peers.
  const facts = (answers: readonly Neighbour[]): Neighbours => ({
    key,
    kind,
    answers,
    known: peers.diverse(peers.nearest(key)).length
  })
  const place = { key, kind }
  return facts(await askThem(peers, peers.nearest(key), place, (soFar, awaited) => isDecided(facts(soFar), awaited)))
}

/** As `askNeighbours`, for a name of another neighbourhood: looks up the peers closest to H(preimage). */
export async function askElsewhere(
  peers: Peers | undefined,
  preimage: Uint8Array,
  isDecided: IsDecided
): Promise<Neighbours> {
  const place = { key: sha256(preimage), kind: 'reveal' } as const
  if (peers === undefined) return { ...place, answers: [], known: 0 }
  const closest = await peers.closest(preimage)
  const known = peers.diverse(closest).length
  return {
    ...place,
    answers: await askThem(peers, closest, place, (answers, awaited) => isDecided({ answers, known }, awaited)),
    known
  }
}

/** Answers in the order of `asked`. Late answers are left to arrive: resetting a stream costs both ends more. */
async function askThem(
  peers: Peers,
  asked: readonly Peer[],
  place: Pick<Neighbours, 'key' | 'kind'>,
  isDecided: (soFar: readonly Neighbour[], awaited: number) => boolean
): Promise<Neighbour[]> {
  const answered = (answers: readonly (Neighbour | undefined)[]): Neighbour[] =>
    answers.filter((answer) => answer !== undefined)
  const pending = asked.map((peer) => askOne(peers, peer, place))
  return answered(await waitForEnough(pending, (soFar, awaited) => isDecided(answered(soFar), awaited), 0))
}

/** Brief: peers mostly agree on what is known here, and a record has up to 50 KiB. */
async function askOne(
  peers: Peers,
  from: Peer,
  { key, kind }: Pick<Neighbours, 'key' | 'kind'>
): Promise<Neighbour | undefined> {
  const answer = await answerOrUndefined(peers.ask(from, { type: 'get', kind, key, brief: true }))
  const { peer, prefix } = from
  const met = peers.met(from)
  const who = { peer, prefix, from, ...(met !== undefined && { met }) }
  if (answer?.type === 'none') return who
  if (answer?.type !== 'entry') return undefined
  const { claim: claimId, state, changes, notice } = answer
  return { ...who, entry: { claimId, state, changes, notice: notice?.changes } }
}

/**
 * The Valid record of that claim from the neighbours that report it; undefined when none sends it. Penalises invalid
 * records and those of another name [a claim of another name]. Skips one whose lease has ended, or whose serial is
 * ahead of time: another neighbour may have its renewal [a dead claim shown to a newcomer]. Of changes of its keys that
 * part, those that most of them serve [a name sold twice], and no notice.
 */
export async function recordOfClaim(
  claimId: Uint8Array,
  { key, kind, answers }: Neighbours,
  { peers, verifier, clock, profile }: RecordParts
): Promise<{ claim: Claim; record: Uint8Array } | undefined> {
  const holders = answers.filter(({ entry }) => entry !== undefined && equalBytes(entry.claimId, claimId))
  // Asks one first, which varies by name and mostly suffices; then the others in parallel, so that slow liars cannot
  // add up.
  const first = key.at(-1)! % Math.max(1, holders.length)
  const tried = new Set<string>()
  let best: { claim: Claim; record: Uint8Array } | undefined
  let fewest = Infinity
  for (const asked of [holders.slice(first, first + 1), holders.toSpliced(first, 1)]) {
    const shown = await Promise.all(
      asked.map(async ({ from }) => ({ from, record: await recordAt(peers, from, { key, kind }, claimId) }))
    )
    for (const { from, record } of shown) {
      if (record === undefined) continue
      const hash = toHex(sha256(record))
      if (tried.has(hash)) continue
      tried.add(hash)
      const problem = await claimOfRecord(record, { claimId, key, kind, verifier, hash: profileHash(profile) })
      if (typeof problem === 'string') {
        peers?.penalise(from, problem)
        continue
      }
      const { lapse, verified } = clock.time()
      if (leaseState(problem.newestRound, lapse, profile).state === 'dead' || isAhead(problem, { verified }, profile))
        continue
      const { other, of } = otherAmong(problem, { answers: holders }, profile)
      if (other < fewest) [best, fewest] = [{ claim: problem, record }, other]
      if (other * 2 <= of) return { claim: problem, record }
    }
  }
  return best
}

/** Undefined also if the peer now holds another claim, as it may in a contest. */
async function recordAt(
  peers: Peers | undefined,
  from: Peer,
  { key, kind }: Pick<Neighbours, 'key' | 'kind'>,
  claimId: Uint8Array
): Promise<Uint8Array | undefined> {
  const answer = peers && (await answerOrUndefined(peers.ask(from, { type: 'get', kind, key })))
  return answer?.type === 'entry' && equalBytes(answer.claim, claimId) ? answer.record : undefined
}

interface RecordParts {
  readonly peers: Peers | undefined
  readonly verifier: Verifier
  readonly clock: RoundClock
  readonly profile: NetworkProfile
}

interface Expected {
  readonly claimId: Uint8Array
  readonly key: Uint8Array
  readonly kind: Place
  readonly verifier: Verifier
  readonly hash: Uint8Array
}

async function claimOfRecord(
  record: Uint8Array,
  { claimId, key, kind, verifier, hash }: Expected
): Promise<Claim | string> {
  try {
    const reveal = decodeReveal(record)
    // A claim has one code, so its id says enough there.
    if (kind === 'reveal' && !equalBytes(recordKey(kind, reveal.name, hash), key))
      return 'the record is of another name than asked for'
    const verdict = await verifier.validate(reveal, { urgency: 'expected' })
    if (!verdict.ok) return `${verdict.rule}: ${verdict.detail}`
    return equalBytes(verdict.claim.id, claimId) ? verdict.claim : 'the record is of another claim than said'
  } catch (error) {
    if (error instanceof EncodingError) return error.message
    throw error
  }
}
