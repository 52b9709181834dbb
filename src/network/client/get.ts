import { equalBytes, sha256, toHex } from '../../protocol/encoding/bytes.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { electorate } from '../../protocol/neighbourhood/diversity.ts'
import { profileHash } from '../../protocol/profile/profile.ts'
import { recordKey } from '../../protocol/neighbourhood/key-space.ts'
import { type Reveal, decodeReveal } from '../../protocol/claim/reveal.ts'
import { type Claim, isAhead } from '../../protocol/claim/claim.ts'
import type { Verdict } from '../../protocol/claim/valid.ts'
import type { Peer } from '../peers.ts'
import { GRACE_MS, waitForEnough } from '../../util/wait-for-enough.ts'
import { AskError, answerOrUndefined } from '../wire/exchange.ts'
import { afterWait } from '../wire/patience.ts'
import type { GetAnswer } from '../wire/records.ts'
import type { CodedLook, LookupBreadth, RevealAnswer, RevealLookup, SilentPeer, FoundDocuments } from '../types.ts'
import { type ClientParts, nearestOf, reachable, shouldHold } from './holders.ts'
import { checkCodeOf, codedId } from '../../protocol/claim/check-code.ts'

/** This part of those asked is left out, where it is late and the others hold nothing; one peer always is. */
const FEW_LATE = 1 / 4

/** How long half of a place may take, where the other has shown a record: as long as a question. */
const PLACES_MS = 10_000

/** Where the records of a name are: that of the name, or that of one of its check codes. */
interface Place {
  readonly kind: 'reveal' | 'coded'
  readonly id: string
}

/**
 * Asks the peers that should hold a name, and this node's own store. Verifies every distinct record; a peer that sends
 * an invalid one is penalised and counts as silent.
 * `breadth` says when it ends; by default once more than half of the holders show one claim that is not provisional.
 * Holders in the routing table are asked first, if they suffice: a look-up asks as many peers just to find holders. A
 * look-up finds the rest. For a code, where one honest holder decides, all k places must be known.
 * Throws OfflineError, or the signal's reason.
 */
