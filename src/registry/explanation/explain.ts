/** Who answered what about a name, which rule decided, and what else this daemon knows. */
import { ServiceError } from '../../errors.ts'
import type { ErrorCode } from '../../error-table.ts'
import { OfflineError, type RevealAnswer, type RevealLookup } from '../../network/types.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { claimOf, type Claim, type Equivocation } from '../../protocol/claim/claim.ts'
import { radius } from '../../protocol/neighbourhood/key-space.ts'
import type { CodedName } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { Candidate } from '../../protocol/resolution/quorum.ts'
import { isRollback } from '../../protocol/resolution/pin.ts'
import type { ClaimTasks } from '../tasks.ts'
import type { AutomaticRenewal } from '../upkeep/automatic-renewal.ts'
import { openCodedName, ownPublicKey, type RegistryContext, leaseOf, roundTime } from '../context.ts'
import { notesOf, RULE_TEXTS, verdictOf, type Known, type Shown } from './explain-words.ts'
import { equivocationOf } from '../ownership/newer-records.ts'
import { ownClaim } from './own-claim.ts'
import { answerOf, notFound, answerAlone, isHeldByMost, isSecret, survey, type Survey } from '../resolution/survey.ts'
import { resolveByCode } from '../resolution/by-code.ts'
import { contestOf, publishedNote, publishedOf } from '../resolution/pin-lists.ts'
import { pinView } from '../resolution/pins.ts'
import type { ResolvedName } from '../use-cases.ts'
import type {
  ExplainedAnswer,
  ExplainedPlace,
  ExplainedRule,
  ExplainedState,
  Explanation,
  OwnExplanation
} from '../../views/explanation.ts'

interface ExplainParts {
  readonly context: RegistryContext
  readonly tasks: ClaimTasks
  readonly renewal: AutomaticRenewal
}

/** Always asks the network again. `withOwn` adds what concerns this daemon's own claim. SVC-NAM-*, SVC-RES-001. */
export async function explain(
  parts: ExplainParts,
  text: string,
  { withOwn = false, signal }: { withOwn?: boolean; signal?: AbortSignal } = {}
): Promise<Explanation> {
  const { context } = parts
  const { name, code } = openCodedName(context, text)
  const bare = await explainName(parts, name, withOwn, signal)
  if (code !== undefined) return withCode(context, { name, code }, bare)
  const meant = publishedOf(context, name)
  if (meant.kind === 'unsaid') return bare
  if (meant.kind === 'contested') return withFailure(byCodeOf(bare), 'SVC-RES-004', contestOf(name, meant.said))
  const explained = await withCode(context, { name, code: meant.said[0]!.code }, bare)
  return { ...explained, notes: [publishedNote(context, meant.said), ...explained.notes] }
}

async function explainName(
  parts: ExplainParts,
  name: Name,
  withOwn: boolean,
  signal: AbortSignal | undefined
): Promise<Explanation> {
  const { context } = parts
  const own = withOwn ? ownClaim(parts, name) : null
  const placeOf = (peer: string): ExplainedPlace => {
    const place = context.network.placeOf(name, peer)
    return withOwn ? place : { ...place, prefix: null }
  }
  const openly = async (): Promise<Explanation> => {
    try {
      return explainAnswers(context, await survey(context, name, signal, 'punctual'), own, placeOf)
    } catch (error) {
      const alone = error instanceof OfflineError ? answerAlone(context, name) : undefined
      if (alone === undefined) throw error
      return explainAlone(context, name, alone, own, placeOf)
    }
  }
  if (!isSecret(parts.tasks, name)) return openly()
  const found = await context.network.probe(name, signal)
  if (own !== null) return explainBlindly(context, name, found, own, placeOf)
  return isHeldByMost(found) ? openly() : explainAsNobodys(context, name, found, placeOf)
}

