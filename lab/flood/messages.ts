/** Messages between the processes of the flood. */
export interface VictimStart {
  readonly directory: string
  readonly beaconUrl: string
  /** 32 bytes in hex. */
  readonly nodeSeed: string
}

export interface VictimQuestion {
  /** In hex: whether they are in the victim's table. */
  readonly commitments: readonly string[]
  /** The honest peer's id: whether the victim has penalised it. */
  readonly honest: string
}

export interface VictimReady {
  readonly address: string
}

/** Since the last question. Milliseconds and bytes; counts are of what is held now. */
export interface VictimFigures {
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number; readonly max: number }
  /** The most processor time that the loop took at once. */
  readonly loop_turn_cpu_ms: number
  readonly loop_busy: number
  readonly memory: VictimMemory
  readonly disk: number
  readonly held: { readonly records: number; readonly commitments: number; readonly connections: number }
  /** Of the commitments asked about, those that are in the table. */
  readonly kept: readonly boolean[]
  /** Peers that the victim has penalised. */
  readonly penalised: number
  readonly honest_penalised: boolean
}

/** Bytes. Of the heap and beside it, what is in use after a full collection. */
export interface VictimMemory {
  readonly rss: number
  /** Since the start, one each ten seconds. */
  readonly rss_history: readonly number[]
  readonly heap: number
  /** Buffers and what libraries hold for objects of the heap. */
  readonly external: number
}

export interface FlooderStart {
  readonly address: string
  readonly identities: number
  readonly together: number
  /** /24s of 127.0.0.0/8 that the identities are spread over. */
  readonly prefixes: number
  readonly seed: number
}

export interface IdlerStart {
  readonly address: string
  /** Connections to hold. */
  readonly connections: number
  /** Of one key; two by default, as many as a node keeps of one peer. */
  readonly ofKey?: number
  /** /24s of 127.0.0.0/8 that the keys are spread over; one by default. */
  readonly prefixes?: number
  /** Before what was refused or closed is dialled again. Then the first answer does not wait for all dials. */
  readonly pauseMs?: number
}

export interface IdlerFigures {
  /** Of the connections, those that are open now. */
  readonly held: number
  readonly dials: number
}

/** Answers by kind of garbage and what was answered. */
export type Tally = Record<string, Record<string, number>>

export interface FlooderFigures {
  readonly sessions: number
  readonly identities: number
  readonly connections: Record<string, number>
  readonly tally: Tally
}

export interface FindingVictimStart {
  /** An address of this machine. */
  readonly place: string
  /** Peers in its table. */
  readonly known: number
}

/** Since the last question. */
export interface FindingVictimFigures {
  /** Processor time that the event loop's thread took, as a share of one core. */
  readonly loop_cpu_share: number
  readonly loop_delay_ms: { readonly p99: number; readonly max: number }
}

export interface FindingFlooderStart {
  readonly address: string
  readonly identities: number
  /** /24s of one /16 that the identities are spread over. */
  readonly prefixes: number
  /** Look-ups a second, of all. */
  readonly rate: number
}