export async function getReveals(
  parts: ClientParts,
  name: string,
  signal?: AbortSignal,
  breadth: LookupBreadth = 'majority',
  place: Place = { kind: 'reveal', id: name }
): Promise<RevealLookup> {
  const { peers, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const key = recordKey(place.kind, place.id, hash)
  const enough = new AbortController()
  const either = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal])
  let hasEnded = false
  const isDecided = (): boolean => hasEnded || enough.signal.aborted
  let grace: NodeJS.Timeout | undefined
  const questions = new Map<string, Promise<void>>()
  /** Peers that take longer than they usually do. */
  const late = new Set<string>()
  let whenLate = (): void => undefined
  let asking = 0
  const judge = judgeOf(parts, name, either)
  const near = peers.within(key)
  /** By peer; undefined while the answer is pending. */
  const replies = new Map<string, RevealAnswer | SilentPeer['reason'] | undefined>()
  const note = (peer: string, reply: RevealAnswer | SilentPeer['reason'] | undefined): void => {
    replies.set(peer, reply)
    if (typeof reply === 'object' && typeof breadth === 'object') breadth.heard(reply)
  }

  const question = async (peer: Peer): Promise<void> => {
    replies.set(peer.peer, undefined)
    const answered = afterWait(peers.waitMs(peer), () => {
      late.add(peer.peer)
      whenLate()
    })
    const reply = await askOne(peer)
    answered()
    if (!isDecided()) note(peer.peer, reply)
  }

  /**
   * Asks the diverse peers among `found`. More than half of `others` and this node must agree. Peers that are late are
   * left out where a look-up follows: it finds the next nearest, and they count if they come meanwhile. Then they are
   * left out where they can change nothing. To show who answers what, `punctual` asks the nearest known ones too that a
   * look-up has passed over, since they are slow.
   */
  const askThem = async (found: readonly Peer[], others?: number): Promise<() => RevealLookup> => {
    const current = ++asking
    const places = peers.diverse(found)
    const nearest = breadth === 'punctual' ? nearestOf(peers, key, parts.profile.k, found, near) : []
    const passedOver = nearest.filter(({ peer }) => !found.some((each) => each.peer === peer))
    const asked = [...places, ...passedOver]
    const ids = new Set([parts.ownPeerId, ...asked.map(({ peer }) => peer)])
    const total = electorate((others ?? places.length) + (self === undefined ? 0 : 1), parts.profile)
    // A peer's prefix is certain only once it has answered.
    const heard = (): Peer[] => asked.filter(({ peer }) => typeof replies.get(peer) === 'object')
    const answersOf = (): RevealAnswer[] => {
      const diverse = new Set(peers.diverse(heard()).map(({ peer }) => peer))
      return [...replies].flatMap(([peer, reply]) =>
        typeof reply === 'object' && (peer === parts.ownPeerId || diverse.has(peer)) ? [reply] : []
      )
    }
    const stopWhenDecided = (): void => {
      if (asking !== current) return
      if (typeof breadth !== 'object') {
        if (suffices(answersOf(), total, breadth)) enough.abort()
      } else if (answersOf().length * 2 > total) breadth.halfAnswered()
    }
    const { promise: leaving, resolve: leave } = Promise.withResolvers<undefined>()
    whenLate = () => {
      const awaited = asked.filter(({ peer }) => replies.get(peer) === undefined)
      if (grace !== undefined || !awaited.every(({ peer }) => late.has(peer))) return
      const count = { asked: asked.length, awaited: awaited.length, total }
      if (others !== undefined) {
        // For a code the newest record may be with those that are late.
        if (typeof breadth !== 'object' || !suffices(answersOf(), total, breadth)) leave(undefined)
      } else if ((breadth === 'majority' || breadth === 'punctual') && isBeyond(answersOf(), count)) {
        const mayMatter = breadth === 'punctual' || mayBeThick(answersOf(), count)
        grace = setTimeout(leave, mayMatter ? GRACE_MS : 0, undefined)
      }
    }
    stopWhenDecided()
    const answered = asked.map(async (peer) => {
      if (isDecided()) return
      const pending = questions.get(peer.peer) ?? question(peer)
      questions.set(peer.peer, pending)
      await pending
      stopWhenDecided()
      whenLate()
    })
    whenLate()
    await Promise.race([Promise.all(answered), leaving])
    return () => {
      const silent = [...replies].flatMap(([peer, reply]) => {
        const reason = breadth === 'punctual' ? (reply ?? 'late') : reply
        return typeof reason === 'string' && ids.has(peer) ? [{ peer, reason }] : []
      })
      const leftOut = found.length - places.length + heard().length - peers.diverse(heard()).length
      return { answers: answersOf(), asked: total, silent, networkSize: peers.networkSize(), leftOut }
    }
  }
  const askOne = async (peer: Peer): Promise<RevealAnswer | SilentPeer['reason'] | undefined> => {
    try {
      const answer = await peers.ask(peer, { type: 'get', kind: place.kind, key }, either)
      if (hasEnded) return undefined
      const reply = await judge(answer, { peer: peer.peer, self: false })
      if (reply === 'invalid') peers.penalise(peer, `an invalid record for ${name}`)
      return reply
    } catch (error) {
      if (isDecided()) return undefined
      if (!(error instanceof AskError)) throw error
      return 'no-answer'
    }
  }

  try {
    if (self !== undefined) {
      const own = await judge(self.get(place.kind, key), { peer: parts.ownPeerId, self: true })
      if (typeof own === 'object') note(parts.ownPeerId, own)
    }
    const known = peers.diverse(near)
    const holders = Math.max(
      known.length,
      electorate(Math.min(parts.profile.k, peers.networkSize() - 1), parts.profile)
    )
    // A majority of those that are known may be liars with an old record: the newest is looked for at every place.
    const suffice = typeof breadth === 'object' ? known.length >= holders : known.length * 2 > holders + 1
    const report = suffice && !wantsAll(breadth) ? await askThem(near, holders) : undefined
    const soFar = report?.()
    if (soFar !== undefined && (isDecided() || suffices(soFar.answers, soFar.asked, breadth))) return soFar
    try {
      const found = await shouldHold(peers, place.kind, place.id, parts.profile, either)
      enough.signal.throwIfAborted()
      return (await askThem(found))()
    } catch (error) {
      // Those that were late have decided before the look-up ended.
      if (report === undefined || !enough.signal.aborted) throw error
      return report()
    }
  } finally {
    hasEnded = true
    clearTimeout(grace)
  }
}