/** What the code makes of it: the peers' words about the name decide nothing then. */
async function withCode(
  context: RegistryContext,
  { name, code }: Required<CodedName>,
  bare: Explanation
): Promise<Explanation> {
  const byCode = byCodeOf(bare)
  try {
    const { reveal, confidence, source } = await resolveByCode(context, name, code)
    const owner = toHex(reveal.pubkey)
    const claimId = toHex(claimOf(reveal, name, context.profile).id)
    return {
      ...byCode,
      verdict:
        `With the code ${code} the name means the claim of ${owner}, which alone has it` +
        (claimId === bare.claim_id ? '.' : '. Without the code, peers name another claim.'),
      state: 'proven',
      owner,
      claim_id: claimId,
      lease: leaseView(context, { newestRound: reveal.drand_pulse }),
      resolves: confidence,
      source,
      error: null
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return withFailure(byCode, error.code, error.message)
  }
}

function byCodeOf(bare: Explanation): Explanation {
  return {
    ...bare,
    rule: 'check-code',
    rule_text: RULE_TEXTS['check-code'],
    notes: [`Without the code: ${bare.verdict}`, ...bare.notes]
  }
}

function withFailure(byCode: Explanation, code: ErrorCode, message: string): Explanation {
  const state = code === 'SVC-RES-003' ? 'grace' : code === 'SVC-RES-004' ? 'contested' : 'unconfirmed'
  const nobody = { owner: null, claim_id: null, lease: null, resolves: null, source: null }
  return { ...byCode, ...nobody, verdict: message, state, error: { code, message } }
}

const NO_CHANGE = new Uint8Array(0)

type PlaceOf = (peer: string) => ExplainedPlace

function explainAnswers(
  context: RegistryContext,
  found: Survey,
  own: OwnExplanation | null,
  placeOf: PlaceOf
): Explanation {
  const { name, tally, answers, counted, quorum, silent } = found
  const winner = tally.kind === 'owner' ? tally.owner : undefined
  const isOlder = winner !== undefined && isRollback(context.memory.newest(name, winner.newest.id), winner.newest)
  const candidates = tally.kind === 'contested' ? tally.candidates : winner === undefined ? [] : [winner]
  const shown: Shown = {
    // Where the profile fixes how many peers should hold it, the daemon may have asked fewer.
    ...common(context, name, { ...found, asked: answers.length + silent.length }, placeOf),
    ...resolution(context, found),
    rule: ruleOf(found, isOlder),
    state: stateOf(context, found, isOlder),
    lease: winner === undefined ? null : leaseView(context, winner.newest),
    owner: winner === undefined ? null : toHex(winner.pubkey),
    claim_id: winner === undefined ? null : toHex(winner.newest.id),
    answers: answers.map((answer) => answerView(answer, answers, counted, placeOf)),
    candidates: candidates.map((candidate) => candidateView(context, candidate)),
    equivocation: equivocationView(equivocationOf(context, found)),
    own
  }
  return explanationOf(shown, {
    ours: oursOf(context, name),
    isThisDaemon:
      context.owned.get(name) !== undefined &&
      candidates[0] !== undefined &&
      equalBytes(candidates[0].pubkey, ownPublicKey(context, name)),
    votes:
      tally.kind === 'owner'
        ? { for: tally.owner.votes, of: tally.of }
        : tally.kind === 'none'
          ? { for: 0, of: tally.answered }
          : null,
    isThin: tally.kind === 'owner' && tally.thin,
    isKeysPending: tally.kind === 'owner' && !tally.owner.final,
    limits: context.profile,
    shortage: quorum.found < quorum.needed ? quorum : null
  })
}

/** No peer answers: what this daemon says by itself. */
function explainAlone(
  context: RegistryContext,
  name: Name,
  { reveal, confidence, source }: ResolvedName,
  own: OwnExplanation | null,
  placeOf: PlaceOf
): Explanation {
  const nobody = { answers: [], asked: 0, silent: [], networkSize: context.network.size() ?? 1, leftOut: 0 }
  const shown: Shown = {
    ...common(context, name, nobody, placeOf),
    resolves: confidence,
    source,
    error: null,
    rule: 'nobody-answers',
    state: 'unconfirmed',
    lease: leaseView(context, { newestRound: reveal.drand_pulse }),
    owner: toHex(reveal.pubkey),
    claim_id: toHex(claimOf(reveal, name, context.profile).id),
    answers: [],
    candidates: [],
    equivocation: equivocationView(context.network.heldHere(name)?.equivocation),
    own
  }
  return explanationOf(shown, {
    ours: oursOf(context, name),
    isThisDaemon: source === 'own',
    votes: null,
    isThin: true,
    limits: context.profile,
    shortage: null
  })
}

/** A running registration never sends the name [looking a name up announces it]: it asks by the blinded prefix. */
function explainBlindly(
  context: RegistryContext,
  name: Name,
  found: RevealLookup,
  own: OwnExplanation,
  placeOf: PlaceOf
): Explanation {
  const shown: Shown = {
    ...common(context, name, found, placeOf),
    resolves: null,
    source: null,
    error: null,
    rule: 'blinded',
    state: 'registering',
    lease: null,
    owner: null,
    claim_id: null,
    answers: found.answers.map((answer) => answerView(answer, [], [], placeOf)),
    candidates: [],
    equivocation: null,
    own
  }
  return explanationOf(shown, {
    ours: oursOf(context, name),
    isThisDaemon: false,
    votes: null,
    isThin: false,
    limits: context.profile,
    shortage: null
  })
}

/**
 * For callers who may not know what is registered here: a name that nobody holds.
 * Peers that say otherwise count as not having answered.
 */
function explainAsNobodys(context: RegistryContext, name: Name, found: RevealLookup, placeOf: PlaceOf): Explanation {
  const nobodys = { ...found, answers: found.answers.filter(({ state }) => state === 'none') }
  const shown: Shown = {
    ...common(context, name, nobodys, placeOf),
    resolves: null,
    source: null,
    error: { code: 'SVC-RES-002', message: notFound(name).message },
    rule: 'nobody-holds-it',
    state: 'none',
    lease: null,
    owner: null,
    claim_id: null,
    answers: nobodys.answers.map((answer) => answerView(answer, [], [], placeOf)),
    candidates: [],
    equivocation: null,
    own: null
  }
  return explanationOf(shown, {
    ours: 'none',
    isThisDaemon: false,
    votes: { for: 0, of: nobodys.answers.length },
    isThin: false,
    limits: context.profile,
    shortage: null
  })
}

function explanationOf(shown: Shown, known: Known): Explanation {
  const facts = { ...shown, ...known }
  return { ...shown, verdict: verdictOf(facts), rule_text: RULE_TEXTS[shown.rule], notes: notesOf(facts) }
}

function oursOf(context: RegistryContext, name: Name): Known['ours'] {
  const record = context.owned.get(name)
  if (record === undefined) return 'none'
  return leaseOf(context, record.reveal.drand_pulse).state === 'dead' ? 'dead' : 'alive'
}

function common(
  context: RegistryContext,
  name: Name,
  { answers, asked, silent, networkSize, leftOut }: RevealLookup,
  placeOf: PlaceOf
): Pick<Shown, 'name' | 'asked' | 'reach' | 'pin' | 'held_here'> {
  const { profile, network } = context
  const held = network.heldHere(name)
  return {
    name,
    asked: {
      peers: asked,
      answered: answers.length,
      silent: silent.map(({ peer, reason }) => ({ peer, ...placeOf(peer), reason })),
      left_out: leftOut
    },
    reach: {
      network_size: networkSize,
      holders: Math.min(profile.k, networkSize),
      radius: radius(profile.k, networkSize)
    },
    pin: pinView(context, context.pins.get(name)),
    held_here:
      held === undefined
        ? null
        : {
            state: held.state,
            owner: toHex(held.claim.pubkey),
            claim_id: toHex(held.claim.id),
            serial: held.claim.serial,
            since: roundTime(context, held.tenureRound),
            rivals: held.rivals,
            stub: held.isStub
          }
  }
}

/** By the decision that resolving makes, so that the two never differ. */
function resolution(context: RegistryContext, found: Survey): Pick<Shown, 'resolves' | 'source' | 'error'> {
  try {
    const { confidence, source } = answerOf(context, found)
    return { resolves: confidence, source, error: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { resolves: null, source: null, error: { code: error.code, message: error.message } }
  }
}

function ruleOf({ tally }: Survey, isOlder: boolean): ExplainedRule {
  if (tally.kind === 'undecided') throw new Error('a survey that has ended cannot be undecided')
  return isOlder ? 'older-than-seen' : tally.rule
}

function stateOf(context: RegistryContext, { tally, counted }: Survey, isOlder: boolean): ExplainedState {
  if (tally.kind !== 'owner') return tally.kind === 'none' ? 'none' : 'contested'
  if (isOlder) return 'contested'
  const { owner, provisional, settled } = tally
  const lease = leaseOf(context, owner.newest.newestRound)
  if (lease.state !== 'live') return lease.state
  if (provisional) return 'provisional'
  if (settled) return 'settled'
  const fresh = counted.filter(
    ({ state, claim }) => state === 'fresh' && claim !== undefined && equalBytes(claim.pubkey, owner.pubkey)
  ).length
  return fresh * 2 > owner.votes ? 'fresh' : 'settling'
}

function answerView(
  answer: RevealAnswer,
  answers: readonly RevealAnswer[],
  counted: readonly RevealAnswer[],
  placeOf: PlaceOf
): ExplainedAnswer {
  const { peer, self, state, claimId, claim, changes } = answer
  // Who holds a stub says which claim and change it is of, and not which key that has.
  const isProof = (other: Claim): boolean =>
    claimId !== undefined &&
    equalBytes(other.id, claimId) &&
    equalBytes(other.changes.at(-1)?.hash ?? NO_CHANGE, changes?.head ?? NO_CHANGE)
  const proved = claim ?? answers.map((other) => other.claim).find((other) => other !== undefined && isProof(other))
  return {
    peer,
    ...placeOf(peer),
    self,
    state,
    claim_id: claimId === undefined ? null : toHex(claimId),
    serial: claim?.serial ?? null,
    owner: proved === undefined ? null : toHex(proved.pubkey),
    vote: counted.includes(answer)
  }
}

function candidateView(
  context: RegistryContext,
  { pubkey, votes, settledVotes, newest }: Candidate
): Explanation['candidates'][number] {
  return {
    owner: toHex(pubkey),
    votes,
    settled_votes: settledVotes,
    serial: newest.serial,
    lease_end: roundTime(context, leaseOf(context, newest.newestRound).endRound)
  }
}

function leaseView(context: RegistryContext, { newestRound }: Pick<Claim, 'newestRound'>): Explanation['lease'] {
  const { startRound, endRound, graceEndRound } = leaseOf(context, newestRound)
  return {
    start: roundTime(context, startRound),
    end: roundTime(context, endRound),
    grace_end: roundTime(context, graceEndRound)
  }
}

function equivocationView(noted: Equivocation | undefined): Explanation['equivocation'] {
  return noted === undefined
    ? null
    : { pulse_round: noted.round, serial: noted.serial, payload_hashes: noted.payloadHashes.map((hash) => toHex(hash)) }
}
