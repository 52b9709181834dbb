/** What the processes of the flood say to each other. */
export interface VictimStart {
  readonly directory: string
  readonly beaconUrl: string
  /** 32 bytes in hex. */
  readonly nodeSeed: string
}

/** Commitments in hex whose entry in the victim's table is asked for. */
export interface VictimQuestion {
  readonly commitments: readonly string[]
}

export interface VictimReady {
  readonly address: string
}

/** Since the last question. Milliseconds and bytes; counts are of what is held now. */
export interface VictimFigures {
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly loop_busy: number
  readonly rss: number
  readonly heap_used: number
  readonly disk: number
  readonly held: { readonly records: number; readonly commitments: number; readonly connections: number }
  /** Of the commitments asked about, those that are in the table. */
  readonly kept: readonly boolean[]
  readonly penalised: readonly string[]
}

export interface FlooderStart {
  readonly address: string
  readonly identities: number
  readonly together: number
  /** /24s of 127.0.0.0/8 that the identities are spread over. */
  readonly prefixes: number
  readonly seed: number
}

/** Answers by kind of garbage and what was answered. */
export type Tally = Record<string, Record<string, number>>

export interface FlooderFigures {
  readonly sessions: number
  readonly identities: number
  readonly connections: Record<string, number>
  readonly tally: Tally
}
