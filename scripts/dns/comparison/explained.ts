/** Why our replies differ from Knot's, by kind of query (kinds.ts). Each difference has its reason here. */

export interface Explained {
  readonly heading: string
  readonly reason: string
  /** Titles of kinds. */
  readonly kinds: readonly string[]
}

export const EXPLAINED: readonly Explained[] = []
