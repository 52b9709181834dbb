/** What resolvers saw of a name, and what harm that is. */
import type { CodeInvariants } from '../search/invariants/codes.ts'
import type { InvariantId } from '../search/invariants/violation.ts'
import type { Harm } from '../moves/move.ts'
import type { Owner } from '../people/owner.ts'
import { CodeResolver, type Seen, type SeenByCode } from '../people/resolver.ts'
import { SHORT_CODE } from '../../../src/protocol/claim/check-code.ts'
import { compareRecords } from '../../../src/protocol/claim/claim.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import type { World } from '../world/world.ts'

/** What resolvers saw of the victim's name after the move began, in looks (one in six hours by each). */
export interface Sights {
  right: number
  wrong: number
  contested: number
  missing: number
}

/** The same by its check code. */
export interface CodedSights extends Sights {
  /** The owner, with an older record than the newest. */
  older: number
}

export const none = (): Sights => ({ right: 0, wrong: 0, contested: 0, missing: 0 })

/** What cannot hold under a move that the rules allow as much. */
export const EXCUSED: Readonly<Record<Harm, readonly InvariantId[]>> = {
  harmless: [],
  censored: ['P15', 'P16'],
  unpinned: ['P15', 'P16', 'P17'],
  taken: ['P15', 'P16', 'P17']
}

export const ORDER: readonly Harm[] = ['harmless', 'censored', 'unpinned', 'taken']

interface Outcome {
  readonly unpinned: Sights
  readonly pinned: Sights
  /** Honest holders with another owner's claim, of all. */
  readonly wrong: number
  readonly of: number
  readonly thief: string | undefined
  readonly isPublished: boolean
}

/** Whether a record that is done counts as published: to its owner, an unpublished name is lost. */
export function isPublished({ revealedMs, registeredMs }: Owner): boolean {
  return revealedMs === undefined || registeredMs !== undefined
}

/**
 * `taken`: most honest holders have the thief's claim. `unpinned`: resolvers without a pin saw another owner.
 * `censored`: more than one look in ten had no owner, or the name is not published.
 */
export function harmOf({ unpinned, pinned, wrong, of, thief, isPublished }: Outcome): Harm {
  const looks = unpinned.right + unpinned.wrong + unpinned.contested + unpinned.missing
  if (pinned.wrong > 0 || (thief !== undefined && wrong * 2 > of)) return 'taken'
  if (unpinned.wrong > 0) return 'unpinned'
  return !isPublished || (unpinned.contested + unpinned.missing) * 10 > looks ? 'censored' : 'harmless'
}

export function count(
  sights: Sights,
  { kind, owner }: Pick<Seen | SeenByCode, 'kind' | 'owner'>,
  rightful: string
): void {
  if (kind === 'owner') sights[owner === rightful ? 'right' : 'wrong']++
  else sights[kind === 'contested' ? 'contested' : 'missing']++
}

/** By a newcomer; undefined before the claim is made. */
export async function lookByCode(
  world: World,
  rules: CodeInvariants,
  { name, code }: Pick<Owner, 'name' | 'code'>
): Promise<SeenByCode | undefined> {
  if (code === undefined) return undefined
  const resolver = new CodeResolver(world)
  const seen = await rules.look(resolver, name, code.slice(0, SHORT_CODE))
  world.remove(resolver.node)
  return seen
}

/** @param newest what the owner had published when the look began */
export async function countByCode(sights: CodedSights, seen: SeenByCode, newest: Reveal, world: World): Promise<void> {
  const [shown, own] = [seen.reveal && (await world.verdicts.of(seen.reveal)), await world.verdicts.of(newest)]
  const isOlder = shown?.ok === true && own.ok && compareRecords(shown.claim, own.claim) < 0
  if (isOlder && seen.owner === toHex(newest.pubkey)) sights.older++
  else count(sights, seen, toHex(newest.pubkey))
}

export function wrongAt(world: World, { name, recordKey, pubkey }: Owner): number {
  return world.holdersOf(recordKey).filter(({ held }) => {
    const entry = held.get(name)
    return entry !== undefined && entry.owner !== pubkey
  }).length
}
