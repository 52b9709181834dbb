/** The DNS server of a daemon: starts the addon's server, answers its questions, and shows what it does. */
import { ServiceError } from '../errors.ts'
import type { DnsListen, DnsProxy, DnsQuestion, DnsServer, KeyedHost } from '../native/dns.ts'
import { parseCodedName } from '../protocol/claim/check-code.ts'
import { canonicalName } from '../protocol/name/names.ts'
import { NameError } from '../protocol/errors.ts'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import type { Zone } from '../protocol/zone/zone.ts'
import type { Registry } from '../registry/use-cases.ts'
import type { DnsListenView, DnsView, KeyedHostView } from '../views/dns.ts'
import {
  EDE,
  faultKnowledge,
  isAlone,
  knowledgeOf,
  knowledgeOfError,
  outageKnowledge,
  type Knowledge
} from './knowledge.ts'
import { withLocalAddresses } from './local-addresses.ts'
import { leastTtl } from './wire.ts'
import { Questions } from './questions.ts'

/** Names with a check code that the server knows at once. */
const MAX_CODED = 10_000

/** Both DER. */
interface Authority {
  readonly key: Uint8Array
  readonly certificate: Uint8Array
}

interface DnsReply {
  readonly message: Uint8Array
  /** Seconds that an HTTP cache may keep it. */
  readonly maxAge: number
}

export interface DnsService {
  /** Throws ServiceError SVC-DNS-002. */
  start(): void
  /** Ends threads, sockets and look-ups within a second. */
  stop(): Promise<void>
  /** As bound; empty before the start. */
  listening(): DnsListen[]
  /** The proxy for https, in place of the former one; undefined: none. Throws ServiceError SVC-DNS-001, SVC-DNS-002. */
  setProxy(proxy: DnsProxy | undefined): void
  /** The proxy mints with this authority from now on, or no more. Throws where key and certificate do not fit. */
  mint(authority: Authority | undefined): void
  /** Shows addresses too that another part listens on: those of HTTPS. */
  announce(listen: readonly DnsListenView[]): void
  view(): DnsView
  /**
   * Forgets what is known of a registered name, given alone or with labels below it, or of all; how many were known.
   * SVC-NAM-001, SVC-DNS-001.
   */
  flush(name?: string): number
  /** Hosts that had a key when somebody went there. */
  keyedHosts(): KeyedHostView[]
  /** Takes a host for one that had none; whether it had one. */
  forgetKeyed(host: string): boolean
  /**
   * Answers a DNS message. `client`: the IP address that limits count. `isHere`: a program of this machine asks.
   * SVC-REQ-001 for what is not a query, SVC-DNS-001.
   */
  query(message: Uint8Array, client: string, isHere: boolean): Promise<DnsReply>
}

export interface DnsServiceParts {
  readonly registry: Pick<Registry, 'lookUp' | 'forget' | 'onForgotten' | 'isOwnRecord'>
  readonly profile: NetworkProfile
  readonly isForwarding: boolean
  /** Throws NativeError LISTEN_FAILED. */
  readonly startServer: (onQuestion: (question: DnsQuestion) => void) => DnsServer
  /** The hosts that had a key, on disk. */
  readonly keyed: { list(): KeyedHost[]; forget(host: string): void }
  /** Milliseconds, forward only. */
  readonly nowMs: () => number
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void }
}

export function createDnsService(parts: DnsServiceParts): DnsService {
  return new Service(parts)
}

/** Used in its place while `dns.enabled` is false. */
export function disabledDns({
  tld
}: Pick<NetworkProfile, 'tld'>): Pick<DnsService, 'view' | 'flush' | 'query' | 'keyedHosts' | 'forgetKeyed'> {
  const refuse = (): never => {
    throw isOff()
  }
  return {
    view: () => ({
      enabled: false,
      zone: `${tld}.`,
      listen: [],
      forwarding: false,
      https: null,
      anchor: null,
      stats: null
    }),
    flush: refuse,
    keyedHosts: refuse,
    forgetKeyed: refuse,
    query: () => Promise.reject(isOff())
  }
}

class Service implements DnsService {
  readonly #parts: DnsServiceParts
  readonly #questions: Questions
  #server: DnsServer | undefined
  #endSubscription: () => void = () => undefined
  #announced: readonly DnsListenView[] = []
  #proxyAddress: string | undefined
  #hasLocalAddresses = false
  #isMinting = false
  /** Names with a check code that the server may know, as they were asked for, to the name that they are codes of. */
  readonly #coded = new Map<string, string>()

