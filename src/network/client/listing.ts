/** What one peer lists under a prefix, compared here with the key that is meant. */
import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Peer, Peers } from '../peers.ts'
import { answerOrUndefined } from '../wire/ask.ts'
import { LIST_PAGE_ENTRIES, type ListedEntry } from '../wire/list.ts'
import { KeySample } from './decoys.ts'
import { askWithRetries, withDeadline } from './ask-with-retries.ts'

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
