/**
 * Calls `action` with each item, `atOnce` of them at the same time. Rejects with the first error; each worker ends at
 * its own first one.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  action: (item: T) => Promise<void>
): Promise<void> {
  const all = [...items].values()
  const work = async (): Promise<void> => {
    for (const item of all) await action(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
