/**
 * Dials peers where they say that they listen, so that they know what to announce (`reach`). The peer chooses the
 * address, so what it may have us dial is bounded [connections to third parties].
 */
import type { Connection } from '@libp2p/interface'
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import { ConcurrencyLimit } from '../../util/concurrency.ts'
import type { Budget } from '../budget/budget.ts'
import type { Node } from '../libp2p.ts'
import { closeConnection } from './keep-places.ts'
import { BUSY, refused } from '../wire/answers.ts'
import { type ReachAnswer, type ReachRequest, readableAddresses } from '../wire/find.ts'
import type { Sender } from '../wire/exchange.ts'
import { isIpAndPort, prefixOf } from '../transport/addresses.ts'
import { dialReason } from './dial-peer.ts'

/** A peer that asks waits ten seconds for its answer. */
const DIAL_MS = 5_000

/** Dial-backs under way: a few of the hundred dials that libp2p makes at a time. */
const AT_ONCE = { all: 16, prefix: 4 }

/** No way there from here: these say nothing about the peer. EINVAL: our own source address is of the other family. */
const NO_WAY = /\b(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)\b/

/** Dials through the gater, as every dial. An open connection of ours to that address is proof enough. */
export function createDialBack(
  node: Node,
  budget: Pick<Budget, 'dialBack'>
): (request: ReachRequest, sender: Pick<Sender, 'id' | 'prefix'>) => Promise<ReachAnswer> {
  const places = new ConcurrencyLimit(AT_ONCE.all, AT_ONCE.prefix)

  const dial = async (address: Multiaddr, { id }: Pick<Sender, 'id'>): Promise<ReachAnswer> => {
    let connection: Connection
    try {
      // By address alone: a dial by peer id joins one to another address. Forced: otherwise libp2p may answer with an
      // older connection.
      connection = await node.dial(address, { force: true, signal: AbortSignal.timeout(DIAL_MS) })
    } catch (error) {
      const reason = dialReason(error)
      return refused(NO_WAY.test(reason) ? 'undialled' : 'unreached', reason)
    }
    void closeConnection(connection)
    return connection.remotePeer.equals(id) ? { type: 'reached' } : refused('unreached', 'another peer answers there')
  }

  return async ({ address: bytes }, sender) => {
    const [address] = readableAddresses([bytes])
    if (address === undefined || !isIpAndPort(address) || !(await node.isDialable(address)))
      return refused('undialled', 'this node does not dial such an address')
    const shows = ({ direction, remoteAddr }: Connection): boolean =>
      direction === 'outbound' && remoteAddr.decapsulateCode(CODE_P2P).equals(address)
    if (node.getConnections(sender.id).some(shows)) return { type: 'reached' }
    const leave = places.take(sender.prefix)
    try {
      if (leave === undefined || !budget.dialBack(sender.prefix, prefixOf(address))) return BUSY
      return await dial(address, sender)
    } finally {
      leave?.()
    }
  }
}
