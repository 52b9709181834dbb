/** The checks of `chronym doctor`; none of them changes anything. */
import { existsSync } from 'node:fs'
import { type Client, type ConfigFieldView, ProblemError } from '../../api/client/client.ts'
import type { BackupView } from '../../views/backup.ts'
import type { NetworkStatusView } from '../../views/network.ts'
import { connect, ifReadable } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode, Failure, messageOf } from '../failures/failure.ts'
import { failed, type Finding, nodeFinding, ok, problem, report, verdictLine, warning } from './findings.ts'
import { findToken, givenToken, localFields, localPaths } from '../connection/location.ts'
import { plural } from '../../util/words.ts'
import { formatDuration, formatTable, printable } from '../terminal/format.ts'

const PROBE_TIMEOUT_MS = 3_000
/** Pulses come every 3 s at most in the built-in networks; older ones mean that something is stuck. */
const STALE_PULSE_SECONDS = 60

async function checkAddon(): Promise<Finding> {
  try {
    const { addon, missingAddon } = await import('../../native/addon.ts')
    const missing = missingAddon()
    if (missing !== undefined)
      return warning(
        'addon',
        `none: proofs are verified on BigInt, slowly, and nothing is registered or renewed. ${missing.message}`
      )
    const loaded = addon()
    return ok('addon', `version ${loaded.version()}, backend ${loaded.backend()}, ${loaded.steps()} steps`)
  } catch (error) {
    return failed('addon', error)
  }
}

/** Where the configuration was read, and each of its fields. */
interface Configuration {
  readonly from: 'daemon' | 'file'
  readonly fields: readonly ConfigFieldView[]
}

/** What a daemon started here would read from file and environment. */
function localConfiguration(context: Context): Configuration | Finding {
  try {
    return { from: 'file', fields: localFields(context) }
  } catch (error) {
    return failed('config', error)
  }
}

/** As the running daemon shows it; a finding if the token may not read it. */
async function daemonConfiguration(client: Client): Promise<Configuration | Finding> {
  try {
    return { from: 'daemon', fields: await client.configFields(probe()) }
  } catch (error) {
    return warning(
      'config',
      `the daemon does not show its configuration (${messageOf(error)})`,
      'Give a token with the scope read; `chronym config check` looks at the file alone.'
    )
  }
}

/** Where the values come from; a value of run time that hides one of the file is worth a look. */
function checkConfiguration({ from, fields }: Configuration): Finding {
  const valueOf = (field: string): string => {
    const value = fields.find((each) => each.field === field)?.value
    return typeof value === 'string' ? value : 'not shown'
  }
  const held = `network ${valueOf('network')}, mode ${valueOf('mode')}, data in ${valueOf('data_dir')}`
  if (from === 'file') return ok('config', `from file and environment, as no daemon answers: ${held}`)
  const set = fields.filter(({ source }) => source === 'run time')
  if (set.length === 0) return ok('config', `of the running daemon: ${held}`)
  const list = set.map(
    ({ field, value, otherwise }) =>
      `${field} = ${JSON.stringify(value)} (${otherwise?.source ?? 'default'}: ${JSON.stringify(otherwise?.value)})`
  )
  const hides = set.some(
    ({ value, otherwise }) =>
      otherwise?.source !== 'default' && JSON.stringify(otherwise?.value) !== JSON.stringify(value)
  )
  return {
    name: 'config',
    state: hides ? 'warning' : 'ok',
    detail: `of the running daemon: ${held}; set at run time: ${list.join(', ')}`,
    cure: `Undo it: chronym config unset ${set.map(({ field }) => field).join(' ')}`
  }
}

function checkToken(context: Context): Finding {
  try {
    if (findToken(context) === undefined) {
      return warning(
        'token',
        `none at ${localPaths(context).token}`,
        'The daemon makes it at its first start. Or give --data-dir or --token.'
      )
    }
    return ok('token', givenToken(context) === undefined ? localPaths(context).token : 'given by flag or environment')
  } catch (error) {
    return failed('token', error)
  }
}

const probe = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })

const SAFE_SEED_CURE =
  'Write its 24 words down (`chronym key show`), then check them (`chronym key check`): if you ' +
  'lose them, you lose the names.'

