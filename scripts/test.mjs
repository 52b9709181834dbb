// npm test                                 the quick tier: a few minutes, on loopback, without packages of the system
// npm test -- --changed [--since REF]      the types, and unit tests of what changed since REF (HEAD unless named)
// npm run test:full [-- --install]         every test; installs missing packages of the system with --install or CI=true
// npm run test:long                        what takes hours: 10^5 random cases of each invariant, ignored tests of the kernel
// npm run test:hostile                     all of __test__/hostile, of which the full tier has a small part
//
// Ends with one line, `N passed, N failed`, added up from the runners' own reports. Exit code 0 only when tests ran and
// none failed.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { isQuick, QUICK_SECONDS } from '../__test__/tiers.ts'
import { byHand, missingPackages, needPackages, TEST_PACKAGES } from './packages.ts'
import { slowFiles } from './processor-times.mjs'
import { ROOT } from './toolchain.mjs'

const KNOWN = ['--changed', '--since', '--full', '--install', '--long', '--hostile']
const asked = process.argv.slice(2)
const isAsked = (option) => asked.includes(option)
const unknown = asked.find((option) => option.startsWith('-') && !KNOWN.includes(option))
if (unknown !== undefined) {
  process.stderr.write(`chronym: unknown option ${unknown}; npm test -- --help lists them\n`)
  process.exit(2)
}
if (isAsked('--changed')) {
  await import('./test-changed.ts')
  process.exit()
}

const scratch = mkdtempSync(join(tmpdir(), 'chronym-test-'))
const totals = { passed: 0, failed: 0 }
/** What failed, said again at the end: a log of a run may be kept by its last lines. */
const failures = []
let broken = false

function run(command, args) {
  return new Promise((resolve) => {
    process.stdout.write(`\n$ ${command === process.execPath ? 'node' : command} ${args.join(' ')}\n`)
    const child = spawn(command, args, { cwd: ROOT, env: process.env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      process.stdout.write(chunk)
    })
    child.on('error', (error) => resolve({ status: 1, output: String(error) }))
    child.on('close', (status) => resolve({ status: status ?? 1, output }))
  })
}

/** Debian's packages that tests use. Without them all others still run, and these fail with the same message. */
function providePackages() {
  const missing = missingPackages(TEST_PACKAGES)
  if (missing.length === 0) return
  if (isAsked('--install')) process.env.INSTALL_PACKAGES = '1'
  else if (process.env.CI !== 'true') {
    process.stdout.write(
      `\nTests fail that need packages of this system, which are missing. To install them:\n  ${byHand(missing)}\n`
    )
    return
  }
  process.stdout.write(`\ninstalling packages of this system for the tests: ${missing.join(', ')}\n`)
  try {
    needPackages(missing)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
  }
}

/** Where every crate is built for its tests, those for fuzzing too: what they share is built once. */
const target = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target')

/** libtest closes each binary with `test result: ok. 3 passed; 0 failed; ...`. */
async function cargoTest(args) {
  const { status, output } = await run('cargo', ['test', ...args])
  let failed = 0
  for (const [, name] of output.matchAll(/^test (\S+)(?: - .*)? \.\.\. FAILED$/gm)) failures.push(name)
  for (const match of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)) {
    totals.passed += Number(match[1])
    failed += Number(match[2])
  }
  totals.failed += failed
  // A run that did not build or was cut short failed without a count of its own.
  if (status !== 0 && failed === 0) broken = true
}

const firstLineOf = (text = '') => text.split('\n', 1)[0]

