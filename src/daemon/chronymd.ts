/** The daemon as a program: takes flags, environment and file; gives one running daemon, a banner and an exit code. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import {
  configFromEnvironment,
  configFromFlags,
  CONFIG_FIELDS,
  type ConfigField,
  type FieldKind
} from '../config/config.ts'
import { configFileOf, defaultConfigFileText, readConfigFile } from '../config/config-file.ts'
import { REMOVED_SETTINGS } from '../config/removed.ts'
import { unknownVariables } from '../config/unknown-variables.ts'
import type { StartSources } from '../config/service.ts'
import { dnsText } from './readiness.ts'
import { startDaemon, type RunningDaemon } from './daemon.ts'
import { ServiceError } from '../errors.ts'
import { asServiceError } from '../service-errors.ts'
import { StoreError } from '../store/types.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { askHidden } from '../util/secret-input.ts'
import { notify } from '../native/addon.ts'
import type { PassphraseSources } from './seed-service.ts'
import { createServiceManager } from './service-manager.ts'
import { masked } from '../util/masked.ts'
import { withDaemon } from '../util/shell-commands.ts'
import { PathError } from '../util/user-paths.ts'
import { VERSION } from '../version.ts'

const EXIT_OK = 0
const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** A longer stop is cut off: what matters is in the journal already. */
const STOP_TIMEOUT_MS = 5_000

const VALUES: Readonly<Record<FieldKind, string>> = { string: 'TEXT', number: 'N', boolean: 'true|false', list: 'LIST' }

/** What `--help` prints, and the manual page has. */
export const usage = (configFile: string): string => `Usage: chronymd [options]

Runs the Chronym daemon until Ctrl-C or SIGTERM.

Options:
${optionLine('--config FILE', `configuration file (default: ${configFile})`)}
${CONFIG_FIELDS.map(usageOf).join('\n')}
${optionLine('--json', 'print addresses and paths as one JSON object')}
${optionLine('--version', 'print the version')}
${optionLine('--help', 'print this')}

A list is given with commas or by repeating the flag. Flags win over the environment variables (in brackets), those over
changes made at run time, those over the file.
`

interface Invocation {
  readonly sources: StartSources
  /** Of settings that were removed, and of variables that are none. */
  readonly warnings: readonly string[]
  readonly json: boolean
}

function parseInvocation(args: readonly string[], env: NodeJS.ProcessEnv): Invocation | 'help' | 'version' {
  const options: ParseArgsOptionsConfig = {
    config: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' }
  }
  for (const field of [...CONFIG_FIELDS, ...REMOVED_SETTINGS]) options[field.flag] = { type: 'string', multiple: true }
  const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false })
  if (values['help'] === true) return 'help'
  if (values['version'] === true) return 'version'
  const warnings: string[] = []
  const warn = (warning: string): unknown => warnings.push(warning)
  warnings.push(...unknownVariables(env))
  return {
    json: values['json'] === true,
    warnings,
    sources: {
      file: readConfigFile(configFileOf(env, values['config'] as string | undefined), warn),
      environment: configFromEnvironment(env, warn),
      flags: configFromFlags(values as Record<string, string[] | undefined>, warn)
    }
  }
}

function describe(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
    return (
      `${error.message}. The disk that holds the data directory is full: ` +
      'free some space and start again. Nothing is lost.'
    )
  }
  const known = error instanceof StoreError && error.code === 'newer' ? asServiceError(error) : error
  if (!(known instanceof ServiceError)) return error instanceof Error ? error.message : String(error)
  const { title, cure } = ERROR_TABLE[known.code]
  return `${title} (${known.code}): ${known.message}\n${cure}`
}

function usageOf({ flag, kind, help, env }: ConfigField): string {
  return optionLine(`--${flag} ${VALUES[kind]}`, `${help} (${env})`)
}

/** The longest option has 34 characters. */
function optionLine(option: string, help: string): string {
  return `  ${option.padEnd(34)}  ${help}`
}

/** With what the command line needs to find this daemon: what came by a flag it cannot read anywhere. */
function commandFor({ flags }: StartSources, dataDir: string, command: string): string {
  const isFound = flags['data_dir'] === undefined && flags['network'] === undefined
  return withDaemon(command, isFound ? {} : { dataDir })
}

/** Said at the first start alone, and nothing waits for an answer: names that are registered before have no change key. */
function firstStart(daemon: RunningDaemon, sources: StartSources): string {
  if (!daemon.isSeedNew) return ''
  const make = commandFor(sources, daemon.dataDir, 'chronym key change-words')
  return `\nIf you like, make change words before you register a name. A thief of the seed then cannot keep your names:
  ${make}\n`
}