/** Checks the directory on this machine, if it exists. */
async function checkSeed(context: Context): Promise<Finding[]> {
  try {
    const paths = localPaths(context)
    const { isHalfSealed, readOwnerSeed, readSealedSeed, seedForm } = await import('../../data-directory/seed-files.ts')
    const form = seedForm(paths)
    // Checks the format only: the content needs the passphrase.
    if (form === 'sealed') readSealedSeed(paths)
    else if (readOwnerSeed(paths.seed) === undefined) {
      if (!existsSync(paths.database)) return []
      return [
        problem(
          'seed',
          `${paths.seed} is not there`,
          'Put the 24 words back with `chronym key import`, or restore a backup.'
        )
      ]
    }
    const file = form === 'sealed' ? paths.sealedSeed : paths.seed
    if (isHalfSealed(paths))
      return [
        warning(
          'seed',
          `${paths.seed} holds the words in clear beside ${paths.sealedSeed}: a change of the passphrase ` +
            'was interrupted',
          'Stop the daemon and run `chronym key passphrase` again, with --remove to remove the passphrase.'
        )
      ]
    const { isSeedSafe } = await import('../../data-directory/seed-safety.ts')
    const held = form === 'sealed' ? `${file} (under a passphrase)` : file
    if (isSeedSafe(paths)) return [ok('seed', `${held}, kept elsewhere too`)]
    return [warning('seed', `no copy of ${held} is known`, SAFE_SEED_CURE)]
  } catch (error) {
    return [failed('seed', error)]
  }
}

async function checkDaemon(context: Context): Promise<Diagnosis> {
  const local = localConfiguration(context)
  const configOf = (told: Configuration | Finding): Finding => ('fields' in told ? checkConfiguration(told) : told)
  const diagnosis = (told: Configuration | Finding, findings: Finding[]): Diagnosis => ({
    findings: [configOf(told), ...findings],
    configuration: 'fields' in told ? told : undefined
  })
  try {
    const client = connect(context)
    const status = await client.networkStatus(probe())
    const token = checkToken(context)
    const told = await daemonConfiguration(client)
    return diagnosis(told, [
      token,
      ok('daemon', `answers at ${client.baseUrl}, network ${status.network}`),
      await checkAccess(client),
      checkPeers(status),
      ...checkMode(status),
      ...checkDiversity(status),
      checkBeacon(status),
      ...(await checkOwned(client, told))
    ])
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return diagnosis(local, [
      checkToken(context),
      failed(
        'daemon',
        late
          ? new Failure('CLI-NET-001', `the daemon does not answer within ${PROBE_TIMEOUT_MS / 1000} s`, {
              exitCode: EXIT.unreachable,
              cure: 'Read its log, or name another daemon with --api.',
              cause: error
            })
          : error
      )
    ])
  }
}

async function checkAccess(client: Client): Promise<Finding> {
  try {
    await client.ownedNames(probe())
    return ok('access', 'the daemon takes the token')
  } catch (error) {
    if (!(error instanceof ProblemError)) return failed('access', error)
    return problem(
      'access',
      `the daemon answers ${error.status} to this token`,
      'The token may belong to another daemon or data directory. `chronym token` shows it; see --data-dir.'
    )
  }
}

function checkPeers({ status, peers, connecting }: NetworkStatusView): Finding {
  if (status === 'online') return ok('peers', `online, ${plural(peers, 'peer')}`)
  const cure = connecting ?? 'Set the mode to full or light: chronym config set mode=full.'
  return warning('peers', `${status}, ${plural(peers, 'peer')}`, cure)
}

/** A light node is well: it says what would make it full. Empty where the mode was chosen, or the daemon is older. */
function checkMode({ auto }: Partial<NetworkStatusView>): Finding[] {
  return auto ? [ok('mode', auto)] : []
}

const DIVERSITY_CURE =
  'Name more bootstrap peers of other networks (--bootstrap). For a few machines use a profile ' +
  'with answers_per_prefix 0 or a smaller k: docs/network.md, "A young network".'

/** Empty where the network counts no prefixes, and while no peer can be asked: the check of peers says that. */
function checkDiversity({ status, diversity }: NetworkStatusView): Finding[] {
  if (!diversity || status !== 'online') return []
  const { peers, prefixes, message } = diversity
  if (message !== null) return [warning('diverse', message, DIVERSITY_CURE)]
  return [ok('diverse', `${plural(peers, 'diverse peer')} in ${prefixes} /24 (IPv6: /32)`)]
}

const BEACON_CURE = 'Check beacon.urls (--beacon-url), the connection and the clock of this machine.'

function checkBeacon({ beacon: { round, age_seconds: age, message } }: NetworkStatusView): Finding {
  if (message) return (round === null ? problem : warning)('beacon', message, BEACON_CURE)
  if (round === null || age === null) return problem('beacon', 'no verified pulse yet', BEACON_CURE)
  if (age > STALE_PULSE_SECONDS)
    return warning('beacon', `the newest pulse (round ${round}) is ${formatDuration(age)} old`, BEACON_CURE)
  return ok('beacon', `round ${round}, ${formatDuration(age)} old`)
}

