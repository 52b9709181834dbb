/** The files whose median time is longer than `limit`, seconds, by name. */
export function slowFiles(times, limit) {
  const median = (seconds) => seconds.toSorted((left, right) => left - right)[Math.floor(seconds.length / 2)]
  return [...times.keys()].filter((file) => median(times.get(file)) > limit).sort()
}