interface Count {
  readonly asked: number
  /** Those of them that are late. */
  readonly awaited: number
  /** More than half of these make an answer that is not thin. */
  readonly total: number
}

/**
 * Whether peers that are late can no longer change who the owner is. That nobody holds a name, one answer would change:
 * it is said without them only by most of those asked, while few are late.
 */
function isBeyond(answers: readonly RevealAnswer[], { asked, awaited, total }: Count): boolean {
  if (answers.every(({ state }) => state === 'none'))
    return answers.filter(({ self }) => !self).length * 2 > asked && awaited <= Math.max(1, asked * FEW_LATE)
  const [most = 0, ...others] = votesOf(answers)
  return most > others.reduce((sum, votes) => sum + votes, awaited) && !mayBeContested(answers, { awaited, total })
}

/** Whether a claim that is provisional at some needs the late ones to be held by more than half [rules.md, 11]. */
function mayBeContested(answers: readonly RevealAnswer[], { awaited, total }: Omit<Count, 'asked'>): boolean {
  if (hasMajority(answers, total)) return false
  const [[first] = []] = rankedVotes(answers)
  return rankedVotes(answers, true).some(
    ([id, votes]) => id !== first && votes * 2 <= total && (votes + awaited) * 2 > total
  )
}

/** Whether the late ones could make an answer firm that is thin without them. */
function mayBeThick(answers: readonly RevealAnswer[], { awaited, total }: Count): boolean {
  const most = votesOf(answers)[0] ?? answers.length
  return most * 2 <= total && (most + awaited) * 2 > total
}

function wantsAll(breadth: LookupBreadth): breadth is 'everybody' | 'punctual' {
  return breadth === 'everybody' || breadth === 'punctual'
}

function suffices(answers: readonly RevealAnswer[], total: number, breadth: LookupBreadth): boolean {
  if (wantsAll(breadth)) return false
  if (breadth === 'majority') return hasMajority(answers, total)
  return answers.length * 2 > total && answers.some(({ reveal }) => reveal !== undefined && breadth.shows(reveal))
}

function hasMajority(answers: readonly RevealAnswer[], total: number): boolean {
  return (votesOf(answers)[0] ?? 0) * 2 > total
}

/** Of each claim, most first. */
function votesOf(answers: readonly RevealAnswer[]): number[] {
  return rankedVotes(answers).map(([, votes]) => votes)
}

/** Claims by their votes, most first; with those that are provisional where they count. */
function rankedVotes(answers: readonly RevealAnswer[], withProvisional = false): [claim: string, votes: number][] {
  const votes = new Map<string, number>()
  for (const { claimId, state } of answers) {
    if (claimId === undefined || (state === 'provisional' && !withProvisional)) continue
    const id = toHex(claimId)
    votes.set(id, (votes.get(id) ?? 0) + 1)
  }
  return [...votes].sort(([, left], [, right]) => right - left)
}

type Asked = Pick<RevealAnswer, 'peer' | 'self'>

