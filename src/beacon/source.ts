import type { Pulse } from '../protocol/time/pulse.ts'
import { differences, readPulse } from './drand-answer.ts'
import { BeaconError, type BeaconChain } from './types.ts'

/** Relays answer in well under a second; a slower one counts as down. */
const REQUEST_TIMEOUT_MS = 5000
/** Answers have a few hundred bytes. */
const MAX_ANSWER_BYTES = 16 * 1024

export class DrandSource {
  readonly url: string
  readonly #chain: BeaconChain
  #isChecked = false

  /** `baseUrl` without the chain hash, as drand's own `https://api.drand.sh`. */
  constructor(baseUrl: string, chain: BeaconChain) {
    this.url = `${baseUrl.replace(/\/+$/, '')}/${chain.chain_hash}`
    this.#chain = chain
  }

  /**
   * A pulse as the endpoint gives it, unverified; of that round when one is given. Rejects with BeaconError or the
   * signal's reason.
   */
  async fetch(round: number | 'latest', signal: AbortSignal): Promise<Pulse> {
    await this.#checkChain(signal)
    const pulse = readPulse(await this.#request(`public/${round}`, signal))
    if (pulse === undefined)
      throw new BeaconError('BEACON_INVALID_PULSE', `${this.url} answered with something that is not a pulse`)
    if (round !== 'latest' && pulse.round !== round) {
      throw new BeaconError(
        'BEACON_INVALID_PULSE',
        `${this.url} answered with round ${pulse.round} when asked for ${round}`
      )
    }
    return pulse
  }

  /**
   * Pulses are verified under the pinned key in any case. This check tells a wrong URL from a bad pulse, and pins
   * period and genesis.
   */
  async #checkChain(signal: AbortSignal): Promise<void> {
    if (this.#isChecked) return
    const found = differences(await this.#request('info', signal), this.#chain)
    if (found.length > 0) {
      throw new BeaconError(
        'BEACON_WRONG_CHAIN',
        `${this.url} serves another chain than this network's: ${found.join('; ')}. Check beacon.urls.`
      )
    }
    this.#isChecked = true
  }

  async #request(path: string, signal: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    try {
      const response = await fetch(`${this.url}/${path}`, {
        signal: AbortSignal.any([signal, timeout]),
        headers: { accept: 'application/json' }
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new BeaconError('BEACON_UNAVAILABLE', `${this.url}/${path} answered ${response.status}`)
      }
      return JSON.parse(await readBounded(response))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof BeaconError) throw error
      const reason = timeout.aborted ? `no answer within ${REQUEST_TIMEOUT_MS} ms` : reasonOf(error)
      throw new BeaconError('BEACON_UNAVAILABLE', `${this.url}/${path}: ${reason}`, { cause: error })
    }
  }
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** `fetch` says only "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
