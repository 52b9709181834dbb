import { ServiceError } from '../../errors.ts'
import type { PutOutcome } from '../../network/types.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { stampPrefix } from '../../protocol/claim/commitment.ts'
import { validateReveal, type Checkers } from '../../protocol/claim/valid.ts'
import type { RegistryContext } from '../context.ts'
import type { StoredBy } from '../../views/common.ts'

/** Refusals by which a peer says that the name is another key's (protocol/admission.ts). */
const TAKEN_CODES: ReadonlySet<string> = new Set(['taken', 'contest'])

/**
 * How many of the peers asked hold it. Throws SVC-REG-001 when most refuse it because of another owner, else
 * SVC-PUB-002 unless more than half hold it.
 */
export function requireMajority(what: string, { storedBy, of, refusals }: PutOutcome): StoredBy {
  if (storedBy * 2 > of) return { stored_by: storedBy, of }
  const extensions = { stored_by: storedBy, of }
  const taken = refusals.filter(({ code }) => TAKEN_CODES.has(code))
  if (taken.length * 2 > of)
    throw new ServiceError('SVC-REG-001', `${what} is refused: ${taken[0]!.detail}.`, { extensions })
  const [first] = refusals
  const reason = first === undefined ? '' : ` The first refusal: ${first.detail} (${first.code}).`
  throw new ServiceError('SVC-PUB-002', `${storedBy} of ${of} peers hold ${what}.${reason}`, {
    extensions,
    retryAfter: 30
  })
}

/** Whether more than half hold a newer record of the same key and keep it: nothing changed there. */
export function isSuperseded({ of, refusals }: PutOutcome): boolean {
  return refusals.filter(({ code }) => code === 'stale').length * 2 > of
}

/** SVC-PUB-001 for a record older than the current one. `cure`: a sentence. */
export function superseded(what: string, cure: string): ServiceError {
  return new ServiceError('SVC-PUB-001', `Rule "stale": a newer ${what} is published already. ${cure}`, {
    extensions: { rule: 'stale' }
  })
}

export function supersededRecord(name: string): ServiceError {
  return superseded(`record of ${name} by the same key`, 'Sign the zone again with a higher serial.')
}

/** Checks a Reveal as every other node will. Throws SVC-PUB-001 with the rule that it breaks. */
export async function requireValid(context: RegistryContext, reveal: Reveal): Promise<void> {
  const verdict = await validateReveal(reveal, context.profile, checkers(context))
  if (!verdict.ok)
    throw new ServiceError('SVC-PUB-001', `Rule "${verdict.rule}": ${verdict.detail}.`, {
      extensions: { rule: verdict.rule }
    })
}

/** Finds the stamp of a commitment in the pool: about 2^stamp_bits hashes. */
export function stampFor(context: RegistryContext, commitment: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
  const { pool, profile, profileHash } = context
  return pool.searchStamp({
    prefix: stampPrefix(commitment, profileHash),
    bits: profile.stamp_bits,
    ...(signal === undefined ? {} : { signal })
  })
}

function checkers({ beacon, pool }: RegistryContext): Checkers {
  return {
    verifyPulse: (pulse) => beacon.verify(pulse),
    verifyProof: (check) => pool.verifyProof(check)
  }
}
