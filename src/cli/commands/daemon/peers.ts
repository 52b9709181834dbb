import { connect } from '../../connection/connect.ts'
import type { CliCommand } from '../../context.ts'
import type { NetworkStatusView, PeerView } from '../../../views/network.ts'
import { plural } from '../../../util/words.ts'
import { formatRelative, formatTable, printable } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'

function peerTable(peers: readonly PeerView[], nowMs: number): string {
  if (peers.length === 0) return 'no peers; `chronym status` says why'
  return formatTable([
    ['peer', 'prefix', 'direction', 'since', 'in table'],
    ...peers.map(({ peer, prefix, connection, in_table }) => [
      printable(peer),
      printable(prefix ?? '-'),
      connection?.direction ?? '-',
      connection === null ? '-' : formatRelative(connection.since, nowMs),
      in_table ? 'yes' : 'no'
    ])
  ])
}

/** The addresses of a daemon, one a line, each with what it is good for. */
export function addressLines({ addresses }: Pick<NetworkStatusView, 'addresses'>, paint: Paint): string[] {
  return addresses.flatMap(({ address, state, confirmed_by: confirmed, message }) => [
    `${printable(address)}  ${paint(
      state === 'unconfirmed' ? 'yellow' : 'dim',
      confirmed.length > 0 ? `${state}, confirmed by ${plural(confirmed.length, 'peer')}` : state
    )}`,
    ...(message === null ? [] : [`  ${printable(message)}`])
  ])
}

export function addPeerCommands(program: CliCommand): void {
  program
    .command('id')
    .description('print the peer id and the addresses that other daemons take with --bootstrap')
    .runs(async (context) => {
      const { peer_id, addresses } = await connect(context).networkStatus()
      context.output.answer({ peer_id, addresses }, (paint) =>
        [
          printable(peer_id),
          ...(addresses.length === 0 ? ['no addresses: the daemon is offline'] : addressLines({ addresses }, paint))
        ].join('\n')
      )
    })

  const peers = program.command('peers').description('the peers of the daemon').helpCommand(false)
  peers
    .command('list', { isDefault: true })
    .description('list the peers, nearest first: those of the routing table and the connected ones')
    .runs(async (context) => {
      const listed = await connect(context).peers()
      context.output.answer(listed, () => peerTable(listed, Date.now()))
    })
  peers
    .command('connect')
    .argument('<address>', 'multiaddr of the peer, as `chronym id` prints it there')
    .description('dial a peer once; --bootstrap joins through it at each start')
    .runs(async (context, _options, address: string) => {
      const peer = await connect(context).connectPeer(address)
      context.output.answer(peer, () => `connected to ${printable(peer.peer)}`)
    })
}
