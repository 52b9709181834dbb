/** Several endpoints as one: the one that served last is asked first, the others when it fails. */
import type { Pulse } from '../protocol/time/pulse.ts'
import { BeaconError, type BeaconChain, type BeaconErrorCode } from './types.ts'
import { DrandSource } from './source.ts'

/** Which failure of several to report: the most telling, first. */
const TELLING: readonly BeaconErrorCode[] = ['BEACON_INVALID_PULSE', 'BEACON_WRONG_CHAIN', 'BEACON_UNAVAILABLE']

export class DrandSources {
  readonly #sources: DrandSource[]

  constructor(urls: readonly string[], chain: BeaconChain) {
    this.#sources = urls.map((url) => new DrandSource(url, chain))
  }

  /**
   * The first pulse that `accept` takes (it verifies); its source is asked first from then on.
   * Rejects with BeaconError when none does, naming each source's reason, or with the signal's reason.
   */
  async fetch<T>(
    round: number | 'latest',
    accept: (pulse: Pulse) => Promise<T | undefined>,
    signal: AbortSignal
  ): Promise<T> {
    const failures: BeaconError[] = []
    for (const source of [...this.#sources]) {
      try {
        const accepted = await accept(await source.fetch(round, signal))
        if (accepted !== undefined) {
          this.#prefer(source)
          return accepted
        }
        failures.push(
          new BeaconError(
            'BEACON_INVALID_PULSE',
            `${source.url} gave a pulse that does not verify under this network's chain key`
          )
        )
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof BeaconError)) throw error
        failures.push(error)
      }
    }
    throw combined(failures)
  }

  /** Moves the first source to the end: it answers, but with old pulses. */
  demoteFirst(): void {
    this.#sources.push(...this.#sources.splice(0, 1))
  }

  #prefer(source: DrandSource): void {
    const index = this.#sources.indexOf(source)
    if (index > 0) this.#sources.unshift(...this.#sources.splice(index, 1))
  }
}

function combined(failures: readonly BeaconError[]): BeaconError {
  if (failures.length === 0)
    return new BeaconError('BEACON_UNAVAILABLE', 'no randomness beacon is configured: set beacon.urls')
  const code = TELLING.find((each) => failures.some((failure) => failure.code === each)) ?? 'BEACON_UNAVAILABLE'
  return new BeaconError(code, failures.map((failure) => failure.message).join('; '), { cause: failures[0] })
}
