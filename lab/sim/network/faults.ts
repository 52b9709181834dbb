/** What goes wrong on the way: loss, duplicates and delay by chance, and parts that do not hear each other. */
import type { Random } from '../world/random.ts'
import { publishedTripMs, REGIONS } from '../../wan/regions.ts'
import type { NodePort } from '../ports.ts'

/** Milliseconds of one way between two nodes: the median of home connections, and what a continent adds. */
const LATENCY_MS = { least: 10, mean: 40 }
const JITTER_MS = 5

export interface FaultRates {
  /** Of all messages, the share that is lost. */
  readonly loss: number
  /** Of all requests, the share that comes twice. */
  readonly duplicates: number
  /** Of all messages, the share that is late, and by how much at most. Late ones are overtaken. */
  readonly late: number
  readonly lateMs: number
  /** Each node is in one of the regions of lab/wan, as far from the others as somebody published. */
  readonly isPublished?: boolean
}

export const NO_FAULTS: FaultRates = { loss: 0, duplicates: 0, late: 0, lateMs: 0 }

/** TCP sends again what is lost, one packet in a hundred each way, 200 ms later at least. */
export const WIDE_AREA: FaultRates = { ...NO_FAULTS, late: 0.02, lateMs: 400, isPublished: true }

export class Faults<N extends NodePort> {
  readonly #random: Random
  rates: FaultRates
  /** Nodes of a part hear only each other while it is cut off. */
  #cut: ((node: N) => number) | undefined
  #cuts = 0

  constructor(random: Random, rates: FaultRates) {
    this.#random = random
    this.rates = rates
  }

  cut(partOf: ((node: N) => number) | undefined): void {
    this.#cut = partOf
    this.#cuts++
  }

  /** Changes where parts stop or begin to hear each other: what did not arrive may arrive now. */
  get cuts(): number {
    return this.#cuts
  }

  isCut(from: N, to: N): boolean {
    return this.#cut !== undefined && this.#cut(from) !== this.#cut(to)
  }

  isLost(): boolean {
    return this.rates.loss > 0 && this.#random.next() < this.rates.loss
  }

  isDuplicated(): boolean {
    return this.rates.duplicates > 0 && this.#random.next() < this.rates.duplicates
  }

  /** From one node to another. Left out: two regions drawn by chance. */
  delayMs(from?: N, to?: N): number {
    const late =
      this.rates.late > 0 && this.#random.next() < this.rates.late ? this.#random.next() * this.rates.lateMs : 0
    if (this.rates.isPublished !== true)
      return LATENCY_MS.least + this.#random.exponential(LATENCY_MS.mean - LATENCY_MS.least) + late
    return publishedTripMs(this.#regionOf(from), this.#regionOf(to)) / 2 + this.#random.exponential(JITTER_MS) + late
  }

  #regionOf(node: N | undefined): number {
    return node?.position.at(-1) ?? Math.floor(this.#random.next() * REGIONS)
  }
}