  constructor(parts: DnsServiceParts) {
    this.#parts = parts
    this.#questions = new Questions({
      find: (name, options) => this.#find(name, options),
      learn: (name, knowledge) => this.#learn(name, knowledge),
      nowMs: parts.nowMs
    })
  }

  start(): void {
    this.#server = listening(() => this.#parts.startServer((question) => this.#questions.ask(question)))
    this.#endSubscription = this.#parts.registry.onForgotten((name) => this.#forgotten(name))
  }

  async stop(): Promise<void> {
    this.#endSubscription()
    const server = this.#server
    this.#server = undefined
    await Promise.all([this.#questions.stop(), server?.close()])
  }

  listening(): DnsListen[] {
    return this.#server?.addresses() ?? []
  }

  setProxy(proxy: DnsProxy | undefined): void {
    this.#proxyAddress = undefined
    try {
      listening(() => this.#running().setProxy(proxy ?? null))
    } finally {
      // The former proxy's addresses lead nowhere now.
      this.#running().flush(null)
    }
    this.#proxyAddress = proxy?.address
    this.#hasLocalAddresses = proxy !== undefined && proxy.localPorts !== null
  }

  mint(authority: Authority | undefined): void {
    this.#running().mint(authority?.key ?? null, authority?.certificate ?? new Uint8Array(0))
    this.#isMinting = authority !== undefined
  }

  announce(listen: readonly DnsListenView[]): void {
    this.#announced = [...this.#announced, ...listen]
  }

  view(): DnsView {
    const zone = `${this.#parts.profile.tld}.`
    const server = this.#server
    const forwarding = this.#parts.isForwarding
    if (server === undefined)
      return { enabled: true, zone, listen: [], forwarding, https: null, anchor: null, stats: null }
    const { ds, dnskey, keyTag, algorithm } = server.anchor()
    const { cacheBytes, ...stats } = server.stats()
    return {
      enabled: true,
      zone,
      listen: [...server.addresses(), ...this.#announced],
      forwarding,
      https: this.#proxyView(server),
      anchor: { ds, dnskey, key_tag: keyTag, algorithm },
      stats: { ...stats, cache_bytes: cacheBytes }
    }
  }

  #proxyView(server: DnsServer): DnsView['https'] {
    if (this.#proxyAddress === undefined) return null
    return { address: this.#proxyAddress, port: server.proxyPort()!, ready: this.#isMinting }
  }

  flush(name?: string): number {
    const registered = name === undefined ? undefined : this.#registeredName(name)
    const flushed = this.#running().flush(registered ?? null)
    // Else the next question is answered from what the registry keeps.
    this.#parts.registry.forget(registered)
    return flushed
  }

  keyedHosts(): KeyedHostView[] {
    return this.#parts.keyed.list().map(({ host, noneSince }) => ({
      host,
      none_since: noneSince === null ? null : new Date(1000 * noneSince).toISOString()
    }))
  }

  forgetKeyed(given: string): boolean {
    const host = canonicalName(given)
    const { keyed } = this.#parts
    if (!keyed.list().some((each) => each.host === host)) return false
    keyed.forget(host)
    this.#running().forgetKeyed(host)
    return true
  }

  async query(message: Uint8Array, client: string, isHere: boolean): Promise<DnsReply> {
    if (this.#hasLocalAddresses && !isHere)
      throw new ServiceError(
        'SVC-DNS-001',
        'This daemon answers DNS to its own machine alone, since hosts lead to addresses of it (https.local_addresses).'
      )
    try {
      const reply = await this.#running().query(message, client)
      return { message: reply, maxAge: leastTtl(reply) }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'INVALID_ARGUMENT')
        throw new ServiceError('SVC-REQ-001', `The DNS message cannot be answered: ${(error as Error).message}.`, {
          cause: error
        })
      if (code === 'SERVER_CLOSED') throw isOff()
      throw error
    }
  }

  #running(): DnsServer {
    if (this.#server === undefined) throw isOff()
    return this.#server
  }

  /** Never rejects: it answers somebody who has no log to read. */
  async #find(name: string, options: { leastLeft: number; signal: AbortSignal }): Promise<Knowledge> {
    const { registry, profile, log } = this.#parts
    try {
      this.#noteCoded(name)
      const found = await registry.lookUp(name, options)
      // A refresh: the server has something already.
      if (options.leastLeft > 0 && isAlone(found)) return outageKnowledge()
      const knowledge = knowledgeOf(name, found, profile, (zone) => this.#shown(zone, name))
      if (knowledge.kind !== 'zone' || !('resolved' in found)) return knowledge
      return { ...knowledge, trust: { ...knowledge.trust, own: registry.isOwnRecord(found.resolved.reveal) } }
    } catch (error) {
      const knowledge = knowledgeOfError(name, error)
      if (knowledge !== undefined) return knowledge
      if (!options.signal.aborted) log.error({ err: error }, 'a name could not be looked up for DNS')
      return faultKnowledge()
    }
  }

  #shown(zone: Zone, served: string): Zone {
    return withLocalAddresses(zone, served, (host, origins) => {
      try {
        return this.#server?.localAddress(host, origins) ?? undefined
      } catch (error) {
        this.#parts.log.warn({ host, err: error }, 'a host has no address of this machine, so it keeps its own')
        return undefined
      }
    })
  }

  #learn(name: string, knowledge: Knowledge): void {
    const server = this.#server
    if (server === undefined) return
    try {
      tell(server, name, knowledge)
    } catch (error) {
      // Records that the server refuses; the name has an owner, so it is not absent.
      this.#parts.log.warn({ name, err: error }, 'the zone of a name cannot be served by DNS')
      const text = `the zone of ${name} cannot be served by DNS`
      tell(server, name, {
        kind: 'failed',
        ede: EDE.invalidData,
        text,
        freshMs: knowledge.freshMs,
        isContradiction: true
      })
    }
  }

  #forgotten(name: string | undefined): void {
    // What the registry forgets may be no name of the zone: a DID that somebody looks for.
    if (name !== undefined && !this.#isRegistrable(name)) return
    const meant = name === undefined ? [undefined] : [name, ...this.#codedOf(name)]
    for (const each of meant) {
      this.#questions.forgotten(each)
      this.#server?.flush(each ?? null)
    }
  }

  #codedOf(name: string): string[] {
    return [...this.#coded].flatMap(([coded, bare]) => (bare === name ? [coded] : []))
  }

  /** What this map forgets, the server forgets too: it could not be dropped with its name. */
  #noteCoded(asked: string): void {
    const name = nameOfCoded(asked, this.#parts.profile)
    if (name === undefined) return
    this.#coded.delete(asked)
    this.#coded.set(asked, name)
    if (this.#coded.size <= MAX_CODED) return
    const [oldest] = this.#coded.keys()
    this.#coded.delete(oldest!)
    this.#server?.flush(oldest!)
  }

  #registeredName(text: string): string {
    const name = canonicalName(text).split('.').slice(-2).join('.')
    if (this.#isRegistrable(name)) return name
    const { tld } = this.#parts.profile
    const message = `"${text.slice(0, 255)}" is not a name below .${tld}, such as alice.${tld}.`
    throw new ServiceError('SVC-NAM-001', message, { errors: [{ path: 'name', message }] })
  }

  #isRegistrable(name: string): boolean {
    const suffix = `.${this.#parts.profile.tld}`
    return name.endsWith(suffix) && /^[a-z0-9_-]{1,63}$/.test(name.slice(0, -suffix.length))
  }
}

/** Throws SVC-DNS-002 where an address cannot be listened on. */
function listening<T>(start: () => T): T {
  try {
    return start()
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'LISTEN_FAILED'
    if (!isTaken) throw error
    throw new ServiceError('SVC-DNS-002', error.message, { cause: error })
  }
}

function nameOfCoded(asked: string, profile: NetworkProfile): string | undefined {
  try {
    const { name, code } = parseCodedName(asked, profile)
    return code === undefined ? undefined : name
  } catch (error) {
    if (error instanceof NameError) return undefined
    throw error
  }
}

function tell(server: DnsServer, name: string, knowledge: Knowledge): void {
  switch (knowledge.kind) {
    case 'zone':
      server.setZone(name, knowledge.records, knowledge.trust, knowledge.freshMs, knowledge.staleMs)
      break
    case 'absent':
      server.setAbsent(name, knowledge.freshMs, knowledge.staleMs)
      break
    case 'failed':
      if (knowledge.isContradiction) server.flush(name)
      server.setFailed(name, knowledge.ede, knowledge.text, knowledge.freshMs)
      break
  }
}

function isOff(): ServiceError {
  return new ServiceError('SVC-DNS-001', 'The DNS server of this daemon does not run.')
}
