/** Before its reveal nobody may learn which name this daemon wants [looking a name up announces it]. */
import type { RevealAnswer, RevealLookup } from '../../network/types.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { TaskManager } from '../tasks.ts'

/** Whether this daemon is registering a name that it has not revealed yet. */
export function isSecret(tasks: TaskManager, name: Name): boolean {
  return tasks
    .list()
    .some(
      (task) => task.name === name && task.kind === 'register' && task.status === 'running' && task.phase !== 'reveal'
    )
}

/**
 * What a blinded look-up says of who holds a name: `claims` of the `heard` peers list it; then those who have shown its
 * record.
 */
export interface Claims {
  readonly claims: number
  readonly heard: number
  readonly proved: readonly Proved[]
}

/** A peer's answer with the record, which is Valid. */
export type Proved = RevealAnswer & Required<Pick<RevealAnswer, 'reveal' | 'claim'>>

/** Our own store counts only when we are alone: we may just have joined. */
export function claimsIn({ answers }: RevealLookup): Claims {
  const others = answers.filter(({ self }) => !self)
  const heard = others.length === 0 ? answers : others
  const claims = heard.filter(({ state }) => state !== 'none')
  return {
    claims: claims.length,
    heard: heard.length,
    proved: claims.filter((answer): answer is Proved => answer.reveal !== undefined && answer.claim !== undefined)
  }
}

/**
 * Whether the name is held, so that nothing is left to hide: somebody has shown its record.
 * The network asks for the record only where most peers list it. A list proves nothing [liars who list every name], and
 * an open question would tell the liars that the name is wanted.
 */
export function isHeldByMost(found: RevealLookup): boolean {
  return claimsIn(found).proved.length > 0
}
