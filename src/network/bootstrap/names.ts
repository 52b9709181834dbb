/**
 * `/dnsaddr/NAME`: the TXT records `dnsaddr=MULTIADDR` of `_dnsaddr.NAME`, which may lead to further names. All addresses
 * are taken: libp2p's own resolver dials one. The last good list of each name is kept, also over a restart. Where the user
 * or the profile names a key, a list without its signature is refused, and none is used after its end.
 */
import { Resolver } from 'node:dns/promises'
import { CODE_P2P, multiaddr } from '@multiformats/multiaddr'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { isListName, signedUntil } from '../../protocol/bootstrap-list.ts'
import { decodeMultikey } from '../../protocol/identity/did.ts'
import { keys } from '../../store/keys.ts'
import { Count, readJson, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import { parseAddress } from '../node.ts'
import { isIpAndPort, peerOf } from '../transport/addresses.ts'
import { ListenError } from '../types.ts'

/** Bounds on what a liar can have a daemon ask for, keep and dial. */
const MAX_DEPTH = 4
const MAX_NAMES = 16
const MAX_RECORDS = 64
const MAX_RECORD_CHARACTERS = 256
const MAX_SIGNATURES = 8
const MAX_ADDRESSES = 64

/** Between two questions for a name: while one fails, and otherwise. Node's resolver tells no TTL. */
const SHORTEST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 5 * 60_000

interface List {
  readonly addresses: readonly string[]
  /** Unix seconds; undefined for a list that nobody signed. */
  readonly expires?: number | undefined
}

/** `key`: the one that signed them. Under another one they are worth nothing. */
const Kept = v.object({
  key: v.string(),
  lists: v.pipe(
    v.array(v.tuple([Text, v.object({ addresses: v.array(Text), expires: v.optional(Count) })])),
    v.maxLength(MAX_NAMES)
  )
})

/** The name of a `/dnsaddr/NAME`, perhaps with a peer id; undefined for other addresses. Throws ListenError. */
export function dnsaddrName(text: string): string | undefined {
  if (!text.startsWith('/dnsaddr/')) return undefined
  const [first, ...rest] = parseAddress(text).getComponents()
  const name = first?.value?.toLowerCase().replace(/\.$/, '') ?? ''
  if (isListName(name) && rest.every(({ code }) => code === CODE_P2P)) return name
  throw new ListenError(`"${text}" is not a name such as /dnsaddr/boot.example.org`)
}

interface BootstrapNamesParts {
  readonly store: Store
  /** Name servers to ask, `ip:port`; empty: those of the system. */
  readonly resolvers: readonly string[]
  /** Multikey that must have signed each list; empty: none has to. */
  readonly key: string
  readonly profileHash: Uint8Array
  readonly nowMs: () => number
  readonly log: Pick<Logger, 'warn'>
}

export class BootstrapNames {
  readonly #parts: BootstrapNamesParts
  readonly #key: Uint8Array | undefined
  readonly #lists: Map<string, List>
  readonly #faults = new Map<string, string>()
  #dueAt = 0
  #pause = SHORTEST_PAUSE_MS
  #isAsking = false

  /** Throws ListenError for a key that is none. */
  constructor(parts: BootstrapNamesParts) {
    const { store, key } = parts
    this.#parts = parts
    const stored = store.get(keys.bootstrapLists())
    const kept = readOrSetAside(store, keys.bootstrapLists(), stored, (json) => readJson(Kept, json))
    this.#lists = new Map(kept?.key === key ? kept.lists : [])
    this.#key = key === '' ? undefined : readKey(key)
  }

  /** Why names have no list now, as `NAME (reason)`. */
  faults(): string[] {
    return Array.from(this.#faults, ([name, reason]) => `/dnsaddr/${name} (${reason})`)
  }

  /** All addresses to which these multiaddrs lead. */
  expand(roots: readonly string[]): string[] {
    const seen = new Set<string>()
    const follow = (text: string, depth: number): string[] => {
      const name = nameIn(text)
      if (name === undefined) return [text]
      if (depth === MAX_DEPTH || seen.has(text)) return []
      seen.add(text)
      const peer = peerOf(text)
      return this.#addressesOf(name)
        .flatMap((each) => follow(each, depth + 1))
        .filter((each) => peer === undefined || peerOf(each) === peer)
    }
    return [...new Set(roots.flatMap((root) => follow(root, 0)))].slice(0, MAX_ADDRESSES)
  }

  /** Asks for all names to which these lead, where it is time. */
  async look(roots: readonly string[]): Promise<void> {
    const now = this.#parts.nowMs()
    // A clock that was set back does not end the questions.
    if (this.#isAsking || (now < this.#dueAt && this.#dueAt - now <= LONGEST_PAUSE_MS)) return
    this.#isAsking = true
    const asked = await this.#askAll(roots)
    this.#isAsking = false
    for (const each of [this.#lists, this.#faults])
      for (const name of each.keys()) if (!asked.has(name)) each.delete(name)
    const isWell = this.#faults.size === 0
    this.#dueAt = this.#parts.nowMs() + (isWell ? LONGEST_PAUSE_MS : this.#pause)
    this.#pause = isWell ? SHORTEST_PAUSE_MS : Math.min(2 * this.#pause, LONGEST_PAUSE_MS)
    this.#keep()
  }

  async #askAll(roots: readonly string[]): Promise<Set<string>> {
    const { resolvers } = this.#parts
    // A new one each time: the system's servers change with the network that a machine is in.
    const resolver = new Resolver({ timeout: 3_000, tries: 2 })
    if (resolvers.length > 0) resolver.setServers(resolvers)
    const asked = new Set<string>()
    let next = roots
    for (let depth = 0; depth < MAX_DEPTH && next.length > 0; depth++) {
      const names = [...new Set(next.flatMap((text) => nameIn(text) ?? []))]
        .filter((name) => !asked.has(name))
        .slice(0, MAX_NAMES - asked.size)
      for (const name of names) asked.add(name)
      await Promise.all(names.map((name) => this.#ask(resolver, name)))
      next = names.flatMap((name) => this.#addressesOf(name))
    }
    return asked
  }

  async #ask(resolver: Resolver, name: string): Promise<void> {
    try {
      const records = await resolver.resolveTxt(`_dnsaddr.${name}`)
      this.#lists.set(
        name,
        this.#read(
          name,
          records.map((parts) => parts.join(''))
        )
      )
      this.#faults.delete(name)
    } catch (error) {
      const reason = error instanceof ListFault ? error.message : dnsFault(error as NodeJS.ErrnoException)
      if (this.#faults.get(name) === reason) return
      this.#faults.set(name, reason)
      this.#parts.log.warn({ name, reason }, 'a name of bootstrap peers gives no list; the last good one remains')
    }
  }

  /** Throws ListFault. */
  #read(name: string, records: readonly string[]): List {
    const { profileHash, key } = this.#parts
    const all = records
      .filter((record) => record.startsWith('dnsaddr='))
      .map((record) => record.slice('dnsaddr='.length))
      .sort()
    if (all.length > MAX_RECORDS) throw new ListFault(`it has ${all.length} addresses, more than ${MAX_RECORDS}`)
    const addresses = all.filter(isOfList)
    if (addresses.length === 0)
      throw new ListFault('no record of it is dnsaddr=MULTIADDR with IP address, port and peer id')
    if (this.#key === undefined) return { addresses }
    const signatures = records.filter((record) => record.startsWith('chronym-bootstrap='))
    if (signatures.length === 0) throw new ListFault(`its list is not signed, and must be by ${key}`)
    const first = signatures.slice(0, MAX_SIGNATURES)
    const expires = signedUntil({ name, addresses: all }, first, this.#key, profileHash)
    if (expires === undefined)
      throw new ListFault(`its list has no signature by ${key} for this network, this name and these addresses`)
    if (this.#isOver(expires)) throw new ListFault(`the signature of its list ended at ${isoSeconds(expires)}`)
    return { addresses, expires }
  }

  #addressesOf(name: string): readonly string[] {
    const { addresses = [], expires } = this.#lists.get(name) ?? {}
    return expires !== undefined && this.#isOver(expires) ? [] : addresses
  }

  #isOver(expires: number): boolean {
    return this.#parts.nowMs() >= 1000 * expires
  }

  #keep(): void {
    const { store, log, key } = this.#parts
    const json = Buffer.from(JSON.stringify({ key, lists: [...this.#lists] }))
    try {
      const kept = store.get(keys.bootstrapLists())
      if (kept === undefined ? this.#lists.size > 0 : !json.equals(kept)) store.put(keys.bootstrapLists(), json)
    } catch (error) {
      log.warn({ err: error }, 'the lists of bootstrap peers could not be written down')
    }
  }
}

/** What a name says is no list. */
class ListFault extends Error {}

/** What lists have: peers, and names of further lists. */
function isOfList(text: string): boolean {
  return isPeerAddress(text) || (text.length <= MAX_RECORD_CHARACTERS && nameIn(text) !== undefined)
}

/** IP address, TCP port and peer id: neither a host name nor a relay. */
export function isPeerAddress(text: string): boolean {
  if (text.length > MAX_RECORD_CHARACTERS) return false
  try {
    const address = multiaddr(text)
    const components = address.getComponents()
    return components.length === 3 && components[2]!.code === CODE_P2P && isIpAndPort(address.decapsulateCode(CODE_P2P))
  } catch {
    return false
  }
}

/** The name of a `/dnsaddr/NAME`; undefined for anything else. */
function nameIn(text: string): string | undefined {
  try {
    return dnsaddrName(text)
  } catch {
    return undefined
  }
}

function readKey(text: string): Uint8Array {
  try {
    return decodeMultikey(text)
  } catch (error) {
    throw new ListenError(`p2p.bootstrap_key: "${text}" is not a public Ed25519 key (z6Mk...)`, { cause: error })
  }
}

function isoSeconds(seconds: number): string {
  return new Date(1000 * seconds).toISOString().replace('.000', '')
}

function dnsFault({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'it has no TXT record at _dnsaddr'
  return code === undefined ? message : `its name servers do not answer: ${code}`
}
