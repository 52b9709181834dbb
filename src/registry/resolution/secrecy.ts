/** Before its reveal nobody is to learn which name is wanted here [looking a name up announces it]. */
import type { RevealAnswer, RevealLookup } from '../../network/types.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { TaskManager } from '../../tasks/types.ts'

/**
 * Whether this daemon is registering a name that it has not revealed yet: until then the name itself is asked of
 * nobody.
 */
export function isSecret(tasks: TaskManager, name: Name): boolean {
  return tasks
    .list()
    .some(
      (task) => task.name === name && task.kind === 'register' && task.status === 'running' && task.phase !== 'reveal'
    )
}

/**
 * What a blinded look-up says of who holds a name: `claims` of so many that were `heard` list it, and those who have
 * shown its record.
 */
export interface Claims {
  readonly claims: number
  readonly heard: number
  readonly proved: readonly Proved[]
}

/** A peer's answer with the record, which is Valid. */
export type Proved = RevealAnswer & Required<Pick<RevealAnswer, 'reveal' | 'claim'>>

/** Our own store says nothing while there are others: we may just have joined. */
export function claimsIn({ answers }: RevealLookup): Claims {
  const others = answers.filter(({ self }) => !self)
  const heard = others.length === 0 ? answers : others
  const claims = heard.filter(({ state }) => state !== 'none' && state !== 'provisional')
  return {
    claims: claims.length,
    heard: heard.length,
    proved: claims.filter((answer): answer is Proved => answer.reveal !== undefined && answer.claim !== undefined)
  }
}

/**
 * Whether the name is held, so that there is nothing left to hide: somebody has shown its record, for which the network
 * asks only where most list it. What is listed proves nothing [liars who list every name], and asking openly for it
 * would tell the liars that it is wanted.
 */
export function isHeldByMost(found: RevealLookup): boolean {
  return claimsIn(found).proved.length > 0
}
