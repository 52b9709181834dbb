/** What one peer lists under a prefix, compared here with the key that is meant, and others to ask for beside it. */
import { randomBytes } from 'node:crypto'
import { compareBytes, concatBytes, equalBytes, fromHex, sha256, toHex } from '../../protocol/encoding/bytes.ts'
import type { Peer, Peers } from '../peers.ts'
import { answerOrUndefined } from '../wire/exchange.ts'
import { LIST_PAGE_ENTRIES, type ListedEntry } from '../wire/list.ts'
import { askWithRetries, withDeadline } from './holders.ts'

/** Keys requested beside the one that is meant. */
const DECOYS = 7

/** Keys kept of one listing. Two listings that share a third of their entries share a dozen of these. */
const SAMPLE = 64

const SECRET: Uint8Array = randomBytes(32)

/**
 * The keys of a listing that rank lowest by a secret rank, which depends on the key that is meant.
 * Random draws would fail: two questions for one key would have only that key in common. A fixed rank keeps the same
 * keys of every listing.
 */
export class KeySample {
  readonly #wanted: Uint8Array
  readonly #secret: Uint8Array
  #kept: { readonly key: Uint8Array; readonly rank: Uint8Array }[] = []

  constructor(wanted: Uint8Array, secret = SECRET) {
    this.#wanted = wanted
    this.#secret = secret
  }

  add(keys: readonly Uint8Array[]): void {
    const ranked = keys.map((key) => ({ key, rank: sha256(concatBytes(this.#secret, this.#wanted, key)) }))
    this.#kept = [...this.#kept, ...ranked].sort((left, right) => compareBytes(left.rank, right.rank)).slice(0, SAMPLE)
  }

  keys(): Uint8Array[] {
    return this.#kept.map(({ key }) => key)
  }
}

/** The meant key among up to seven others, ascending. Keys that more than half of the listings show come first. */
export function withDecoys(wanted: Uint8Array, samples: readonly KeySample[], secret = SECRET): Uint8Array[] {
  const shown = new Map<string, number>()
  for (const key of samples.flatMap((sample) => sample.keys())) shown.set(toHex(key), (shown.get(toHex(key)) ?? 0) + 1)
  const all = new KeySample(wanted, secret)
  const rest = new KeySample(wanted, secret)
  for (const [hex, count] of shown) (count * 2 > samples.length ? all : rest).add([fromHex(hex)])
  return [wanted, ...[...all.keys(), ...rest.keys()].slice(0, DECOYS)].sort(compareBytes)
}

/** Pages of one peer: 100,000 entries under one prefix. A peer that sends more invents them. */
const MAX_PAGES = 100_000 / LIST_PAGE_ENTRIES

/**
 * Time limit for one peer's listing [a page that comes at the last moment]. All pages take 40 s at ten a second, and 40
 * s more at 100 ms round trip. The rest is for others who ask at the same time.
 */
export const LISTING_MS = 120_000

export interface Prefix {
  /** Shares `bits` with the key that is meant; more only by chance. */
  readonly key: Uint8Array
  readonly bits: number
}

export interface Listing {
  readonly found: ListedEntry | undefined
  /** Other listed names with records and a witness. */
  readonly others: KeySample
}

/**
 * All that a peer lists under the prefix; undefined when it does not answer in time. Rejects with the signal's reason.
 *
 * @param others empty: gets the other names that it lists
 */
export async function listingOf(
  peers: Peers,
  peer: Peer,
  prefix: Prefix,
  { wanted, others }: { readonly wanted: Uint8Array; readonly others: KeySample },
  signal: AbortSignal
): Promise<Listing | undefined> {
  return answerOrUndefined(
    withDeadline(LISTING_MS, signal, (either) => allPages(peers, peer, prefix, { wanted, others }, either))
  )
}

async function allPages(
  peers: Peers,
  peer: Peer,
  { key, bits }: Prefix,
  { wanted, others }: { readonly wanted: Uint8Array; readonly others: KeySample },
  signal: AbortSignal
): Promise<Listing | undefined> {
  let found: ListedEntry | undefined
  let after: Uint8Array | undefined
  // Reads all pages even after a match: stopping would reveal where the key lies.
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await askWithRetries(
      peers,
      peer,
      { type: 'list', key, bits, ...(after !== undefined && { after }) },
      signal
    )
    if (answer.type !== 'listed') return undefined
    found ??= answer.entries.find((entry) => equalBytes(entry.key, wanted))
    others.add(
      answer.entries
        .filter((entry) => isShown(entry) && entry.record !== undefined && !equalBytes(entry.key, wanted))
        .map((entry) => entry.key)
    )
    if (!answer.more) return { found, others }
    after = answer.entries.at(-1)!.key
  }
  return undefined
}

/** Also a provisional entry, though it has no vote: it keeps the name from who commits now. */
export function isShown(entry: ListedEntry | undefined): entry is ListedEntry {
  return entry !== undefined
}
