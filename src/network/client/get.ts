import { equalBytes, sha256, toHex } from '../../protocol/bytes.ts'
import { EncodingError } from '../../protocol/errors.ts'
import { profileHash } from '../../protocol/profile.ts'
import { recordKey, recordKeyPreimage } from '../../protocol/record-key.ts'
import { decodeReveal, type Reveal } from '../../protocol/reveal.ts'
import type { Verdict } from '../../protocol/valid.ts'
import { AskError } from '../protocol/ask.ts'
import type { GetAnswer } from '../protocol/get.ts'
import type { LookupBreadth, RevealAnswer, RevealLookup, SilentPeer } from '../types.ts'
import { reachable, type ClientParts } from './parts.ts'

/**
 * Asks the peers that should hold a name what they hold, and our own store. Every distinct record is verified; who sent an invalid one is penalised
 * and counts as not having answered.
 *
 * By default ends early once more than half of those asked hold one claim that is not provisional. Throws OfflineError, or the signal's reason.
 */
export async function getReveals(parts: ClientParts, name: string, signal?: AbortSignal, breadth: LookupBreadth = 'majority'): Promise<RevealLookup> {
  const { peers, self } = reachable(parts)
  const hash = profileHash(parts.profile)
  const key = recordKey('reveal', name, hash)
  const answers: RevealAnswer[] = []
  const silent: SilentPeer[] = []
  const votes = new Map<string, number>()
  const enough = new AbortController()
  const either = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal])
  const judge = judgeOf(parts, name, either)

  if (self !== undefined) {
    const own = await judge(self.get('reveal', key), { peer: parts.ownPeerId, self: true })
    if (typeof own === 'object') answers.push(own)
  }
  const asked = peers.diverse(await peers.closest(recordKeyPreimage('reveal', name, hash), signal))
  const total = asked.length + (self === undefined ? 0 : 1)
  const count = (answer: RevealAnswer): void => {
    if (answer.claimId === undefined || answer.state === 'provisional') return
    const id = toHex(answer.claimId)
    votes.set(id, (votes.get(id) ?? 0) + 1)
    if (breadth === 'majority' && votes.get(id)! * 2 > total) enough.abort()
  }
  answers.forEach(count)
  await Promise.all(
    asked.map(async (peer) => {
      try {
        const answer = await judge(await peers.ask(peer, { type: 'get', kind: 'reveal', key }, either), { peer: peer.peer, self: false })
        if (answer === 'invalid') peers.penalise(peer, `an invalid record for ${name}`)
        if (enough.signal.aborted) return
        if (typeof answer !== 'object') {
          silent.push({ peer: peer.peer, reason: answer })
          return
        }
        answers.push(answer)
        count(answer)
      } catch (error) {
        if (enough.signal.aborted) return
        if (!(error instanceof AskError)) throw error
        silent.push({ peer: peer.peer, reason: 'no-answer' })
      }
    })
  )
  return { answers, asked: total, silent, networkSize: peers.networkSize() }
}

type Asked = Pick<RevealAnswer, 'peer' | 'self'>

/** Turns an answer of the protocol into a verified one; each distinct record is verified once. */
function judgeOf({ verifier }: ClientParts, name: string, signal: AbortSignal): (answer: GetAnswer, asked: Asked) => Promise<RevealAnswer | SilentPeer['reason']> {
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
  return async (answer, asked) => {
    if (answer.type === 'none') return { ...asked, state: 'none' }
    if (answer.type === 'busy') return 'busy'
    if (answer.type !== 'entry') return 'no-answer'
    const { state, claim: claimId, record } = answer
    if (record === undefined) return { ...asked, state, claimId }
    const id = toHex(sha256(record))
    const pending = verdicts.get(id) ?? verify(record)
    verdicts.set(id, pending)
    const verified = await pending
    if (verified === undefined || !verified.verdict.ok || !equalBytes(verified.verdict.claim.id, claimId)) return 'invalid'
    return { ...asked, state, claimId, reveal: verified.reveal, claim: verified.verdict.claim }
  }
}
