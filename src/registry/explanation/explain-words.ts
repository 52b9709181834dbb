/** An explanation in plain words. Every sentence must hold in every state in which it is said. */
import type { DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import type { ExplainedRule, Explanation, OwnExplanation } from '../../views/explanation.ts'

/** Characters of a check code in a sentence: as many as a link that matters for long. */
const SHOWN_CODE = 12

export type Shown = Omit<Explanation, 'verdict' | 'rule_text' | 'notes'>

export interface Known {
  /** A claim of this daemon: alive while its lease or grace runs, dead afterwards. */
  readonly ours: 'none' | 'alive' | 'dead'
  readonly isThisDaemon: boolean
  /** Votes for the owner, of those that counted; for a name that nobody holds, of those that could have voted. */
  readonly votes: { readonly for: number; readonly of: number } | null
  /** At most half of the peers that should know agree. */
  readonly isThin: boolean
  /** The last change of its keys is not final. */
  readonly isKeysPending?: boolean
  readonly limits: DiversityLimits
  /** Fewer peers could answer than must agree: the answer is thin, whatever they say. */
  readonly shortage: { readonly found: number; readonly needed: number } | null
}

type Facts = Shown & Known

export const RULE_TEXTS: Readonly<Record<ExplainedRule, string>> = {
  majority:
    'Each peer has one vote, and the owner with more than half of the votes wins. ' +
    'Provisional entries and "none" have no vote while another state answers.',
  'provisional-only':
    'Only provisional entries answered, so they have the votes; the owner with more than half of them wins.',
  parted: 'The keys of one claim were changed in two ways: no way has more than half of its votes, so it is contested.',
  'provisional-majority':
    'Most peers hold one claim that has not settled, and too few for a majority name another owner: that is contested.',
  'no-majority': 'No owner has more than half of the votes: that is contested, never a guess.',
  pin:
    'A claim seen as settled twice, a day apart, is remembered until its lease ' +
    'is dead; another one before that is contested, never a switch.',
  'two-majorities':
    'Most peers have named two owners, one shortly after the other: that is ' +
    'contested until one of them has stayed, never a guess.',
  'nobody-holds-it': 'No peer that answered holds a record of it.',
  'check-code':
    'The record that has the code proves itself, whichever peer shows it. What peers say of the name decides nothing.',
  'older-than-seen': 'A record older than one that was seen before of the same key is not believed.',
  'nobody-answers':
    'Where no peer answers, this daemon answers for its own names and for records that it holds, ' +
    'while their leases run and nothing known speaks against them. Such an answer is thin.',
  blinded:
    'Before its reveal nothing is sent that shows which name is meant. Peers list ' +
    'all that they hold under a prefix, and this daemon compares.'
}

export function verdictOf(facts: Facts): string {
  const { name, rule, candidates, votes, lease, ours, answers, pin } = facts
  switch (rule) {
    case 'blinded':
      return blindVerdict(facts)
    case 'check-code':
      throw new Error('an explanation by a code brings its own verdict')
    case 'nobody-answers':
      return (
        `No peer answers. By ${facts.source === 'own' ? 'its own record' : 'a record that it holds'}, this daemon says ` +
        `that ${name} belongs to ${facts.isThisDaemon ? 'this daemon' : `the key ${facts.owner}`}; its lease runs ` +
        `until ${lease!.end}.`
      )
    case 'nobody-holds-it':
      if (ours === 'alive')
        return (
          `This daemon has a claim of ${name}, but none of the other peers that ` +
          'answered holds its record; it is sent again by itself.'
        )
      if (answers.every(({ self }) => self))
        return `Nobody owns ${name}: this daemon holds no record of it, and knows no other node to ask.`
      return (
        `Nobody owns ${name}: ` +
        `${ours === 'dead' ? 'the claim of this daemon has lapsed, and ' : ''}${noneOf(votes!.of)} ` +
        'holds a record of it.'
      )
    case 'provisional-majority':
      return (
        `${name} is contested: ${candidates[0]!.votes} peers hold a claim that has not settled, and ` +
        `${candidates.slice(1).reduce((sum, { votes }) => sum + votes, 0)} of the others name another owner.`
      )
    case 'no-majority':
    case 'parted':
      return (
        `${name} is contested: ` +
        `${candidates.map((each) => String(each.votes)).join(' against ')} ` +
        'votes, and none has more than half.'
      )
    case 'pin':
      return (
        `${name} is contested: the peers name another claim than the one this ` +
        'daemon has known as settled, whose lease or grace still runs.'
      )
    case 'two-majorities':
      return (
        `${name} is contested: the peers now name the key ${candidates[0]!.owner}, and shortly before most ` +
        `of them named another one. Unless that changes again it is contested until ${pin!.contested_until}.`
      )
    case 'older-than-seen':
      return (
        `Most peers hold ${name} for ${ownerText(facts)} (${votes!.for} of ${votes!.of} votes). But each ` +
        'record they give is older than one that this daemon has seen before, and is not believed.'
      )
    case 'majority':
    case 'provisional-only': {
      const who = ownerText(facts)
      if (facts.state === 'dead')
        return (
          `${name} is free: the claim of ${who}, which ${votes!.for} of ${votes!.of} ` +
          `peers still hold, ended with its grace at ${lease!.grace_end}.`
        )
      const held = `${name} belongs to ${who}: ${votes!.for} of ${votes!.of} votes${doubtOf(facts)}`
      if (facts.state === 'grace')
        return (
          `${held}; its lease ended at ${lease!.end}, so it does not resolve, ` +
          `and until ${lease!.grace_end} only that key may renew it.`
        )
      return `${held}; its lease runs until ${lease!.end}.`
    }
  }
}

function blindVerdict({ name, own, answers }: Facts): string {
  const task = own!.tasks.find(({ kind, status }) => kind === 'register' && status === 'running')!
  const taken = answers.filter(({ state }) => state !== 'none').length
  const none = noneOf(answers.length)
  const claims = answers.every(({ self }) => self)
    ? `This daemon ${taken === 0 ? 'holds no claim' : 'holds a claim'} of it, and knows no other node to ask`
    : taken === 0
      ? `${none[0]!.toUpperCase()}${none.slice(1)} holds a claim of it`
      : `${taken} of the ${answers.length} peers that answered hold a claim of it`
  return `This daemon is registering ${name} (phase ${task.phase}${task.paused ? ', paused' : ''}). ${claims}.`
}

function noneOf(peers: number): string {
  return peers === 1 ? 'no peer, of the one that answered,' : `none of the ${peers} peers that answered`
}

function ownerText({ owner, isThisDaemon, candidates }: Facts): string {
  return isThisDaemon ? 'this daemon' : `the key ${owner ?? candidates[0]!.owner}`
}

function doubtOf({ state, isThin }: Facts): string {
  const doubts = [
    ...(state === 'provisional' ? ['all of them provisional'] : []),
    ...(isThin ? ['from fewer peers than should hold it'] : [])
  ]
  return doubts.map((doubt) => `, ${doubt}`).join('')
}

export function notesOf(facts: Facts): string[] {
  return [
    askedNote(facts),
    ...keysNotes(facts),
    ...diversityNotes(facts),
    ...stateNotes(facts),
    ...memoryNotes(facts),
    ...heldNotes(facts),
    ...(facts.own === null ? [] : ownNotes(facts, facts.own))
  ]
}

function keysNotes({ isKeysPending, answers, owner, claim_id: claimId }: Facts): string[] {
  const others = answers.filter(
    (answer) => answer.vote && answer.claim_id === claimId && answer.owner !== null && answer.owner !== owner
  )
  const [other] = others
  return [
    ...(isKeysPending === true
      ? ['The last change of its keys is not final: until then another may take its place (chronym transfer status).']
      : []),
    ...(claimId !== null && other !== undefined
      ? [`Of the peers that hold this claim ${others.length} show it with other keys, such as ${other.owner!}.`]
      : [])
  ]
}

function askedNote({
  asked: { peers, answered, silent },
  reach: { network_size: size, holders },
  answers,
  rule
}: Facts): string {
  if (size === 1 && answers.every(({ self }) => self))
    return 'No other node is known: this daemon searched only its own store.'
  const known =
    size === 1
      ? 'No other node is known.'
      : `The network has about ${size} nodes; ` +
        `${holders === size ? 'all of them' : `the ${holders} nearest to the name`} ` +
        'should hold it.'
  const voiceless = rule === 'blinded' ? 0 : answers.filter(({ vote }) => !vote).length
  const votes = voiceless === 0 ? '' : ` ${voiceless} of the answers had no vote.`
  const reasons = [...new Set(silent.map(({ reason }) => reason))].map(
    (reason) => `${silent.filter((each) => each.reason === reason).length} ${SILENCE_TEXTS[reason]}`
  )
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  return `${answered} of ${peers} asked have answered${why}.${votes} ${known}`
}

function diversityNotes({
  asked: { left_out: leftOut },
  limits: { answers_per_prefix: narrow, answers_per_wide_prefix: wide },
  shortage
}: Facts): string[] {
  const notes: string[] = []
  if (leftOut > 0) {
    const who = leftOut === 1 ? '1 further peer near the name does' : `${leftOut} further peers near the name do`
    notes.push(
      `${who} not count: at most ${narrow} of one /24 (IPv6: /32)` +
        `${wide === 0 ? '' : ` and ${wide} of one /16 (IPv6: /24)`} have a vote, and those by IPv6 only where IPv4 leaves ` +
        'places. One machine may pass for many.'
    )
  }
  if (shortage !== null) {
    notes.push(
      `Too few diverse peers: ${shortage.found} could vote, and ` +
        `${shortage.needed} have to agree before an answer is more than thin. ` +
        '`chronym status` says what is missing. The cure: more peers of other networks (`--bootstrap`) ' +
        'or, for a few machines, a profile for them (docs/network.md, "A young network").'
    )
  }
  return notes
}

const SILENCE_TEXTS: Readonly<Record<Facts['asked']['silent'][number]['reason'], string>> = {
  'no-answer': 'gave no answer',
  late: 'took so long that nobody waited',
  busy: 'had too much to do',
  invalid: 'sent a record that is not valid'
}

function stateNotes({ state, isThin, ours, resolves, rule, answers }: Facts): string[] {
  const notes: string[] = []
  if (state === 'fresh') notes.push('Its contest is still open: a claim with an earlier pulse may take its place.')
  if (state === 'settling')
    notes.push('It is still settling: it changes hands only if the peers find that most of them hold another claim.')
  if (state === 'provisional')
    notes.push(
      'No peer that answered has seen its commitment in time. It settles ' +
        'after a quiet period, and yields to a witnessed claim.'
    )
  if (isThin)
    notes.push(
      'At most half of the peers that should know agree: the answer is ' +
        'kept for a minute only, and its owner is not remembered.'
    )
  if (resolves === 'provisional' && state !== 'provisional') notes.push('Resolvers get it as not yet settled.')
  if (ours !== 'none' && rule !== 'blinded' && answers.some(({ self, vote }) => self && !vote))
    notes.push("This daemon's own store does not vote on a name that it has claimed.")
  return notes
}

function memoryNotes({ pin, rule, claim_id: now, equivocation }: Facts): string[] {
  const notes: string[] = []
  if (pin !== null) notes.push(pin.state === 'firm' ? firmNote(pin, now, rule) : tentativeNote(pin, now))
  if (equivocation !== null) {
    notes.push(
      'Its owner has signed two different payloads with serial ' +
        `${equivocation.serial} (pulse ${equivocation.pulse_round}); every node takes ` +
        'the one with the higher hash. Publishing with a higher serial ends that.'
    )
  }
  return notes
}

type PinFacts = NonNullable<Facts['pin']>

function firmNote(pin: PinFacts, now: string | null, rule: ExplainedRule): string {
  const agrees = pin.claim_id === now ? 'the same as now' : pinnedText(pin)
  return (
    `Remembered as the settled owner, seen twice since ${pin.since}: ${agrees}. ` +
    `${rule === 'pin' ? 'That is why this daemon believes nobody else' : 'No other is believed'} before ` +
    `${pin.until}.`
  )
}

/** One key may have several claims: the code tells them apart. */
function pinnedText({ owner, check_code: code }: PinFacts): string {
  return `the key ${owner} with the check code ${code.slice(0, SHOWN_CODE)}`
}

/** A tentative pin binds nobody: where peers show another owner, this note is the warning. */
function tentativeNote(pin: PinFacts, now: string | null): string {
  if (pin.rival !== null)
    return (
      `Seen as the settled owner before: the key ${pin.rival}; since ${pin.since}: ` +
      `${pinnedText(pin)}. This daemon looks again after ${pin.second_look}; ` +
      '`chronym pins forget` makes it believe the next majority.'
    )
  const later = `A second look after ${pin.second_look} makes that firm, where it finds the same`
  if (pin.claim_id === now)
    return `Seen as the settled owner once, at ${pin.since}: the same as now. ${later}; until then it binds nobody.`
  return `Warning: seen as the settled owner at ${pin.since}: ${pinnedText(pin)}. ${later}; until then another owner is believed too.`
}

function heldNotes({ held_here: held, owner, state }: Facts): string[] {
  if (held === null) return []
  const what = held.stub ? 'the stub of a claim, without its payload' : 'a claim'
  const whose = owner === null || held.owner === owner ? '' : ` of another key (${held.owner})`
  const rivals = held.rivals === 0 ? '' : `; ${held.rivals} claims of others have come since`
  const dead = state === 'dead' ? ' The daemon removes it once it sees that its lease is dead.' : ''
  return [
    `This daemon's own store holds ${what}${whose}; it is ${held.state}, and a ` +
      `claim has been there since ${held.since}${rivals}.${dead}`
  ]
}

function ownNotes({ rule }: Facts, { name, claim, receipts, tasks }: OwnExplanation): string[] {
  const notes = (name?.warnings ?? []).map(({ message }) => `Warning: ${message}${/[.)]$/.test(message) ? '' : '.'}`)
  if (name !== null && name.serial !== name.published_serial) {
    notes.push(
      `The zone saved here has serial ${name.serial}, the published one ` +
        `${name.published_serial === 0 ? 'none' : name.published_serial}.`
    )
  }
  if (receipts !== null) {
    const isOfClaim = claim !== null && claim.commitment === receipts.commitment
    const of = isOfClaim
      ? 'the commitment of this claim'
      : rule === 'blinded'
        ? 'the commitment'
        : 'an earlier commitment of this daemon'
    const seen = receipts.receipts.filter(({ seen_round: round }) => round < receipts.pulse_round).length
    notes.push(
      `${seen} of ${receipts.receipts.length} receipts that peers have signed say that ` +
        `they saw ${of} before its pulse, round ${receipts.pulse_round}.`
    )
  }
  for (const { task_id: id, kind, status, phase, paused, stalled } of tasks) {
    if (status !== 'running') continue
    const waits = stalled === null ? '' : `; it waits (${stalled.code}: ${stalled.message})`
    notes.push(
      `A ${kind === 'renew' ? 'renewal' : 'registration'} of it is under way here: ` +
        `task ${id}, phase ${phase}${paused ? ', paused' : ''}${waits}.`
    )
  }
  return notes
}
