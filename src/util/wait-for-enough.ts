/** Waits for many peers, some of which never answer: each would cost the ten seconds that a question may take. */

/** Default wait for the others once enough have answered. */
export const GRACE_MS = 1000

/**
 * The result of each, undefined where there is none yet. Resolves once all have one, or `graceMs` after `isEnough`,
 * which gets the results and the number still awaited. Late results continue unseen. Rejects with the first rejection
 * until then.
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
