/** Why a node that is not offline has nobody to ask, in one line with the cure. */
import type { IdentifyResult } from '@libp2p/interface'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { registryProtocol } from '../wire/messages.ts'

/** A full peer of any profile answers requests under such a protocol. */
const OF_ANY_NETWORK = /^\/chronym\/[0-9a-f]{64}\/registry\//

type Kind = 'full' | 'light' | 'other network'

/** Call before the node starts. `unreachable`: the reason for each bootstrap address that was dialled in vain. */
export function watchConnecting(
  node: Node,
  profile: NetworkProfile,
  bootstrap: readonly string[],
  unreachable: ReadonlyMap<string, string>
): () => string {
  const kinds = new Map<string, Kind>()
  node.addEventListener('peer:identify', ({ detail: { peerId, protocols } }: CustomEvent<IdentifyResult>) => {
    const kind = protocols.includes(registryProtocol(profile))
      ? 'full'
      : protocols.some((protocol) => OF_ANY_NETWORK.test(protocol))
        ? 'other network'
        : 'light'
    kinds.set(peerId.toString(), kind)
  })
  node.addEventListener('peer:disconnect', ({ detail }) => void kinds.delete(detail.toString()))

  return () => {
    const connected = new Set(kinds.values())
    if (connected.has('full')) return 'A peer was met just now: joining through it.'
    if (connected.has('other network'))
      return 'The connected peers have another network profile. All daemons of a network need the same one.'
    if (connected.has('light'))
      return 'Only light peers are connected, which answer nobody: name a full one with --bootstrap.'
    const failed = bootstrap.flatMap((address) => {
      const reason = unreachable.get(address)
      return reason === undefined ? [] : [`${address} (${reason})`]
    })
    if (failed.length > 0) return `No bootstrap peer can be reached, and each is tried again: ${failed.join(', ')}.`
    return bootstrap.length > 0
      ? 'The bootstrap peers are being dialled.'
      : 'No bootstrap peer is configured: name one with --bootstrap (p2p.bootstrap). A first node waits to be dialled.'
  }
}
