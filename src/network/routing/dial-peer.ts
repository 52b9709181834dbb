/** Dials the peer that a user names. */
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { isLoopback, peerOf } from '../transport/addresses.ts'
import { DialError } from '../types.ts'

const DIAL_MS = 10_000

/** Resolves with the id of the peer that answers. Throws DialError. */
export async function dialPeer(
  node: Node,
  { id, scope }: Pick<NetworkProfile, 'id' | 'scope'>,
  text: string
): Promise<string> {
  const address = readAddress(text)
  if (peerOf(text) === node.peerId.toString())
    throw new DialError('address', 'that is the address of this daemon itself')
  if (scope === 'loopback' && !isLoopback(address))
    throw new DialError('address', `network ${id} is for this machine only, and ${text} is not a loopback address`)
  if (!(await node.isDialable(address)))
    throw new DialError(
      'address',
      `daemons of network ${id} do not dial ${text}: they dial TCP ports, on public networks those of public ` +
        'addresses and of the ranges that p2p.bootstrap or p2p.listen names'
    )
  try {
    const { remotePeer } = await node.dial(address, { signal: AbortSignal.timeout(DIAL_MS) })
    return remotePeer.toString()
  } catch (error) {
    throw new DialError('unreached', `${text} cannot be reached: ${dialReason(error)}`, { cause: error })
  }
}

function readAddress(text: string): Multiaddr {
  try {
    return multiaddr(text)
  } catch (error) {
    throw new DialError('address', `"${text}" is not a multiaddr such as /ip4/192.0.2.1/tcp/7469/p2p/12D3KooW...`, {
      cause: error
    })
  }
}

/**
 * Why a dial failed, in a few words: libp2p's own name the address a second and third time, and call its timeouts
 * aborts.
 */
export function dialReason(error: unknown): string {
  const { name, message } = (error instanceof AggregateError ? error.errors[0] : error) as Error
  if (message.includes('does not match expected remote identity'))
    return 'another peer answers there: compare the peer id'
  if (name === 'TimeoutError' || /abort|timed? ?out/i.test(`${name} ${message}`)) return 'no answer in time'
  return /\bconnect E[A-Z]+\b/.exec(message)?.[0] ?? message
}
