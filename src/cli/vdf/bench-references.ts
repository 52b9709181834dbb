/** Published rates of others, at 1024 bits on one thread or chip. */
export interface Reference {
  readonly what: string
  readonly squaringsPerSecond: number
  readonly source: string
}

export const REFERENCES: readonly Reference[] = [
  {
    what: 'the fastest known chip',
    squaringsPerSecond: 715_000,
    source: 'docs/protocol/wire.md, 2'
  },
  {
    what: "the fastest chiavdf that Chia's network saw before chips (2020; thought to be Rocket Lake, AVX-512 IFMA)",
    squaringsPerSecond: 360_000,
    source: "wiki of chia-blockchain, page 'Timelords'"
  }
]
