import { toHex } from '../protocol/bytes.ts'
import type { Claim } from '../protocol/claim.ts'
import type { Tally } from '../protocol/quorum.ts'
import { openName, type RegistryContext } from './context.ts'
import { leaseOf, roundTime } from './lease-times.ts'
import { survey, type Survey } from './survey.ts'
import type { Explanation } from './types.ts'

/** Who answered what, which rule decided, lease and state. Always asks anew. SVC-NAM-*, SVC-RES-001. */
export async function explain(context: RegistryContext, text: string, signal?: AbortSignal): Promise<Explanation> {
  const name = openName(context, text)
  const found = await survey(context, name, signal, 'everybody')
  const newest = found.tally.kind === 'owner' ? found.tally.owner.newest : undefined
  return {
    name,
    verdict: verdict(context, found),
    rule: found.tally.rule,
    state: stateOf(context, found),
    lease: newest === undefined ? null : leaseView(context, newest),
    owner: newest === undefined ? null : toHex(newest.pubkey),
    answers: found.answers.map(({ peer, self, state, claimId, claim }) => ({
      peer,
      self,
      state,
      claim_id: claimId === undefined ? null : toHex(claimId),
      serial: claim?.serial ?? null
    }))
  }
}

function verdict(context: RegistryContext, { name, tally }: Survey): string {
  switch (tally.kind) {
    case 'none':
      if (context.owned.get(name) !== undefined) return `This daemon owns ${name}, but none of the other peers that answered holds its record yet; it is sent again by itself.`
      return `Nobody owns ${name}: none of the ${tally.answered} peers that answered holds a record of it.`
    case 'undecided':
      return `Not all peers have answered about ${name} yet.`
    case 'contested':
      return tally.rule === 'pin'
        ? `${name} is contested: the peers name another owner than the one this daemon has known as settled, whose lease still lives.`
        : `${name} is contested: ${tally.candidates.map(({ votes }) => String(votes)).join(' against ')} votes, and none has more than half.`
    case 'owner':
      return ownerSentence(context, name, tally)
  }
}

function ownerSentence(context: RegistryContext, name: string, { owner, of, provisional, thin }: Extract<Tally, { kind: 'owner' }>): string {
  const who = context.owned.get(name) === undefined ? `the key ${toHex(owner.pubkey)}` : 'this daemon'
  const lease = leaseOf(context, owner.newest.newestRound)
  const held = `${name} belongs to ${who}: ${owner.votes} of ${of} votes`
  const doubt = provisional ? ', all of them provisional' : thin ? ', from fewer peers than should hold it' : ''
  const until = lease.state === 'live' ? `its lease runs until ${roundTime(context, lease.endRound)}` : `its lease ended at ${roundTime(context, lease.endRound)}`
  return `${held}${doubt}; ${until}.`
}

function stateOf(context: RegistryContext, { tally }: Survey): string {
  if (tally.kind !== 'owner') return tally.kind
  const lease = leaseOf(context, tally.owner.newest.newestRound)
  if (lease.state !== 'live') return lease.state
  return tally.provisional ? 'provisional' : tally.settled ? 'settled' : 'settling'
}

function leaseView(context: RegistryContext, { newestRound }: Claim): Explanation['lease'] {
  const { startRound, endRound, graceEndRound } = leaseOf(context, newestRound)
  return { start: roundTime(context, startRound), end: roundTime(context, endRound), grace_end: roundTime(context, graceEndRound) }
}
