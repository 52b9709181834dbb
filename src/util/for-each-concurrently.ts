/**
 * Does something with each of many, so many of them at the same time; nothing more is begun by whoever meets a fault.
 * Rejects with the first fault.
 */
export async function eachAtOnce<T>(
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
