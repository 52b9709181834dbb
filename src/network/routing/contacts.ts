/** Peers met before: with them a node rejoins its network when its bootstrap peers are gone. */
import * as v from 'valibot'
import { CODE_P2P } from '@multiformats/multiaddr'
import { diverseFirst, type DiversityLimits } from '../../protocol/neighbourhood/diversity.ts'
import { peerOf, knownAddresses } from '../transport/addresses.ts'
import type { Node } from '../libp2p.ts'
import { positionOf } from '../table.ts'
import { keys } from '../../store/keys.ts'
import { readOrSetAside } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { Acquaintances, type AcquaintanceLimits } from './acquaintances.ts'

/** Peers whose addresses are kept; one live peer suffices. */
const MAX_CONTACTS = 20
/** Addresses of one peer: it may listen on several interfaces. */
const MAX_ADDRESSES = 3
/** Addresses of absent peers kept as well: they may be on the other side of a network partition. */
const MAX_ABSENT = 20

const Addresses = v.array(v.string())

/** Throws for anything else: dialling or keeping it would fail each time. */
function decode(json: Uint8Array): readonly string[] {
  const addresses = v.parse(Addresses, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)))
  for (const address of addresses) peerOf(address)
  return addresses
}

/** The kept addresses. Value: a JSON array of multiaddrs with peer ids. */
export class Contacts {
  readonly #store: Store
  #addresses: readonly string[]

  constructor(store: Store) {
    this.#store = store
    this.#addresses = readOrSetAside(store, keys.contacts(), store.get(keys.contacts()), decode) ?? []
  }

  addresses(): readonly string[] {
    return this.#addresses
  }

  /** Throws StoreError. */
  keep(present: readonly string[]): void {
    const peers = new Set(present.map(peerOf))
    const absent = this.#addresses.filter((address) => !peers.has(peerOf(address)))
    const addresses = [...present, ...absent.slice(0, MAX_ABSENT)]
    if (present.length === 0 || addresses.join() === this.#addresses.join()) return
    this.#store.put(keys.contacts(), new TextEncoder().encode(JSON.stringify(addresses)))
    this.#addresses = addresses
  }
}

/**
 * Addresses of the table's peers, diverse ones first, near ones first. Otherwise a restart may begin with one machine's
 * ids alone [a crowd around one node].
 */
export async function contactsOf(node: Node, limits: DiversityLimits): Promise<string[]> {
  const known = node.services.table.nearest(positionOf(node.peerId))
  const peers = diverseFirst(known, MAX_CONTACTS, limits).map(({ id }) => id)
  const found = await Promise.all(
    peers.map(async (peer) => {
      const addresses = await knownAddresses(node, peer)
      return addresses
        .slice(0, MAX_ADDRESSES)
        .map(({ multiaddr }) => `${multiaddr.decapsulateCode(CODE_P2P).toString()}/p2p/${peer.toString()}`)
    })
  )
  return found.flat()
}

/** Delay that groups new peers into one write; a crash forgets those met since. */
const NEW_CONTACTS_MS = 2_000

/** Addresses change too, so all contacts are written this often. */
const CONTACTS_INTERVAL_MS = 60_000

interface ContactSource {
  contacts(): Promise<string[]>
}

/** Stores known peers, their addresses and first rounds for the next start. Logs failures to write, never throws. */
export class KnownPeers {
  readonly acquaintances: Acquaintances
  readonly #contacts: Contacts
  readonly #log: Pick<Logger, 'warn'>
  #ends: (() => void)[] = []
  #hasMet = false

  /** `now`: `ProtocolTime.now`. */
  constructor(store: Store, now: () => number, profile: AcquaintanceLimits, log: Pick<Logger, 'warn'>) {
    this.#contacts = new Contacts(store)
    this.acquaintances = new Acquaintances(store, now, profile)
    this.#log = log
  }

  addresses(): readonly string[] {
    return this.#contacts.addresses()
  }

  /** `source`: undefined while offline. */
  start(timers: Pick<Clock, 'every'>, source: () => ContactSource | undefined): void {
    this.#ends = [
      timers.every(NEW_CONTACTS_MS, () => {
        if (this.#hasMet) void this.#keepContacts(source())
      }),
      timers.every(CONTACTS_INTERVAL_MS, () => void this.keep(source()))
    ]
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  noteNew(): void {
    this.#hasMet = true
  }

  /** Writes everything now; contacts only with a `source`. */
  async keep(source: ContactSource | undefined): Promise<void> {
    try {
      this.acquaintances.keep()
    } catch (error) {
      this.#log.warn({ err: error }, 'since when peers are known could not be written down')
    }
    await this.#keepContacts(source)
  }

  async #keepContacts(source: ContactSource | undefined): Promise<void> {
    this.#hasMet = false
    try {
      if (source !== undefined) this.#contacts.keep(await source.contacts())
    } catch (error) {
      this.#log.warn({ err: error }, 'the peers known now could not be written down for the next start')
    }
  }
}
