/** The checks of `chronym network check`: whether a network is healthy enough to promise anything. Changes nothing. */
import type { Client } from '../../api/client/client.ts'
import type { Explanation } from '../../views/explanation.ts'
import type { NetworkStatusView, PeerClockView, PeerView } from '../../views/network.ts'
import { plural } from '../../util/words.ts'
import { VERSION } from '../../version.ts'
import { connect } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import type { ExitCode } from '../failures/failure.ts'
import { formatDuration } from '../terminal/format.ts'
import { type Finding, ok, problem, report, verdictLine, warning } from './findings.ts'

/** More than this share of the peers in one /16 is one operator, one provider or one attacker. */
const MAX_SHARE = 1 / 3
/** Far below what receipts allow (`receipt_slack`), and above what a slow line adds. */
const MAX_CLOCK_SECONDS = 10
/** Pulses come every 3 s at most in the built-in networks. */
const STALE_PULSE_SECONDS = 60

/** `chronym network check`: of given names, or of some that this daemon holds for the network. */
export async function runNetworkCheck(context: Context, _options: unknown, given: string[]): Promise<ExitCode> {
  const client = connect(context)
  const [status, peers] = await Promise.all([client.networkStatus(), client.peers()])
  const asked = peers.filter(({ in_table: isInTable }) => isInTable)
  const findings = [
    onlineFinding(status),
    diversityFinding(status),
    ...(status.diversity === null ? [] : [spreadFinding(asked)]),
    versionFinding(asked),
    beaconFinding(status),
    ...(status.status === 'online' ? [clocksFinding(await client.clocks())] : []),
    await namesFinding(client, given.length > 0 ? given : await client.sampleNames())
  ]
  return report(context, findings, {}, (paint) => ['', verdictLine(findings, paint)])
}

function onlineFinding({ status, connecting, peers, size }: NetworkStatusView): Finding {
  const detail = `${status}, ${plural(peers, 'peer')} connected, some ${plural(size ?? 0, 'node')} in all`
  return status === 'online' ? ok('peers', detail) : problem('peers', detail, connecting ?? undefined)
}

function diversityFinding({ diversity }: NetworkStatusView): Finding {
  if (diversity === null)
    return warning(
      'diverse',
      'this network limits no address prefix: one machine can outvote all others',
      'For a network that strangers join set answers_per_prefix in its profile (docs/network.md).'
    )
  const { peers, prefixes, wide_prefixes: wide, needed, message } = diversity
  const held = `${plural(peers, 'diverse peer')} of ${prefixes} /24 and ${wide} /16`
  if (peers < needed.settle)
    return problem('diverse', `${held}: names do not settle below ${needed.settle}`, message ?? undefined)
  return diversity.enough ? ok('diverse', held) : warning('diverse', held, message ?? undefined)
}

/** "192.0.2.0/24" -> "192.0", "2001:db8:1::/48" -> "2001:db8". */
function widePrefix(prefix: string): string {
  const separator = prefix.includes(':') ? ':' : '.'
  return prefix.split(separator).slice(0, 2).join(separator)
}

function spreadFinding(peers: readonly PeerView[]): Finding {
  const prefixes = peers.flatMap(({ prefix }) => (prefix === null ? [] : [widePrefix(prefix)]))
  const [largest] = counted(prefixes)
  if (largest === undefined) return warning('spread', 'no peer of the table has shown its address yet')
  const [prefix, count] = largest
  const detail = `${count} of ${plural(prefixes.length, 'peer')} are in ${prefix} (/16; IPv6: /32)`
  return count > prefixes.length * MAX_SHARE && prefixes.length > 1
    ? warning('spread', detail, 'Invite operators of other providers: who has that network has these votes.')
    : ok('spread', detail)
}

function versionFinding(peers: readonly PeerView[]): Finding {
  const agents = counted(peers.flatMap(({ agent }) => agent ?? []))
  if (agents.length === 0) return warning('versions', 'no connected peer has told its version')
  const detail = agents.map(([agent, count]) => `${count} ${agent}`).join(', ')
  const [most] = agents
  return most![0].split(' ')[0] === `chronym/${VERSION}`
    ? ok('versions', detail)
    : warning('versions', detail, `This daemon is chronym/${VERSION}: most peers run another version.`)
}

function beaconFinding({ beacon: { round, age_seconds: age } }: NetworkStatusView): Finding {
  if (round === null || age === null)
    return problem('beacon', 'no verified pulse yet', 'Check the connection to the beacon and the clock.')
  const detail = `round ${round}, ${formatDuration(age)} old`
  return age > STALE_PULSE_SECONDS
    ? problem('beacon', detail, 'The beacon cannot be reached, or the clock of this machine is wrong.')
    : ok('beacon', detail)
}

/** A wrong clock of ours shows in all others; one of theirs in few. Owners and witnesses must agree on rounds. */
function clocksFinding(clocks: readonly PeerClockView[]): Finding {
  const ahead = clocks.map(({ ahead_ms: each }) => each / 1000).sort((left, right) => left - right)
  const median = ahead[ahead.length >> 1]
  if (median === undefined) return warning('clocks', 'no peer has told what its clock says')
  const others = ahead.filter((each) => Math.abs(each - median) > MAX_CLOCK_SECONDS)
  const detail = `${plural(ahead.length, 'peer')} ahead of this machine by ${seconds(ahead[0]!)} to ${seconds(ahead.at(-1)!)}`
  if (Math.abs(median) > MAX_CLOCK_SECONDS)
    return problem('clocks', `${detail}, half of them by ${seconds(median)}`, 'Set the clock of this machine, by NTP.')
  return others.length > 0
    ? warning('clocks', `${detail}: ${others.length} unlike most`, 'Ask their operators for NTP.')
    : ok('clocks', detail)
}

const seconds = (value: number): string => `${value.toFixed(1)} s`

/** Each is asked of all that should hold it, as anybody else would. */
async function namesFinding(client: Client, names: readonly string[]): Promise<Finding> {
  if (names.length === 0)
    return warning(
      'names',
      'this daemon holds no name that could be asked for',
      'Give names: chronym network check NAME'
    )
  const seen: Explanation[] = []
  for (const name of names) seen.push(await client.explain(name))
  const bad = seen.filter(({ error, lease }) => error !== null && lease === null)
  const thin = seen.filter(({ resolves }) => resolves === 'thin')
  const named = (some: readonly Explanation[]): string => some.map(({ name }) => name).join(', ')
  const detail = `${plural(seen.length, 'name')} asked for at random: ${seen.length - bad.length - thin.length} as they should`
  if (bad.length > 0)
    return problem('names', `${detail}, lost or contested: ${named(bad)}`, '`chronym explain NAME` says why.')
  return thin.length > 0
    ? warning('names', `${detail}, thin: ${named(thin)}`, 'Fewer peers than a quorum know them: see `diverse`.')
    : ok('names', detail)
}

/** With how often each comes, most first. */
function counted(values: readonly string[]): [value: string, count: number][] {
  return [...Map.groupBy(values, (value) => value)]
    .map(([value, all]): [string, number] => [value, all.length])
    .sort((left, right) => right[1] - left[1])
}
