/** Resolves a name with a check code: the claim that has it is meant, from any peer. */
import { ServiceError } from '../../errors.ts'
import { OfflineError, type Network, type RevealAnswer, type RevealLookup } from '../../network/types.ts'
import { claimOf, type Claim } from '../../protocol/claim/claim.ts'
import { relateChanges } from '../../protocol/claim/changes.ts'
import { newestOf } from '../../protocol/resolution/quorum.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { checkCodeOf } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import { type RegistryContext, leaseOf, roundTime } from '../context.ts'
import type { ResolvedName } from '../use-cases.ts'
import { dated, isUnconfirmed, nobodyAnswered, noticeIn, saysFinal } from './survey.ts'

const NOBODY_SHOWS_IT = 'no peer that answered shows a record of it'

/** What of a daemon such a look-up needs. */
export interface CodeContext extends Pick<RegistryContext, 'profile' | 'time'> {
  readonly network: Pick<Network, 'getByCode' | 'storedRecord' | 'status'>
  readonly owned: Pick<RegistryContext['owned'], 'get'>
  readonly memory: Pick<RegistryContext['memory'], 'see'>
}

interface Shown {
  readonly reveal: Reveal
  readonly claim: Claim
  /** Whole. */
  readonly code: string
  readonly source: ResolvedName['source']
  /** Whether the peer that shows it calls the changes of its keys final; undefined for what is here. */
  readonly final: boolean | undefined
}

/**
 * The newest record of the claim whose code begins with `code`, among all that are shown: no majority, no state and no
 * pin decides. SVC-RES-006 where nobody shows a record of the name, SVC-RES-005 where others have it, SVC-RES-003,
 * SVC-RES-004 for two claims of one owner with that code, or for an older record than one seen before. Rejects with
 * OfflineError when there was nobody to ask and this daemon has no such record.
 */
export async function resolveByCode(context: CodeContext, name: Name, code: string): Promise<ResolvedName> {
  const { network, profile } = context
  const own = ownRecords(context, name, code)
  const shows = (reveal: Reveal): boolean => checkCodeOf(reveal, profile).startsWith(code)
  try {
    const found = await network.getByCode(name, code)
    if (isUnconfirmed(context, found)) throw nobodyAnswered(context)
    return answerOf(context, name, code, [...shownBy(context, found), ...own.map(asOfNetwork)], found.answers)
  } catch (error) {
    if (!(error instanceof OfflineError) || !own.some(({ reveal }) => shows(reveal))) throw error
    return answerOf(context, name, code, own)
  }
}

function answerOf(
  context: CodeContext,
  name: Name,
  code: string,
  shown: readonly Shown[],
  answers: readonly RevealAnswer[] = []
): ResolvedName {
  const fitting = shown.filter((record) => record.code.startsWith(code))
  if (fitting.length === 0) throw nobodys(context, name, code, shown)
  const newest = [...Map.groupBy(fitting, ({ claim }) => toHex(claim.id)).values()].flatMap((records) => {
    const claims = records.map(({ claim }) => claim)
    return newestOf(claims, claims).map((claim) => records.find((record) => record.claim === claim)!)
  })
  const alive = newest.filter(({ claim }) => leaseOf(context, claim.newestRound).state !== 'dead')
  const [record] = alive
  if (record === undefined) throw codeNotFound(name, code, 'the lease of the claim with that code is over')
  if (alive.length > 1) throw twoOwners(name, code, alive)
  const { state, endRound } = leaseOf(context, record.claim.newestRound)
  if (state === 'grace')
    throw new ServiceError('SVC-RES-003', `The lease of ${name} ended at ${roundTime(context, endRound)}.`, {
      extensions: { check_code: code }
    })
  const isPending = record.claim.changes.length > 0 && !isFinalForMost(record, fitting)
  if (!context.memory.see(record.claim, !isPending))
    throw new ServiceError(
      'SVC-RES-004',
      `Every peer that answered holds an older record of ${name} than one that was seen before.`,
      { retryAfter: 60, extensions: { check_code: code } }
    )
  const holding = answers.filter(({ claim }) => claim !== undefined && equalBytes(claim.id, record.claim.id))
  const notice = noticeIn(holding, record.claim, holding.length)
  return {
    reveal: record.reveal,
    checkCode: record.code,
    confidence: 'proven',
    source: record.source,
    ...(isPending && { keysPending: true }),
    ...(notice && { notice: dated(context, notice) })
  }
}

