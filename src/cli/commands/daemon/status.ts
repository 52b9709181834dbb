import type { NetworkStatusView, PeerView } from '../../../views/network.ts'
import type { TaskView } from '../../../views/task.ts'
import { connect, ifReadable, waitingText } from '../../connection/connect.ts'
import type { CliCommand, Context } from '../../context.ts'
import { EXIT, usageFailure, type ExitCode } from '../../failures/failure.ts'
import { isCancelled, taskIdOf, watchTask } from '../../task/task.ts'
import { count as formatCount, plural } from '../../../util/words.ts'
import {
  formatDuration,
  formatFields,
  formatRate,
  formatRelative,
  printable,
  formatTable
} from '../../terminal/format.ts'
import type { Paint } from '../../terminal/output.ts'
import { warningLines } from '../names/owned.ts'

/** One line while something is missing. */
function diversityFields({ diversity, status }: NetworkStatusView, paint: Paint): (readonly [string, string])[] {
  const message = diversity?.message ?? null
  return message === null || status === 'offline' ? [] : [['diversity', paint('yellow', printable(message))]]
}

/** Where other daemons reach this one; a former daemon tells nothing. */
function addressFields({ addresses }: Partial<NetworkStatusView>, paint: Paint): (readonly [string, string])[] {
  return addressLines({ addresses: addresses ?? [] }, paint).map((line, index) => [
    index === 0 ? 'addresses' : '',
    line
  ])
}

function networkText(status: NetworkStatusView, dns: string | undefined, paint: Paint): string {
  const { round, age_seconds: age, message } = status.beacon
  return formatFields([
    ['status', paint(status.status === 'online' ? 'green' : 'yellow', status.status)],
    ...(status.connecting ? [['waits for', printable(status.connecting)] as const] : []),
    ['network', printable(status.network)],
    ['mode', status.mode],
    ...(status.auto ? [['', paint('dim', printable(status.auto))] as const] : []),
    ['peers', formatCount(status.peers)],
    ['peer id', printable(status.peer_id)],
    ...addressFields(status, paint),
    [
      'beacon',
      round === null
        ? 'no verified pulse yet'
        : `round ${formatCount(round)}${age === null ? '' : `, ${formatDuration(age)} old`}`
    ],
    ...(message ? [['', paint('yellow', printable(message))] as const] : []),
    ['records', formatCount(status.records)],
    ...(status.alone
      ? [['look-ups', paint('yellow', 'no peer answers; own names and records held resolve, as thin')] as const]
      : []),
    ...(dns === undefined ? [] : [['dns', printable(dns)] as const]),
    ...diversityFields(status, paint)
  ])
}

function taskText(task: TaskView, nowMs: number): string {
  const done = `${formatCount(task.progress)} of ${formatCount(task.iterations)} squarings`
  return formatFields([
    ['task', printable(task.task_id)],
    ['name', printable(task.name)],
    ['kind', task.kind],
    ['status', isCancelled(task) ? 'cancelled' : task.paused ? `${task.status}, paused` : task.status],
    ['phase', task.queue_position === null ? task.phase : `${task.phase}, place ${task.queue_position}`],
    ...(task.stalled === null
      ? []
      : [['waits for', `${task.stalled.code}: ${printable(task.stalled.message)}`] as const]),
    ['progress', task.phase === 'prove' ? `${done}; proof ${(task.phase_progress * 100).toFixed(0)}%` : done],
    ...(task.iterations_per_second === null ? [] : [['rate', formatRate(task.iterations_per_second)] as const]),
    ...(task.eta_seconds === null ? [] : [['left', formatDuration(task.eta_seconds)] as const]),
    ...(task.deadline === null
      ? []
      : [['deadline', `${task.deadline} (${formatRelative(task.deadline, nowMs)})`] as const]),
    ['started', `${task.created_at} (${formatRelative(task.created_at, nowMs)})`],
    ...(task.resumed === 0 ? [] : [['resumed', plural(task.resumed, 'time')] as const]),
    ...(task.error === null ? [] : [['error', `${task.error.code}: ${printable(task.error.message)}`] as const])
  ])
}

async function showTask(context: Context, taskId: string, watch: boolean): Promise<ExitCode> {
  const client = connect(context)
  const id = await taskIdOf(client, taskId)
  if (watch) return watchTask(context, client, id)
  const task = await client.task(id)
  context.output.answer(task, () => taskText(task, Date.now()))
  return task.status === 'failed' ? EXIT.negative : EXIT.ok
}

