/**
 * npm run test:schema -- [--examples 130] [--seed N]
 *
 * Holds a real daemon against its own OpenAPI document with schemathesis, stateful, with the main token and without: no
 * 5xx, nothing undocumented. A hundred and thirty examples an operation make some 5,000 cases each time. Needs python3
 * with venv; the first run installs schemathesis under target/.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cleanEnvironment, end, firstLine, passErrorsOn, ROOT, run, type DaemonSummary } from './program.ts'

const VERSION = '4.32.5'
const VENV = join(ROOT, 'target', `schemathesis-${VERSION}`)
const BIN = join(VENV, process.platform === 'win32' ? 'Scripts' : 'bin')

/**
 * Streams do not end; a token that is replaced, and a configuration of mode offline, would leave nothing to test; no
 * DNS message is made from a schema.
 */
const LEFT_OUT = [
  ...['--exclude-path-regex', '(/events|/tokens/rotate)$'],
  ...['--exclude-operation-id', 'postApiConfig', '--exclude-operation-id', 'postDnsQuery']
]
/** A value that fits the schema may still be no name, DID or signature: such refusals are documented and no failure. */
const CHECKS = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance,object_level_authorization']

/**
 * A condition or a size may refuse a request before its body is looked at: 412 and 413 are not among schemathesis's
 * own. W3C DID Resolution answers 501 for an option that is not known. A zone that breaks a rule is what /check answers
 * about, with 200.
 */
const SETTINGS = `
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429]

[[operations]]
include-path = "/1.0/identifiers/{did}"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]

[[operations]]
include-path = "/api/zone/{name}/check"
checks.negative_data_rejection.expected-statuses = [200, 400, 401, 403, 404, 413, 415, 429]
`

const { values } = parseArgs({ options: { examples: { type: 'string', default: '130' }, seed: { type: 'string' } } })

function install(): void {
  if (existsSync(join(BIN, 'schemathesis')) || existsSync(join(BIN, 'schemathesis.exe'))) return
  for (const [command, args] of [
    ['python3', ['-m', 'venv', VENV]],
    [
      join(BIN, 'python'),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]
    ]
  ] as const) {
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0) {
      rmSync(VENV, { recursive: true, force: true })
      throw new Error(
        `schemathesis ${VERSION} could not be installed: python3 with venv and pip is needed ` +
          '(Debian: apt-get install python3-venv)'
      )
    }
  }
}

async function check(daemon: DaemonSummary, token: string | undefined): Promise<boolean> {
  process.stdout.write(`\nschemathesis ${token === undefined ? 'without a token' : 'with the main token'}\n`)
  const header = token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]
  const seed = values.seed === undefined ? [] : ['--seed', values.seed]
  const args = [
    'run',
    `${daemon.api_url}/openapi.json`,
    ...CHECKS,
    ...LEFT_OUT,
    ...header,
    ...seed,
    '--max-examples',
    values.examples,
    '--continue-on-failure',
    '--request-timeout',
    '10',
    '--warnings',
    'off'
  ]
  const child = spawn(join(BIN, 'schemathesis'), args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: cleanEnvironment(),
    cwd: directory
  })
  const [status] = (await once(child, 'close')) as [number | null]
  return status === 0
}

install()
const directory = mkdtempSync(join(tmpdir(), 'chronym-schema-'))
writeFileSync(join(directory, 'schemathesis.toml'), SETTINGS)
let child: ChildProcess | undefined
try {
  child = run('scripts/unlimited-daemon.ts', ['--data-dir', join(directory, 'data')])
  passErrorsOn(child)
  const daemon = await firstLine<DaemonSummary>(child)
  const passed = [await check(daemon, readFileSync(daemon.token_file, 'utf8').trim()), await check(daemon, undefined)]
  if (child.exitCode !== null) process.stderr.write('The daemon ended during the test.\n')
  process.exitCode = passed.every(Boolean) && child.exitCode === null ? 0 : 1
} finally {
  if (child !== undefined) await end(child, 'SIGTERM')
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}
