/**
 * What the registry says of a name, as knowledge for the server of the addon.
 *
 * Two caches, one truth: the registry's kept answers (src/registry/resolution/answer-cache.ts) and the addon's knowledge
 * of names. The second is a copy: it takes the times that are left of the kept answer, so it is never fresher or staler,
 * and it is dropped with it (`onForgotten`). It may be dropped sooner: where a new look contradicts it, or to bound
 * memory.
 */
import { ServiceError } from '../errors.ts'
import type { ErrorCode } from '../error-table.ts'
import type { DnsTrust } from '../native/dns.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { parseZonePayload, ZoneError, type Zone } from '../protocol/zone/zone.ts'
import type { LookedUp, ResolvedName } from '../registry/use-cases.ts'
import { zoneToWire } from './wire.ts'

/** Extended errors (RFC 8914). */
export const EDE = { other: 0, notReady: 14, noReachableAuthority: 22, invalidData: 24 } as const

/** A failure is not asked for again for as long (RFC 9520, 3.2: from 1 s to 5 min). */
const FAILURE_MS = 5_000
/** A fault of this program may be over at once. */
const FAULT_MS = 1_000
/** What can never be registered: the rules are those of the profile. No longer than the negative TTL, which it ages. */
const NEVER_MS = 60_000

const ALONE = {
  own: 'no peer shows it: this is the record of a name of this daemon',
  held: 'no peer answers: this is the record that this daemon holds'
} as const

const ABSENT: ReadonlySet<ErrorCode> = new Set(['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-002'])

export type Knowledge =
  | {
      readonly kind: 'zone'
      /** As `zoneToWire` gives them. */
      readonly records: Uint8Array
      readonly trust: DnsTrust
      readonly freshMs: number
      readonly staleMs: number
    }
  | { readonly kind: 'absent'; readonly freshMs: number; readonly staleMs: number }
  | {
      readonly kind: 'failed'
      readonly ede: number
      readonly text: string
      readonly freshMs: number
      /** What was known before is contradicted, so it may not answer in place of the failure (RFC 8767, 6). */
      readonly isContradiction: boolean
    }

/** What was looked up. Answers of few peers are given, unsigned. `shown`: what DNS shows of a zone that it vouches for. Throws nothing. */
export function knowledgeOf(
  name: string,
  found: LookedUp,
  profile: NetworkProfile,
  shown: (zone: Zone) => Zone = (zone) => zone
): Knowledge {
  const { freshMs, staleMs } = found
  if ('failure' in found) {
    if (found.failure.extensions['thin'] === true) return thinDenial(found)
    // Its owner may be hidden: a denial would say that there is none, and a record known before may still answer.
    if (found.failure.extensions['check_code'] !== undefined)
      return failed(EDE.other, found.failure.message, freshMs, found.failure.code === 'SVC-RES-003')
    const knowledge = knowledgeOfFailure(name, found.failure)
    return knowledge.kind === 'absent' ? { ...knowledge, freshMs, staleMs } : { ...knowledge, freshMs }
  }
  const { reveal, source } = found.resolved
  try {
    const trust = trustOf(found.resolved, found.isPinFirm)
    const zone = parseZonePayload(reveal.payload, profile)
    const records = zoneToWire(trust.secure ? shown(zone) : zone, reveal.name, profile, name)
    // Stale from the beginning: the extended error Stale Answer, a TTL of 30 s, and the server asks again.
    return { kind: 'zone', records, trust, freshMs: source === 'network' ? freshMs : 0, staleMs }
  } catch (error) {
    if (!(error instanceof ZoneError)) throw error
    // The name has an owner, so NXDOMAIN and NODATA are wrong.
    return failed(EDE.invalidData, `what the owner of ${name} published is not a zone`, freshMs, true)
  }
}

/**
 * A few peers deny the name, and the others are silent. A signed denial, which validators believe, would be theirs to
 * give: this is a name without records, and without a signature.
 */
function thinDenial({ freshMs, staleMs }: Pick<LookedUp, 'freshMs' | 'staleMs'>): Knowledge {
  const trust = untrusted('thin: fewer peers than a quorum deny the name')
  return { kind: 'zone', records: new Uint8Array(0), trust, freshMs, staleMs }
}

/** Whether this daemon says it by itself, as no peer answered. */
export function isAlone(found: LookedUp): boolean {
  return 'resolved' in found && found.resolved.source !== 'network'
}

/** For a refresh that no peer answered: what is known stays as long as it may, since it came from peers. */
export function outageKnowledge(): Knowledge {
  return failed(EDE.noReachableAuthority, 'no peer answers', FAILURE_MS, false)
}

/** What a look-up that threw says; undefined for a fault of the program. */
export function knowledgeOfError(name: string, error: unknown): Knowledge | undefined {
  return error instanceof ServiceError && error.code !== 'SVC-INT-001' ? knowledgeOfFailure(name, error) : undefined
}

/** For a look-up that failed in a way that nobody foresaw. */
export function faultKnowledge(): Knowledge {
  return failed(EDE.other, 'internal error: the log of the daemon has it', FAULT_MS, false)
}

/** For a question that came when too many waited. */
export function overloadKnowledge(): Knowledge {
  return failed(EDE.notReady, 'too many names are being looked up', 0, false)
}

function knowledgeOfFailure(name: string, { code, message }: ServiceError): Knowledge {
  if (ABSENT.has(code)) return { kind: 'absent', freshMs: NEVER_MS, staleMs: NEVER_MS }
  if (code === 'SVC-RES-001')
    return failed(EDE.noReachableAuthority, 'no peer answers, and this daemon holds no record of it', FAILURE_MS, false)
  if (code === 'SVC-RES-003')
    // Its owner may still renew it, and nobody else may have it: the name is not absent.
    return failed(EDE.other, `the lease of ${name} has ended; its owner can still renew it`, FAILURE_MS, true)
  if (code === 'SVC-RES-004')
    return failed(EDE.other, `${name} is contested: \`chronym explain ${name}\` says why`, FAILURE_MS, true)
  return failed(EDE.other, message, FAILURE_MS, false)
}

function trustOf({ confidence, source, keysPending }: ResolvedName, isPinFirm: boolean): DnsTrust {
  if (keysPending === true) return untrusted('its keys changed lately: another change may still take its place')
  // The record proves itself: neither peers nor pins add to it.
  if (confidence === 'proven') return { secure: true, reason: '' }
  if (source !== 'network') return untrusted(ALONE[source])
  switch (confidence) {
    case 'thin':
      return untrusted('thin: fewer peers than a quorum answer')
    case 'provisional':
      return untrusted('not settled yet: an earlier claim may still appear')
    case 'settled':
      return isPinFirm
        ? { secure: true, reason: '' }
        : untrusted('no firm pin yet: ask with the check code that its owner gives')
  }
}

function untrusted(reason: string): DnsTrust {
  return { secure: false, reason }
}

function failed(ede: number, text: string, freshMs: number, isContradiction: boolean): Knowledge {
  return { kind: 'failed', ede, text, freshMs, isContradiction }
}
