/**
 * The role of a node in mode auto: full once peers of enough wide prefixes (/16, IPv6: /32) have dialled it, light once
 * as many could not. Fewer than the quorum change nothing, whatever they say.
 */
import { ipOf } from '../transport/addresses.ts'
import { addressPrefix, UNDIALLED, widePrefix } from '../../protocol/neighbourhood/diversity.ts'
import type { Multiaddr } from '@multiformats/multiaddr'

/**
 * Wide prefixes that must agree. In a young network, with at most as many, more than half of them make a node full, and
 * all make it light: a dial may also fail by the trouble of the one who dials.
 */
const QUORUM = 3

/**
 * In looks (own-addresses.ts): how long a newcomer waits for peers of more /16, and how long a full node whose address is
 * gone stays full.
 */
const PATIENCE = 2

/**
 * Looks after which the cure is told to a node of which peers say nothing, as to one with IPv6 alone among others, and
 * after which a node that has met none of the peers that it was named counts as the first.
 */
const LONG = 6

/** The latest word of each wide prefix on one address. It keeps five, so that only one side can have three. */
export class Voices {
  readonly #said = new Map<string, boolean>()

  hear(prefix: string, isReached: boolean): void {
    const wide = widePrefix(prefix)
    this.#said.delete(wide)
    this.#said.set(wide, isReached)
    if (this.#said.size > 2 * QUORUM - 1) this.#said.delete(this.#said.keys().next().value!)
  }

  has(prefix: string): boolean {
    return this.#said.has(widePrefix(prefix))
  }

  /** Whether peers reach the address; undefined while no side has its quorum, and without one. */
  verdict(quorum: Quorum | undefined): boolean | undefined {
    if (quorum === undefined) return undefined
    const isSaid = (what: boolean, by: number): boolean =>
      [...this.#said.values()].slice(1 - 2 * by).filter((said) => said === what).length >= by
    if (isSaid(true, quorum.full)) return true
    return isSaid(false, quorum.light) ? false : undefined
  }
}

/** Wide prefixes, at least one, that must have reached an address, and that must have failed to. */
interface Quorum {
  readonly full: number
  readonly light: number
}

/** Whether a peer of that prefix has a voice on an address. One in its own /24 may be led back by a router. */
export function mayJudge(prefix: string, address: Multiaddr): boolean {
  return prefix !== UNDIALLED && prefix !== addressPrefix(ipOf(address)!)
}

export interface Circumstances {
  /** On each public or named address. */
  readonly voices: readonly { readonly address: Multiaddr; readonly voices: Voices }[]
  /** Prefixes of the peers that can be asked. */
  readonly prefixes: readonly string[]
  /** `p2p.announce` names the addresses. */
  readonly isNamed: boolean
  /** It was named peers, or has met some in an earlier run. */
  readonly expectsOthers: boolean
  readonly looks: number
}

export class Role {
  mode: 'full' | 'light'
  #metAt: number | undefined
  #hadAddressAt = 0

  /** `mode`: that of the last run. A network whose nodes all start again would else have nobody who dials. */
  constructor(mode: 'full' | 'light' = 'light') {
    this.mode = mode
  }

  isReached(now: Circumstances, { address, voices }: Circumstances['voices'][number]): boolean {
    return voices.verdict(this.#quorum(now, address)) === true
  }

  decide(now: Circumstances): void {
    const verdicts = this.#verdicts(now)
    if (verdicts.length > 0) this.#hadAddressAt = now.looks
    const isLost =
      verdicts.length === 0 ? now.looks - this.#hadAddressAt > PATIENCE : verdicts.every((verdict) => verdict === false)
    if (verdicts.includes(true) || this.#isFirst(now)) this.mode = 'full'
    else if (isLost) this.mode = 'light'
  }

  /** Why it has its role, and the cure. */
  why(now: Circumstances, port: string, fault?: string): string {
    const verdicts = this.#verdicts(now)
    const reached = now.voices[verdicts.indexOf(true)]
    if (reached !== undefined) return `Full: peers of other prefixes reach it at ${reached.address.toString()}.`
    if (this.#isFirst(now))
      return 'Full: p2p.announce names its address, and no peer could be asked yet, as on the first nodes of a network.'
    if (this.mode === 'full') return 'Full as before, until peers of other prefixes have dialled its address again.'
    const cure =
      `Open TCP port ${port} in the firewall, for IPv6 in the router too (a pinhole). Behind a router with IPv4, ` +
      `forward the port and name the public address with --announce (p2p.announce).${fault === undefined ? '' : ` ${fault}`}`
    if (verdicts.length === 0) return `Light: it has no address that peers on the Internet can dial. ${cure}`
    if (verdicts.every((verdict) => verdict === false)) return `Light: peers of other prefixes cannot reach it. ${cure}`
    if (now.prefixes.length === 0)
      return (
        'Light: no peer can be asked to dial it. On a first node of a network, name its public address with ' +
        '--announce (p2p.announce).'
      )
    const waits = `Light until peers of ${QUORUM} /16 (IPv6: /32) have dialled it, or of most in a network that has no more.`
    const isLong = this.#metAt !== undefined && now.looks - this.#metAt >= LONG
    return isLong ? `${waits} Too few could in the last minute, as where they lack its IP version. ${cure}` : waits
  }

  #verdicts(now: Circumstances): (boolean | undefined)[] {
    return now.voices.map(({ address, voices }) => voices.verdict(this.#quorum(now, address)))
  }

  /**
   * Undefined while nobody can be asked. Of three, two make it full once those of a larger network had their time: so one
   * liar decides nothing.
   */
  #quorum({ prefixes, looks }: Circumstances, address: Multiaddr): Quorum | undefined {
    if (prefixes.some((prefix) => prefix !== UNDIALLED)) this.#metAt ??= looks
    const wide = new Set(prefixes.filter((prefix) => mayJudge(prefix, address)).map(widePrefix)).size
    const hadTime = this.#metAt !== undefined && looks - this.#metAt >= PATIENCE
    if (wide > QUORUM || (wide === QUORUM && !hadTime)) return { full: QUORUM, light: QUORUM }
    return hadTime && wide > 0 ? { full: Math.floor(wide / 2) + 1, light: wide } : undefined
  }

  /** Nobody could ever be asked about the named address: as the first nodes of a network. */
  #isFirst({ isNamed, expectsOthers, looks }: Circumstances): boolean {
    return isNamed && this.#metAt === undefined && looks >= (expectsOthers ? LONG : PATIENCE)
  }
}
