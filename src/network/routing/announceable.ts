/** What becomes of a node's own addresses: announced, announced once a peer has dialled them, or kept. Pure. */
import type { Multiaddr } from '@multiformats/multiaddr'
import { ListenError } from '../types.ts'
import { MAX_ADDRESSES } from '../wire/find.ts'
import { byUse, ipOf, isIpAndPort, isLoopback } from '../transport/addresses.ts'
import { specialRange } from '../transport/address-ranges.ts'

export interface AddressRules {
  /** `p2p.announce`; empty: the addresses listened on. */
  readonly named: readonly Multiaddr[]
  /** Whether a node of this network dials an address (`dialable`). */
  readonly mayDial: (address: Multiaddr) => boolean
}

export type Standing =
  | { readonly address: Multiaddr; readonly standing: 'announce' | 'confirm' }
  | { readonly address: Multiaddr; readonly standing: 'local'; readonly message: string }

/** The most useful first. */
export function standingOf({ named, mayDial }: AddressRules, listening: readonly Multiaddr[]): Standing[] {
  const beyondHere = listening.some((address) => !isLoopback(address))
  const judge = (address: Multiaddr): Standing => {
    const range = specialRange(ipOf(address)!)
    const local = (message: string): Standing => ({ address, standing: 'local', message })
    if (named.length > 0) return local('--announce (p2p.announce) names other addresses.')
    if (range === 'loopback' && beyondHere) return local('It leads to this machine only.')
    // Means something on this link alone, and where there is a zone, on this machine alone.
    if (range === 'link-local') return local('It leads to machines of this link only.')
    if (!mayDial(address))
      return local(
        'A private address, which peers on the Internet cannot dial. Behind a router, forward a TCP port and ' +
          'name the public address with --announce (p2p.announce).'
      )
    return { address, standing: range === undefined ? 'confirm' : 'announce' }
  }
  const confirmed = named.map((address): Standing => ({ address, standing: 'confirm' }))
  const isNamed = (address: Multiaddr): boolean => named.some((other) => other.equals(address))
  const others = byUse(listening.filter((address) => !isNamed(address)).map((address) => ({ multiaddr: address })))
  return [...confirmed, ...others.map(({ multiaddr }) => judge(multiaddr))]
}

/** Throws ListenError for an address of `p2p.announce` that no peer would dial. */
export function checkNamed({ named, mayDial }: AddressRules): void {
  if (named.length > MAX_ADDRESSES)
    throw new ListenError(
      `p2p.announce names ${named.length} addresses, and peers pass on at most ${MAX_ADDRESSES} of one node`
    )
  for (const address of named) {
    const refuse = (reason: string): never => {
      throw new ListenError(`cannot announce ${address.toString()}: ${reason}`)
    }
    if (!isIpAndPort(address))
      refuse('peers dial an IP address with a TCP port, such as /ip4/192.0.2.1/tcp/7469, without a host or peer id')
    if (specialRange(ipOf(address)!) === 'nowhere' || !mayDial(address))
      refuse('peers of this network do not dial addresses of that range; name one that they reach')
  }
}