function banner(daemon: RunningDaemon, sources: StartSources): string {
  const apiWarning = daemon.apiWarning === undefined ? '' : `\n             warning: ${daemon.apiWarning}`
  return `chronym ${VERSION}, network ${daemon.network}${daemon.warning === undefined ? '' : `: ${daemon.warning}`}
  dashboard  ${daemon.apiUrl}/   (logged in: ${commandFor(sources, daemon.dataDir, 'chronym dashboard')})
  API        ${daemon.apiUrl}   (docs: ${daemon.apiUrl}/docs)${apiWarning}
  token      ${daemon.tokenFile}
  data       ${daemon.dataDir}
  peer id    ${daemon.peerId}
  listening  ${daemon.addresses.join(', ') || 'no address for peers'}
  beacon     ${daemon.beaconUrls.join(', ')}
  dns        ${dnsText(daemon.dns) || 'off'}
${firstStart(daemon, sources)}Ctrl-C stops it.
`
}

/**
 * Resolves at the first signal. Later ones change nothing: under npm a Ctrl-C comes twice, from the terminal and from
 * npm. It must not cut off the stop, which has its own bound.
 * Closing the terminal (SIGHUP) stops in order too. SIGUSR1 would have Node open a debugger, to all of this machine.
 */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGUSR1', () => undefined)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve)
  })
}

/** Asks on the terminal only if standard input is one. A signal during the question ends the start. */
function passphraseSources(env: NodeJS.ProcessEnv, stopSignal: Promise<unknown>): PassphraseSources {
  const stopping = new AbortController()
  void stopSignal.then(() => stopping.abort())
  return {
    stdin: process.stdin,
    credentials: env['CREDENTIALS_DIRECTORY'],
    ask: process.stdin.isTTY
      ? async (question) => {
          const typed = await askHidden(process.stdin, question, stopping.signal)
          if (typed === 'interrupted') throw new Error('interrupted before the start; nothing runs')
          return typed === 'closed' ? '' : typed.line
        }
      : undefined
  }
}

async function stopInTime(daemon: RunningDaemon, quiet: boolean, code: number): Promise<never> {
  const timeout = new Promise<'timeout'>((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS, 'timeout'))
  if ((await Promise.race([daemon.stop(), timeout])) === 'timeout')
    process.stderr.write(
      `chronym: not everything stopped within ${STOP_TIMEOUT_MS / 1000} s; ` +
        `leaving it.${code === EXIT_OK ? ' Nothing is lost: tasks resume at the next start.' : ''}\n`
    )
  else if (!quiet) await new Promise((written) => process.stdout.write('Stopped.\n', written))
  // A timer that libp2p leaves behind would hold the process for a second.
  process.exit(code)
}

/**
 * Runs the daemon until a signal. Returns the exit code: 0 stopped as asked, 1 could not start or lost its directory, 2
 * bad usage or configuration.
 */
export async function runChronymd(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  let invocation
  try {
    invocation = parseInvocation(args, env)
  } catch (error) {
    process.stderr.write(`chronym: ${masked(describe(error))}\nchronymd --help lists the options.\n`)
    return EXIT_USAGE
  }
  if (invocation === 'help' || invocation === 'version') {
    process.stdout.write(invocation === 'help' ? usage(defaultConfigFileText()) : `${VERSION}\n`)
    return EXIT_OK
  }
  // Before the start: a Ctrl-C during it stops right after it.
  const stopSignal = nextSignal()
  const manager = createServiceManager({ env, pid: process.pid, send: notify })
  let daemon: RunningDaemon
  try {
    manager.starting()
    daemon = await startDaemon(invocation.sources, { passphrase: passphraseSources(env, stopSignal) })
  } catch (error) {
    const { data_dir: dataDir } = invocation.sources.flags as { data_dir?: string }
    process.stderr.write(`chronym: ${withDaemon(masked(describe(error)), { dataDir })}\n`)
    const isUsage = error instanceof PathError || (error instanceof ServiceError && error.code === 'SVC-CFG-001')
    return isUsage ? EXIT_USAGE : EXIT_FAILED
  }
  for (const warning of invocation.warnings) daemon.warn(warning)
  process.stdout.write(invocation.json ? `${JSON.stringify(daemon.summary())}\n` : banner(daemon, invocation.sources))
  manager.ready(
    () => daemon.readiness(),
    (message) => daemon.warn(message)
  )
  const reason = await Promise.race([stopSignal, daemon.lost])
  manager.stopping()
  return stopInTime(daemon, invocation.json, reason === undefined ? EXIT_FAILED : EXIT_OK)
}
