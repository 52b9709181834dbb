/** Before its reveal nobody is to learn which name is wanted here [looking a name up announces it]. */
import type { RevealLookup } from '../network/types.ts'
import type { Name } from '../protocol/names.ts'
import type { TaskManager } from '../tasks/types.ts'

/** Whether this daemon is registering a name that it has not revealed yet: until then the name itself is asked of nobody. */
export function isSecret(tasks: TaskManager, name: Name): boolean {
  return tasks.list().some((task) => task.name === name && task.kind === 'register' && task.status === 'running' && task.phase !== 'reveal')
}

/** What a blinded look-up says of who holds a name. Our own store says nothing while there are others: we may just have joined. */
export function claimsIn({ answers }: RevealLookup): { readonly claims: number; readonly heard: number } {
  const others = answers.filter(({ self }) => !self)
  const heard = others.length === 0 ? answers : others
  return { claims: heard.filter(({ state }) => state !== 'none' && state !== 'provisional').length, heard: heard.length }
}

/** Where most of those who were asked name a claim there is nothing left to hide. */
export function isHeldByMost(found: RevealLookup): boolean {
  const { claims, heard } = claimsIn(found)
  return claims * 2 > heard
}
