/** Figures of several rounds, as one. */

/** Median and quartiles, so that neither hides what a noisy round does. */
export interface Summary {
  median: number
  /** First and third quartile. */
  spread: [number, number]
}

export function summary(figures: readonly number[]): Summary {
  const sorted = figures.toSorted((left, right) => left - right)
  return { median: quantile(sorted, 0.5), spread: [quantile(sorted, 0.25), quantile(sorted, 0.75)] }
}

export function median(figures: readonly number[]): number {
  return summary(figures).median
}

export function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

/** Between two figures, their mean by distance. */
function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) throw new Error('no figures')
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)]!
  const above = sorted[Math.ceil(place)]!
  return below + (above - below) * (place - Math.floor(place))
}

/**
 * Takes two measurements by turns, so that a disturbance of the machine affects both alike; the first side changes from
 * round to round.
 */
export async function alternate(
  rounds: number,
  left: () => Promise<number>,
  right: () => Promise<number>
): Promise<{ left: number[]; right: number[] }> {
  const taken = { left: [] as number[], right: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const leftFirst = round % 2 === 0
    if (leftFirst) taken.left.push(await left())
    taken.right.push(await right())
    if (!leftFirst) taken.left.push(await left())
  }
  return taken
}

/** The ratio of each round. */
export function ratios(over: readonly number[], under: readonly number[]): number[] {
  return over.map((figure, index) => figure / under[index]!)
}