/**
 * Verifies an answer; each distinct record once. One whose serial is ahead of time shows no more than its claim
 * [a serial ahead of time].
 */
export function judgeOf(
  { verifier, clock, profile }: ClientParts,
  name: string,
  signal: AbortSignal
): (answer: GetAnswer, asked: Asked) => Promise<RevealAnswer | SilentPeer['reason']> {
  const verdicts = new Map<string, Promise<{ reveal: Reveal; verdict: Verdict } | undefined>>()
  const verify = async (record: Uint8Array): Promise<{ reveal: Reveal; verdict: Verdict } | undefined> => {
    try {
      const reveal = decodeReveal(record)
      return reveal.name === name ? { reveal, verdict: await verifier.validate(reveal, { signal }) } : undefined
    } catch (error) {
      if (error instanceof EncodingError) return undefined
      throw error
    }
  }
  /** Undefined without a record, and for one whose serial is ahead of time. */
  const verdictOn = async (
    record: Uint8Array | undefined,
    claimId: Uint8Array
  ): Promise<{ reveal: Reveal; claim: Claim } | 'invalid' | undefined> => {
    if (record === undefined) return undefined
    const id = toHex(sha256(record))
    const pending = verdicts.get(id) ?? verify(record)
    verdicts.set(id, pending)
    const verified = await pending
    if (verified === undefined || !verified.verdict.ok || !equalBytes(verified.verdict.claim.id, claimId))
      return 'invalid'
    const { claim } = verified.verdict
    return isAhead(claim, clock.time(), profile) ? undefined : { reveal: verified.reveal, claim }
  }
  return async (answer, asked) => {
    if (answer.type === 'none') return { ...asked, state: 'none' }
    if (answer.type === 'busy') return 'busy'
    if (answer.type !== 'entry') return 'no-answer'
    const { state, claim: claimId, record, changes, notice } = answer
    const [shown, noticed] = await Promise.all([verdictOn(record, claimId), verdictOn(notice?.record, claimId)])
    if (shown === 'invalid' || noticed === 'invalid') return 'invalid'
    return {
      ...asked,
      state,
      claimId,
      ...(changes && { changes }),
      ...shown,
      ...(noticed && notice && { notice: { ...noticed, changes: notice.changes } })
    }
  }
}

/**
 * Asks for the claim of a name that has a check code, at both places where its record belongs. No place decides
 * anything: one verified record that fits is the owner's. So what remains to an attacker is to fill both.
 * Throws OfflineError, or the signal's reason.
 */
export async function getByCode(
  parts: ClientParts,
  name: string,
  code: string,
  signal?: AbortSignal
): Promise<RevealLookup> {
  const rest = new AbortController()
  const heard: [RevealAnswer[], RevealAnswer[]] = [[], []]
  const hasHalf: [boolean, boolean] = [false, false]
  const looks: RevealLookup[] = []
  const either = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal])
  // Most peers show one record, which each new answer would have decoded again.
  const known = new WeakMap<Reveal, boolean>()
  const shows = (reveal: Reveal): boolean => {
    const fits = known.get(reveal) ?? checkCodeOf(reveal, parts.profile).startsWith(code)
    known.set(reveal, fits)
    return fits
  }
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<undefined>()
  let isLate = false
  let lastSecond: NodeJS.Timeout | undefined
  const endWhenEnough = (): void => {
    const isShown = heard.flat().some(({ reveal }) => reveal !== undefined && shows(reveal))
    if (lastSecond === undefined && isEnoughByCode({ isShown, isLate, hasHalf }))
      lastSecond = setTimeout(end, GRACE_MS, undefined)
  }
  const late = setTimeout(() => {
    isLate = true
    endWhenEnough()
  }, PLACES_MS)
  try {
    const places = [{ kind: 'coded', id: codedId(name, code) } as const, { kind: 'reveal', id: name } as const]
    const look = async (place: Place, index: number): Promise<void> => {
      const note = (): void => {
        hasHalf[index] = true
        endWhenEnough()
      }
      const coded: CodedLook = {
        shows,
        heard: (answer) => {
          heard[index]!.push(answer)
          endWhenEnough()
        },
        halfAnswered: note
      }
      looks[index] = await getReveals(parts, name, either, coded, place)
      note()
    }
    await Promise.race([hasEnded, Promise.all(places.map(look))])
    const networkSize = reachable(parts).peers.networkSize()
    return heard.map((answers, index) => looks[index] ?? unfinished(answers, networkSize)).reduce(merged)
  } finally {
    clearTimeout(late)
    clearTimeout(lastSecond)
    rest.abort(new Error('the other place has shown it'))
  }
}

