import { ServiceError } from '../../errors.ts'
import type { PutOutcome } from '../../network/types.ts'
import { type Reveal, signReveal } from '../../protocol/claim/reveal.ts'
import { claimOf } from '../../protocol/claim/claim.ts'
import { decodeVdfProof, encodeVdfProof, type Link, type VdfProof } from '../../protocol/claim/proof.ts'
import { stampPrefix } from '../../protocol/crypto/domain.ts'
import { validateReveal, type Checkers } from '../../protocol/claim/valid.ts'
import { type RegistryContext, withOwnKey } from '../context.ts'
import type { StoredBy } from '../../views/common.ts'
import { nextChangeMs, spendChange, type ChangeBudget } from '../../protocol/admission/holder.ts'
import type { Name } from '../../protocol/name/names.ts'
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import { payloadSerial, serializeZone, type Zone } from '../../protocol/zone/zone.ts'
import type { TaskKind } from '../../views/task.ts'

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

/**
 * How often this daemon may publish each name: as often as the storing nodes take a change, which would otherwise delay
 * later ones. It spends by their rule, not by a bucket of our own. In memory; bounded by the names owned.
 */
export class PublishBudgets {
  readonly #context: Pick<RegistryContext, 'clock' | 'profile'>
  readonly #budgets = new Map<Name, ChangeBudget>()

  constructor(context: Pick<RegistryContext, 'clock' | 'profile'>) {
    this.#context = context
  }

  /** Counts one change. Throws SVC-REQ-005 with the seconds until the next is taken. */
  spend(name: Name): void {
    const { clock, profile } = this.#context
    const now = clock.now()
    const former = this.#budgets.get(name)
    const spent = spendChange(former, now, profile)
    if (spent !== undefined) {
      this.#budgets.set(name, spent)
      return
    }
    const seconds = Math.ceil((nextChangeMs(former, now, profile) - now) / 1000)
    const { interval, burst } = profile.changes
    throw new ServiceError(
      'SVC-REQ-005',
      `${name} was published ${burst} times in a row; peers take one ` +
        `change of it every ${interval} s. The draft is kept.`,
      { retryAfter: Math.max(1, seconds) }
    )
  }
}

const EMPTY_ZONE: Zone = { records: {} }

/** Serial of the next zone of this name: one more than any seen. */
export function nextSerial(context: RegistryContext, name: Name): number {
  const { owned, zones, memory, profile } = context
  const record = owned.get(name)
  const seen = record && memory.newest(name, claimOf(record.reveal, name, profile).id)
  return Math.max(zones.get(name)?.serial ?? 0, record?.serial ?? 0, seen?.serial ?? 0) + 1
}

/**
 * A Reveal for a finished evaluation: the first claim, or a renewal on top of the links held.
 *
 * @param keys first keys of the claim, and their changes
 */
export function revealOfLink(
  context: RegistryContext,
  name: Name,
  link: Link,
  earlier: readonly Link[],
  keys: Pick<VdfProof, 'next' | 'first' | 'changes'>,
  payload: Uint8Array
): Reveal {
  const { p, iterations, pulse, proof, salt } = link
  const vdfProof = encodeVdfProof({ pulse, proof, salt, chain: earlier, ...keys })
  return signedAsOwner(context, { name, drand_pulse: p, iterations, vdf_proof: vdfProof, payload }, keys)
}

export function revealWithPayload(context: RegistryContext, reveal: Reveal, payload: Uint8Array): Reveal {
  const { name, drand_pulse, iterations, vdf_proof } = reveal
  return signedAsOwner(context, { name, drand_pulse, iterations, vdf_proof, payload }, decodeVdfProof(vdf_proof))
}

function signedAsOwner(
  context: RegistryContext,
  fields: Omit<Reveal, 'pubkey' | 'signature'>,
  { changes = [] }: Pick<VdfProof, 'changes'>
): Reveal {
  return withOwnKey(context, fields.name as Name, changes.length, (key) => signReveal(fields, key, context.profileHash))
}

/**
 * What a Reveal of a finished evaluation carries. A registration carries the zone prepared here, or an empty one. A
 * renewal carries what is published, unless its request brought a zone. A draft that was not published stays here.
 * @param sent the Reveal of this evaluation sent before: another payload gets a higher serial, or it would be an
 * equivocation.
 * Throws StoreError.
 */
export function payloadOfLink(
  context: RegistryContext,
  name: Name,
  kind: TaskKind,
  sent: Reveal | undefined
): Uint8Array {
  const { zones, owned, profile } = context
  const own = owned.get(name)
  const payloadOf = (zone: Zone, serial: number): Uint8Array => serializeZone(zone, serial, profile)
  const local = kind === 'register' || zones.goesWithReveal(name) ? zones.get(name) : undefined
  if (local === undefined) {
    // A draft that was discarded after it went out: peers that hold it refuse older serials.
    const isSentNewer = sent !== undefined && payloadSerial(sent.payload, profile) > (own?.serial ?? -1)
    return (isSentNewer ? sent.payload : own?.reveal.payload) ?? payloadOf(EMPTY_ZONE, nextSerial(context, name))
  }
  const payload = payloadOf(local, local.serial)
  if (sent === undefined || equalBytes(sent.payload, payload)) return payload
  const sentSerial = payloadSerial(sent.payload, profile)
  if (local.serial > sentSerial) return payload
  const serial = Math.max(nextSerial(context, name), sentSerial + 1)
  zones.save(name, { serial, records: local.records })
  return payloadOf(local, serial)
}