/** Whether more than half of the peers that show the claim call these changes final. */
function isFinalForMost({ claim }: Shown, shown: readonly Shown[]): boolean {
  const votes = shown.filter((each) => each.final !== undefined && equalBytes(each.claim.id, claim.id))
  const final = votes.filter((each) => each.final && relateChanges(each.claim.changes, claim.changes) === 'same')
  return final.length * 2 > votes.length
}

function shownBy({ profile, time }: CodeContext, { answers }: RevealLookup): Shown[] {
  const { verified } = time()
  return answers.flatMap(({ reveal, claim, changes }) =>
    reveal === undefined || claim === undefined
      ? []
      : [
          {
            reveal,
            claim,
            code: checkCodeOf(reveal, profile),
            source: 'network' as const,
            final: saysFinal(changes, claim, verified)
          }
        ]
  )
}

function asOfNetwork(record: Shown): Shown {
  return { ...record, source: 'network' }
}

/** What this daemon published itself, or holds for others. */
function ownRecords(context: CodeContext, name: Name, code: string): Shown[] {
  const { owned, network, profile } = context
  const record = owned.get(name)
  const held = [network.storedRecord(name), network.storedRecord(name, code)]
  const shown = (reveal: Reveal, claim: Claim, source: 'own' | 'held'): Shown => ({
    reveal,
    claim,
    code: checkCodeOf(reveal, profile),
    source,
    final: undefined
  })
  return [
    ...(record === undefined || record.publishedSerial === 0 || record.sold !== undefined
      ? []
      : [shown(record.reveal, claimOf(record.reveal, name, profile), 'own')]),
    ...held.flatMap((each) => (each === undefined ? [] : [shown(each.reveal, each.claim, 'held')]))
  ]
}

function nobodys(context: CodeContext, name: Name, code: string, shown: readonly Shown[]): ServiceError {
  const [other] = shown
  if (other === undefined) return codeNotFound(name, code)
  return new ServiceError(
    'SVC-RES-005',
    `No peer shows a claim of ${name} with the code ${code}. They show one with the code ` +
      `${other.code.slice(0, code.length)}, claimed at ${roundTime(context, other.claim.firstRound)}.`,
    { extensions: { check_code: code, shown: [...new Set(shown.map((record) => record.code))] } }
  )
}

export function codeNotFound(name: Name, code: string, why = NOBODY_SHOWS_IT): ServiceError {
  return new ServiceError('SVC-RES-006', `${name} is not found with the code ${code}: ${why}.`, {
    extensions: { check_code: code }
  })
}

/** Two claims, or one whose keys were changed in two ways. */
function twoOwners(name: Name, code: string, alive: readonly Shown[]): ServiceError {
  const [first, second] = alive
  const isParted = first!.code === second!.code
  return new ServiceError(
    'SVC-RES-004',
    isParted
      ? `The keys of ${name} with the code ${code} were changed in two ways by one owner, and none is held by most.`
      : `Two claims of ${name} have the code ${code}, so one owner made both. ` +
          `A longer code tells them apart: ${alive.map((record) => record.code).join(' or ')}.`,
    {
      extensions: {
        check_code: code,
        candidates: alive.map(({ claim, code: whole }) => ({ pubkey: toHex(claim.pubkey), code: whole }))
      }
    }
  )
}