/**
 * Whether the last second of a look-up by code begins, in which those asked may still show a newer record. More than
 * half of both places have answered: otherwise half of one, with an old record, would end it before the other
 * place has said anything [an older record shown again]. A place that is silent holds it up for ten seconds.
 */
function isEnoughByCode(facts: {
  readonly isShown: boolean
  readonly isLate: boolean
  readonly hasHalf: readonly boolean[]
}): boolean {
  return facts.isShown && (facts.isLate || facts.hasHalf.every(Boolean))
}

function unfinished(answers: readonly RevealAnswer[], networkSize: number): RevealLookup {
  return { answers: [...answers], asked: answers.length, silent: [], networkSize, leftOut: 0 }
}

function merged(one: RevealLookup, other: RevealLookup): RevealLookup {
  return {
    answers: [...one.answers, ...other.answers],
    asked: one.asked + other.asked,
    silent: [...one.silent, ...other.silent],
    networkSize: one.networkSize,
    leftOut: one.leftOut + other.leftOut
  }
}

/**
 * The records that the peers closest to a DID hold, a second after more than half of the diverse peers have answered.
 * Ids of one address count as one or two. Throws OfflineError, or the signal's reason.
 */
export async function getDocuments(
  parts: ClientParts,
  kind: 'kid' | 'manifest',
  did: string,
  signal?: AbortSignal
): Promise<FoundDocuments> {
  const { peers, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const key = recordKey(kind, did, hash)
  const closest = await shouldHold(peers, kind, did, parts.profile, signal)
  const askOne = async (peer: Peer): Promise<Uint8Array | 'none' | undefined> => {
    const answer = await answerOrUndefined(peers.ask(peer, { type: 'get', kind, key }, signal))
    return answer?.type === 'document' ? answer.record : answer?.type === 'none' ? 'none' : undefined
  }
  /** A peer's prefix is certain only once it has answered. */
  const diverseOf = (answers: readonly (Uint8Array | 'none' | undefined)[]): readonly Peer[] =>
    peers.diverse(closest.filter((_, index) => answers[index] !== undefined))
  const isMajority = (answers: readonly (Uint8Array | 'none' | undefined)[]): boolean =>
    diverseOf(answers).length * 2 > peers.diverse(closest).length
  const answers = await waitForEnough<Uint8Array | 'none' | undefined>(closest.map(askOne), isMajority)

  const counted = new Set(diverseOf(answers))
  const shown = new Map<string, { record: Uint8Array; by: number }>()
  const show = (record: Uint8Array, votes: number): void => {
    const id = toHex(record)
    shown.set(id, { record, by: (shown.get(id)?.by ?? 0) + votes })
  }
  const own = self?.documents.get(kind, key)
  if (own !== undefined) show(own, 1)
  for (const [index, answer] of answers.entries())
    if (answer instanceof Uint8Array) show(answer, counted.has(closest[index]!) ? 1 : 0)
  const found = [...shown.values()]
  return {
    records: found.map(({ record }) => record),
    shownBy: found.map(({ by }) => by),
    isAnswered: isMajority(answers)
  }
}
