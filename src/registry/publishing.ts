import { ServiceError } from '../errors.ts'
import type { PutOutcome } from '../network/types.ts'
import type { Reveal } from '../protocol/reveal.ts'
import { validateReveal, type Checkers } from '../protocol/valid.ts'
import type { RegistryContext } from './context.ts'
import type { StoredBy } from './types.ts'

/** Refusals by which a peer says that the name is another key's (protocol/admission.ts). */
const TAKEN_CODES: ReadonlySet<string> = new Set(['taken', 'contest'])

/** How many hold it, of those asked. Throws SVC-REG-001 when most refuse it for another owner's sake, else SVC-PUB-002 unless more than half hold it. */
export function requireMajority(what: string, { storedBy, of, refusals }: PutOutcome): StoredBy {
  if (storedBy * 2 > of) return { stored_by: storedBy, of }
  const extensions = { stored_by: storedBy, of }
  const taken = refusals.filter(({ code }) => TAKEN_CODES.has(code))
  if (taken.length * 2 > of) throw new ServiceError('SVC-REG-001', `${what} is refused: ${taken[0]!.detail}.`, { extensions })
  const [first] = refusals
  const reason = first === undefined ? '' : ` The first refusal: ${first.detail} (${first.code}).`
  throw new ServiceError('SVC-PUB-002', `${storedBy} of ${of} peers hold ${what}.${reason}`, { extensions, retryAfter: 30 })
}

/** A peer that holds a newer record of the same key keeps that: nothing was changed there. Throws SVC-PUB-001 when more than half say so. */
export function requireNewest(name: string, { of, refusals }: PutOutcome): void {
  if (refusals.filter(({ code }) => code === 'stale').length * 2 > of) throw superseded(name)
}

export function superseded(name: string): ServiceError {
  const detail = `Rule "stale": a newer record of ${name} by the same key is published already. Sign the zone again with a higher serial.`
  return new ServiceError('SVC-PUB-001', detail, { extensions: { rule: 'stale' } })
}

/** Checks a Reveal as every other node will. Throws SVC-PUB-001 with the rule that it breaks. */
export async function requireValid(context: RegistryContext, reveal: Reveal): Promise<void> {
  const verdict = await validateReveal(reveal, context.profile, checkers(context))
  if (!verdict.ok) throw new ServiceError('SVC-PUB-001', `Rule "${verdict.rule}": ${verdict.detail}.`, { extensions: { rule: verdict.rule } })
}

function checkers({ beacon, pool }: RegistryContext): Checkers {
  return {
    verifyPulse: (pulse) => beacon.verify(pulse),
    verifyProof: (check) => pool.verifyProof(check)
  }
}
