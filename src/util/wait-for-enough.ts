/** Waiting for many peers, some of which never answer: each would cost the ten seconds that a question may take. */

/** What the others get by default once enough have answered. */
export const GRACE_MS = 1000

/**
 * What each has come to, undefined where there is nothing yet: once all have, or `graceMs` after `isEnough` of what
 * there is and of how many are awaited still. What is not waited for goes on by itself. Rejects with the first
 * rejection until then.
 */
export async function waitForEnough<T>(
  pending: readonly Promise<T>[],
  isEnough: (answers: readonly (T | undefined)[], awaited: number) => boolean,
  graceMs = GRACE_MS
): Promise<(T | undefined)[]> {
  const answers: (T | undefined)[] = pending.map(() => undefined)
  const { promise: waiting, resolve } = Promise.withResolvers<undefined>()
  let awaited = pending.length
  let grace: NodeJS.Timeout | undefined
  const note = async (one: Promise<T>, index: number): Promise<void> => {
    answers[index] = await one
    awaited--
    if (grace === undefined && isEnough(answers, awaited)) grace = setTimeout(resolve, graceMs, undefined)
  }
  try {
    await Promise.race([waiting, Promise.all(pending.map(note))])
  } finally {
    clearTimeout(grace)
  }
  return [...answers]
}
