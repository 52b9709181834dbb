/**
 * drand's HTTP API (v1: `/{chain hash}/info`, `/public/{round}`, `/public/latest`), answers read strictly. Several endpoints
 * are as one: the one that served last is asked first, the others when it fails.
 */
import { type Pulse, PULSE_SIGNATURE_BYTES, pulseRandomness } from '../protocol/time.ts'
import { BeaconError, type BeaconChain, type BeaconErrorCode } from './types.ts'
import * as v from 'valibot'
import { readBody } from '../util/bounded-body.ts'
import { textOfUtf8 } from '../util/utf8.ts'

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

/** Relays answer in well under a second; a slower one counts as down. */
const REQUEST_TIMEOUT_MS = 5000
/** Answers have a few hundred bytes. */
const MAX_ANSWER_BYTES = 16 * 1024

class DrandSource {
  readonly url: string
  readonly #chain: BeaconChain
  #isChecked = false

  /** `baseUrl` without the chain hash, as drand's own `https://api.drand.sh`. */
  constructor(baseUrl: string, chain: BeaconChain) {
    this.url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${chain.chain_hash}`
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
        // A source must not send this machine to an address of its own network.
        redirect: 'manual',
        headers: { accept: 'application/json' }
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new BeaconError(
          'BEACON_UNAVAILABLE',
          `${this.url}/${path} answered ${response.status}${leadsAway(response)}`
        )
      }
      return JSON.parse(textOfUtf8(await readBody(response, MAX_ANSWER_BYTES)))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof BeaconError) throw error
      const reason = timeout.aborted ? `no answer within ${REQUEST_TIMEOUT_MS} ms` : reasonOf(error)
      throw new BeaconError('BEACON_UNAVAILABLE', `${this.url}/${path}: ${reason}`, { cause: error })
    }
  }
}

function leadsAway({ status }: Response): string {
  return status >= 300 && status < 400
    ? ', which is not followed: this network wants a login first (a captive portal), or beacon.urls has to name ' +
        'the address that it leads to'
    : ''
}

/** `fetch` says only "fetch failed"; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof SyntaxError)
    return 'the answer is not JSON: beacon.urls is wrong, or this network wants a login first (a captive portal)'
  const { message } = error.cause instanceof Error ? error.cause : error
  return /certificate (is not yet valid|has expired)/.test(message)
    ? `${message}: is this machine's clock right?`
    : message
}

const hex = (bytes: number) =>
  v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`, 'i'), `${bytes} bytes in hex expected`))

const PulseSchema = v.object({
  round: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  signature: hex(PULSE_SIGNATURE_BYTES),
  randomness: v.optional(hex(32))
})

const InfoSchema = v.object({
  public_key: v.string(),
  period: v.number(),
  genesis_time: v.number(),
  hash: v.string(),
  schemeID: v.string()
})

/** Undefined unless the answer is a pulse, whose randomness, if given, is that of its signature. Not verified yet. */
function readPulse(json: unknown): Pulse | undefined {
  const parsed = v.safeParse(PulseSchema, json)
  if (!parsed.success) return undefined
  const { round, randomness } = parsed.output
  const signature = new Uint8Array(Buffer.from(parsed.output.signature, 'hex'))
  if (randomness !== undefined && Buffer.from(pulseRandomness(signature)).toString('hex') !== randomness.toLowerCase())
    return undefined
  return { round, signature }
}

/** What in a source's `/info` differs from the pinned chain; empty when it is that chain. */
export function differences(json: unknown, chain: BeaconChain): string[] {
  const parsed = v.safeParse(InfoSchema, json)
  if (!parsed.success) return ['the answer is not chain information']
  const info = parsed.output
  const pairs: [field: string, served: string | number, pinned: string | number][] = [
    ['hash', info.hash, chain.chain_hash],
    ['public_key', info.public_key, chain.public_key],
    ['schemeID', info.schemeID, chain.scheme],
    ['period', info.period, chain.period],
    ['genesis_time', info.genesis_time, chain.genesis]
  ]
  return pairs
    .filter(([, served, pinned]) => served !== pinned)
    .map(([field, served, pinned]) => `${field} is ${served}, not ${pinned}`)
}
