/** Whether the running daemon is of this version; where none runs, whether one could listen. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { existsSync } from 'node:fs'
import { UnreachableError } from '../../api/client/client.ts'
import { configuredDns } from '../../config/dns.ts'
import { type SocketAddress, socketAddressText } from '../../config/socket-address.ts'
import { VERSION } from '../../version.ts'
import { connect } from '../connection/connect.ts'
import { localConfig, localFields, localPaths } from '../connection/location.ts'
import type { Context } from '../context.ts'
import { failed, type Finding, nodeFinding, ok, problem, report, warning } from './findings.ts'
import type { ExitCode } from '../failures/failure.ts'
import { checkComputing } from './compute.ts'
import { checkFiles } from './files.ts'

const PROBE_TIMEOUT_MS = 3_000

async function checkDaemon(context: Context): Promise<Finding[]> {
  try {
    const client = connect(context)
    const { version } = await client.health({ signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    if (version === VERSION) return [ok('daemon', `answers at ${client.baseUrl}, version ${version}`)]
    return [
      problem(
        'daemon',
        `the daemon at ${client.baseUrl} has version ${version}, and this is ${VERSION}`,
        'Restart the daemon, so that it runs the installed version.'
      )
    ]
  } catch (error) {
    if (!(error instanceof UnreachableError)) return [failed('daemon', error)]
    return [ok('daemon', error.message), await checkPorts(context)]
  }
}

/** Checks the configured ports. Without any, the daemon takes a free one for peers and DNS. */
async function checkPorts(context: Context): Promise<Finding> {
  const name = 'ports'
  try {
    const config = localConfig(context)
    const dns = configuredDns(config)
    const wanted: SocketAddress[] = [
      { address: config.api.host, port: config.api.port },
      ...config.p2p.listen.flatMap(tcpOf),
      ...(dns?.listen ?? []),
      ...(dns?.tlsListen ?? []),
      ...(dns?.httpsListen ?? [])
    ]
    const faults = (await Promise.all(wanted.map(listenFault))).filter((fault) => fault !== undefined)
    if (faults.length === 0) return ok(name, `free: ${wanted.map(socketAddressText).join(', ')}`)
    return problem(
      name,
      faults.join('; '),
      'Stop the program that has it, or change api.port, p2p.listen or dns.listen in the configuration.'
    )
  } catch (error) {
    return failed(name, error)
  }
}

function tcpOf(multiaddr: string): SocketAddress[] {
  const [, , address, transport, port] = multiaddr.split('/')
  return address !== undefined && transport === 'tcp' ? [{ address, port: Number(port) }] : []
}

/** Why a TCP server cannot listen there; undefined where it can. */
async function listenFault(wanted: SocketAddress): Promise<string | undefined> {
  const server = createServer()
  try {
    await once(server.listen({ host: wanted.address, port: wanted.port, exclusive: true }), 'listening')
    return undefined
  } catch (error) {
    return `${socketAddressText(wanted)} cannot be listened on (${(error as NodeJS.ErrnoException).code})`
  } finally {
    server.close()
  }
}

/** What a daemon started here would read from file and environment. */
function checkConfig(context: Context): Finding {
  try {
    const set = localFields(context).filter(({ source }) => source !== 'default')
    const detail = set.length === 0 ? 'all defaults' : set.map(({ field, source }) => `${field} (${source})`).join(', ')
    return ok('config', `valid: ${detail}`)
  } catch (error) {
    return failed('config', error)
  }
}

async function checkDirectory(context: Context): Promise<Finding> {
  const name = 'data'
  try {
    const { root, database } = localPaths(context)
    if (!existsSync(database)) return ok(name, `${root} is not used yet`)
    const { readSchemaVersion } = await import('../../store/inspect.ts')
    const { SCHEMA_VERSION } = await import('../../store/migrate.ts')
    const version = readSchemaVersion(database)
    if (version === SCHEMA_VERSION) return ok(name, `${root} can be read; schema ${version}, as of this version`)
    return warning(
      name,
      `${root} has schema ${version}, and this version writes ${SCHEMA_VERSION}`,
      'The next start of the daemon moves it forward, after a copy beside it. Make a backup first: chronym backup.'
    )
  } catch (error) {
    return failed(name, error)
  }
}

/** The checks of `chronym self-check`, for after an installation or upgrade. None of them changes anything. */
export async function runSelfCheck(context: Context): Promise<ExitCode> {
  return report(context, [
    nodeFinding(),
    checkFiles(),
    ...(await checkComputing()),
    checkConfig(context),
    await checkDirectory(context),
    ...(await checkDaemon(context))
  ])
}