const JOURNAL_CURE =
  'The log names them; the database keeps them unchanged under `aside/`. Start the lost tasks again and check the disk.'

/** What works but needs attention, according to the daemon. */
async function checkOwned(client: Client, told: Configuration | Finding): Promise<Finding[]> {
  const { checks } = await client.readiness(probe())
  const finding = (name: string, cure: string): Finding => {
    const check = checks.find((each) => each.name === name)
    if (check?.warning !== true) return ok(name, check?.detail ?? 'not shown')
    return warning(name, check.detail, cure)
  }
  const locked = checks.find(({ code }) => code === 'seed-locked')
  return [
    ...(locked === undefined ? [] : [warning('lock', `the seed is ${locked.detail}`, 'Unlock it: chronym unlock')]),
    finding('journal', JOURNAL_CURE),
    finding('tasks', '`chronym tasks` says which, and why. They resume automatically when the cause is gone.'),
    finding('names', '`chronym names` says which, why, and what to do.'),
    ...(checks.some(({ name }) => name === 'dns') ? [finding('dns', 'The log of the daemon says why.')] : []),
    ...checkBackup(
      told,
      checks.find(({ name }) => name === 'backup')
    ),
    ...(await checkStored(client)),
    ...(await checkChangeWords(client))
  ]
}

/** What the database lost. Nothing where the token may not read it. */
async function checkStored(client: Client): Promise<Finding[]> {
  try {
    const { missing } = await client.backup(probe())
    return [checkHoldings(missing)]
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}

function checkHoldings(missing: BackupView['missing']): Finding {
  if (missing.length === 0) return ok('holdings', 'the database has all that it had')
  const detail = missing.map(({ what, id, detail }) => `${what} ${id} (${detail})`).join(', ')
  return problem('holdings', `the database lost ${detail}`, HOLDINGS_CURE)
}

const HOLDINGS_CURE =
  'Restore a backup into a new directory (docs/backup.md), or wait: the daemon looks for them in the network ' +
  '(`chronym adopt` says how far). `chronym adopt --forget NAME` gives one up.'

/** Of a daemon that has names. Nothing where the token may not read it. */
async function checkChangeWords(client: Client): Promise<Finding[]> {
  const names = await ifReadable(client.names(probe()))
  const words = names === undefined || names.length === 0 ? undefined : await ifReadable(client.changeWords(probe()))
  if (words === undefined) return []
  return [
    words.point !== null
      ? ok('change words', 'names registered from now on name a change key')
      : warning(
          'change words',
          'none: who has the seed has the names for good, and a name whose seed is lost is lost',
          'Make them: chronym key change-words (docs/transfer.md).'
        )
  ]
}

const BACKUP_CURE =
  'The log says why. Its directory must exist and have space. Move away a file there that this ' +
  'daemon did not write: docs/backup.md.'

/** Checks `backup.file`, if the daemon keeps one. */
function checkBackup(
  told: Configuration | Finding,
  check: { detail: string; warning?: boolean | undefined } | undefined
): Finding[] {
  if (check === undefined) return []
  const file = 'fields' in told ? told.fields.find(({ field }) => field === 'backup.file')?.value : undefined
  const detail = `${typeof file === 'string' ? `${file}: ` : ''}${check.detail}`
  return [check.warning === true ? warning('backup', detail, BACKUP_CURE) : ok('backup', detail)]
}

interface Diagnosis {
  readonly findings: readonly Finding[]
  /** Undefined where it cannot be read. */
  readonly configuration: Configuration | undefined
}

function configurationText({ from, fields }: Configuration): string {
  const title =
    from === 'daemon'
      ? 'settings other than the default, of the running daemon'
      : 'settings other than the default, of file and environment (no daemon answers)'
  const given = fields.filter(({ source }) => source !== 'default')
  if (given.length === 0) return `${title}: none`
  const rows = given.map(({ field, value, source }) => [field, printable(JSON.stringify(value)), source])
  return `${title}\n${formatTable([['field', 'value', 'from'], ...rows])}`
}

export async function runDoctor(context: Context): Promise<ExitCode> {
  const { findings: asked, configuration } = await checkDaemon(context)
  // In the order in which one depends on the other.
  const findings = [nodeFinding(), await checkAddon(), ...(await checkSeed(context)), ...asked]
  return report(context, findings, { configuration: configuration ?? null }, (paint) => [
    ...(configuration === undefined ? [] : ['', configurationText(configuration)]),
    '',
    verdictLine(findings, paint)
  ])
}