export function addStatusCommand(program: CliCommand): void {
  program
    .command('status')
    .argument('[task]', 'task id, or the name of a task; without it, the network')
    .description('show the network and warnings about your names, or one task (exit code 1 if it failed)')
    .option('-w, --watch', 'follow the task to its end')
    .runs(async (context, options: { watch?: boolean }, taskId: string | undefined) => {
      if (taskId !== undefined) return showTask(context, taskId, options.watch === true)
      if (options.watch === true) throw usageFailure('--watch follows a task: give its id', 'List them: chronym tasks.')
      const client = connect(context)
      const status = await client.networkStatus()
      const names = ((await ifReadable(client.names())) ?? []).flatMap(({ name, warnings }) =>
        warnings.length > 0 ? [{ name, warnings }] : []
      )
      const told = await ifReadable(client.seed())
      const seed = told?.state === 'locked' ? told : undefined
      const { checks } = await client.readiness()
      // Where it answers; undefined while it is off.
      const dns = checks.find(({ name }) => name === 'dns')?.detail
      const lost = checks.find(({ name, warning }) => name === 'holdings' && warning === true)?.detail
      const lostLines = (paint: Paint): string[] =>
        lost === undefined ? [] : [paint('red', printable(lost)), '  which, and what to do: chronym doctor']
      const lockLines = (paint: Paint): string[] =>
        seed === undefined
          ? []
          : [paint('yellow', `the seed is locked: ${waitingText(seed.waiting)}`), '  unlock it: chronym unlock']
      context.output.answer(
        {
          ...status,
          ...(dns !== undefined && { dns }),
          ...(lost !== undefined && { lost }),
          ...(seed !== undefined && { seed }),
          ...(names.length > 0 && { warned_names: names })
        },
        (paint) =>
          context.output.commands(
            [
              networkText(status, dns, paint),
              ...lostLines(paint),
              ...lockLines(paint),
              ...warningLines(names, paint)
            ].join('\n')
          )
      )
      return EXIT.ok
    })
}

export function addCheckCommands(program: CliCommand): void {
  program
    .command('doctor')
    .description(
      'check Node, addon, configuration, token, seed, daemon, peers and beacon (exit code 1 when something is wrong)'
    )
    .loads(async () => (await import('../../self-check/doctor.ts')).runDoctor)

  program
    .command('self-check')
    .description(
      'after an installation or upgrade: check the installed files, the addon against known answers, configuration, ' +
        'data directory, and the version or ports of the daemon (exit code 1 when something is wrong)'
    )
    .loads(async () => (await import('../../self-check/self-check.ts')).runSelfCheck)
}

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
function addressLines({ addresses }: Pick<NetworkStatusView, 'addresses'>, paint: Paint): string[] {
  return addresses.flatMap(({ address, state, confirmed_by: confirmed, message }) => [
    `${printable(address)}  ${paint(
      state === 'unconfirmed' ? 'yellow' : 'dim',
      confirmed.length > 0 ? `${state}, confirmed by ${plural(confirmed.length, 'peer')}` : state
    )}`,
    ...(message === null ? [] : [`  ${printable(message)}`])
  ])
}

/** For those who begin a network; neither command needs a daemon. */
function addBootstrapListCommands(network: CliCommand): void {
  const list = network
    .command('bootstrap-list')
    .description('the signed list of peers to join through, as TXT records of a name')
    .helpCommand(false)
  list
    .command('make-key')
    .argument('<file>', 'where the secret key goes')
    .description('make the key that signs lists, without a daemon; prints its public key')
    .option('--passphrase', 'encrypt the file under a passphrase, which is asked for')
    .option('--passphrase-file <file>', 'as --passphrase, from the first line of a file ("-": standard input)')
    .loads(async () => (await import('../../bootstrap/list.ts')).runMakeKey)
  list
    .command('sign')
    .argument('<addresses...>', 'multiaddrs with peer id, as `chronym id` prints them, or /dnsaddr/NAME')
    .description('print the TXT records of a list, signed for a network and a name')
    .requiredOption('--key <file>', 'as `make-key` writes it')
    .requiredOption('--name <name>', 'the name that has the list, such as boot.example.org')
    .requiredOption('--expires <date>', 'when the list ends, such as 2027-05-01; sign a new one before')
    .option('--network <network>', "local, test, main or a profile file (default: the configuration's)")
    .option('--passphrase-file <file>', 'passphrase of the key (default: asked for)')
    .loads(async () => (await import('../../bootstrap/list.ts')).runSign)
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

  const network = program.command('network').description('the network that the daemon is in').helpCommand(false)
  addBootstrapListCommands(network)
  network
    .command('check')
    .argument('[names...]', 'names to ask for; default: some that the daemon holds for the network, at random')
    .description(
      'is the network healthy enough to promise anything: peers, their spread and versions, the beacon, and names ' +
        'asked for as anybody would (exit code 1 when something is wrong)'
    )
    .loads(async () => (await import('../../self-check/network.ts')).runNetworkCheck)

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
      const client = connect(context)
      // A connection that is there is used again, and the address is not dialled.
      const before = (await ifReadable(client.peers())) ?? []
      const peer = await client.connectPeer(address)
      const held = before.find((each) => each.peer === peer.peer)?.connection ?? null
      context.output.answer({ ...peer, dialled: held === null }, () =>
        held === null
          ? `dialled ${printable(address)}: connected to ${printable(peer.peer)}`
          : `nothing was dialled: ${printable(peer.peer)} was connected already (${held.direction}, since ` +
            `${formatRelative(held.since, Date.now())}). Whether ${printable(address)} works is not known`
      )
    })
}