async function vitest(args) {
  const report = join(scratch, 'vitest.json')
  const { status } = await run(process.execPath, [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...args,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`
  ])
  let result
  try {
    result = JSON.parse(readFileSync(report, 'utf8'))
  } catch (error) {
    process.stderr.write(`vitest left no report: ${error.message}\n`)
    broken = true
    return
  }
  for (const { name, message, assertionResults } of result.testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    const file = relative(ROOT, name)
    for (const each of failed) failures.push(`${file} > ${each.fullName}: ${firstLineOf(each.failureMessages[0])}`)
    if (failed.length === 0 && message !== '') failures.push(`${file}: ${firstLineOf(message)}`)
  }
  totals.passed += result.numPassedTests
  totals.failed += result.numFailedTests
  if (status !== 0 && result.numFailedTests === 0) broken = true
}

/** A program whose exit code says whether it passed: one test. */
async function check(name, args) {
  const { status } = await run(process.execPath, args)
  if (status === 0) totals.passed++
  else {
    totals.failed++
    failures.push(name)
  }
}

/** Types of the sources and tests, of the page, and of the page's tests. */
async function types() {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  const record = join('node_modules', '.cache', 'chronym', 'types.tsbuildinfo')
  await check('types', [tsc, '-p', '.', '--incremental', '--tsBuildInfoFile', record])
  for (const folder of ['src/web/assets', '__test__/web/assets']) await check(`types of ${folder}`, [tsc, '-p', folder])
}

const timesFile = join(scratch, 'times')

/** By file, what __test__/processor-time.ts wrote since the last call. */
function takeTimes() {
  if (!existsSync(timesFile)) return []
  const lines = readFileSync(timesFile, 'utf8').trim().split('\n')
  rmSync(timesFile)
  return lines.map((line) => JSON.parse(line)).map(({ file, seconds }) => [relative(ROOT, file), seconds])
}

/** Names quick files that have become slow by themselves: each that took long beside others runs twice more, alone. */
async function nameSlowFiles() {
  const times = new Map(
    takeTimes()
      .filter(([file]) => isQuick(file))
      .map(([file, seconds]) => [file, [seconds]])
  )
  for (const file of slowFiles(times, QUICK_SECONDS))
    for (let again = 0; again < 2; again++) {
      const vitest = join('node_modules', 'vitest', 'vitest.mjs')
      await run(process.execPath, [vitest, 'run', '--project', 'unit', '--reporter=dot', file])
      for (const [, seconds] of takeTimes()) times.get(file).push(seconds)
    }
  const slow = slowFiles(times, QUICK_SECONDS)
  if (slow.length === 0) return
  const names = slow.map((file) => `\n  ${file}: ${times.get(file).join(', ')} s`)
  process.stdout.write(
    `\nThese files of the quick tier take more than ${QUICK_SECONDS} s of a processor; make them faster, or give them a line in ` +
      `__test__/tiers.ts:${names.join('')}\n`
  )
}

/** With the binding, which has no tests: what the addon is built of is chosen as for the addon, so it is there already. */
const RUST = ['--workspace']
/** The libraries' own tests, and chiavdf's vectors. */
const QUICK_RUST = [...RUST, '--lib', '--test', 'vectors']
// Approximations made poor on purpose, so that every rare path of the fast squaring is taken.
const STRESS = ['-p', 'chronym-vdf', '--features', 'stress']
if (isAsked('--hostile')) {
  const all = { WORK: 'whole', KILLS: '1000', CUTS: '200', REAL_KILLS: '10', PAGES: '200', FULL: '0', FILES: '0' }
  Object.assign(all, { ROUTER_ANSWERS: '250000', ROUTER_ATTEMPTS: '12' })
  Object.assign(all, { PEER_SECONDS: '60', PEER_REST_SECONDS: '120', PEER_MUTATIONS: '1000000' })
  for (const [name, value] of Object.entries(all)) process.env[`HOSTILE_${name}`] ??= value
  process.env.HOSTILE_SEED ??= String(Date.now() % 2 ** 31)
  await vitest(['--project', 'hostile'])
} else if (isAsked('--long')) {
  // The steps ordered by hand: every other test runs those that are faster here.
  process.env.CHRONYM_VDF_STEPS = 'ordered'
  await cargoTest(['--release', ...RUST, '--', '--ignored'])
  delete process.env.CHRONYM_VDF_STEPS
  await cargoTest(['--release', ...STRESS, '--', '--ignored'])
  process.env.PROPERTY_RUNS ??= '100000'
  // One seed for all, so that the whole run can be repeated.
  process.env.PROPERTY_SEED ??= String(Date.now() % 2 ** 31)
  await vitest(['--project', 'unit', '__test__/properties', '--testTimeout', '7200000', '--maxWorkers', '100%'])
  process.env.SIM_SCHEDULES ??= '10000'
  process.env.SIM_SEED ??= String(Date.now() % 2 ** 31)
  await vitest(['--project', 'unit', 'lab/__test__/sim/search/schedules.test.ts', '--testTimeout', '7200000'])
  process.env.NETWORK_SEED ??= String(Date.now() % 2 ** 31)
  // Twenty daemons, and fifty nodes in one process.
  Object.assign(process.env, { NETWORK_NODES: '20', CLUSTER_NODES: '50', COMPARED_NODES: '50' })
  await vitest(['--project', 'e2e', '__test__/e2e/network.test.ts'])
  await vitest(['--project', 'long'])
  await vitest(['--project', 'unit', '__test__/cluster/many-nodes.test.ts', 'lab/__test__/compared'])
} else if (isAsked('--full')) {
  providePackages()
  process.env.TEST_TIMES = timesFile
  await types()
  await cargoTest(RUST)
  await cargoTest([...STRESS, '--lib', '--', 'lattice', 'form'])
  // Every input that fuzzing starts from or once failed on. Our profiles go to those workspaces by `--config`.
  for (const crate of ['vdf', 'dns', 'https']) {
    const workspace = ['--config', 'Cargo.toml', '--manifest-path', `crates/${crate}/fuzz/Cargo.toml`]
    const fuzz = [...workspace, '--target-dir', target]
    await cargoTest([...fuzz, '--no-default-features', '--locked', '--tests'])
  }
  // The emulator of lab/__test__/wan/wide-area.test.ts.
  if (process.platform === 'linux')
    await cargoTest(['--manifest-path', 'lab/wan/Cargo.toml', '--target-dir', target, '--locked'])
  await vitest(['--project', 'unit', '--maxWorkers', '100%'])
  await nameSlowFiles()
  // After them: real processes must not compete with all cores' work for the processor.
  await vitest(['--project', 'e2e*'])
  // A minute of what `--hostile` runs; its shim takes Linux.
  const few = ['cuts', 'full-disk', 'router', 'peers', 'mutated-peers'].map(
    (file) => `__test__/hostile/${file}.test.ts`
  )
  const parts = 'misses nothing|half-written|damaged page|whole or not at all|router|gateway is hostile|strangers'
  if (process.platform === 'linux') await vitest(['--project', 'hostile', ...few, '-t', parts])
  else process.stdout.write('\n__test__/hostile is not run: it takes Linux\n')
  await check('the HTTP interface against its document (npm run test:schema)', [join('scripts', 'test-schema.ts')])
  if (process.platform === 'linux')
    await check('installing, upgrading and uninstalling (npm run test:install)', [join('scripts', 'test-install.ts')])
} else {
  // Side by side: the compiler of types uses one core.
  await Promise.all([types(), cargoTest(QUICK_RUST)])
  process.env.PROPERTY_RUNS ??= '100'
  // Half as many again as cores: a test that waits for a socket leaves its core to another.
  await vitest(['--project', 'quick*', '--maxWorkers', String(Math.ceil(1.5 * availableParallelism()))])
  process.stdout.write(
    '\nNot run: whole networks, attacks on them, the lab, browsers, resolvers, crashes, a thousand cases of each property.\n' +
      'npm run test:full runs them too, in half an hour; it names the packages of the system that it needs.\n'
  )
}
rmSync(scratch, { recursive: true, force: true })

for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`)
if (broken) process.stderr.write('\nA runner ended with an error that is not a failed test; see above.\n')
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`)
process.exit(broken || totals.failed > 0 || totals.passed === 0 ? 1 : 0)
