/** What a peer names in answer to a look-up, at addresses of its choice. */
import type { PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Answer } from '../../../../src/network/wire/messages.ts'

export function told(peers: readonly { readonly id: PeerId; readonly address: Multiaddr }[]): Answer {
  return {
    type: 'found',
    peers: peers.map(({ id, address }) => ({ peer: id.toMultihash().bytes, addresses: [address.bytes] }))
  }
}
