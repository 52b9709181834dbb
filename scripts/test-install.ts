/**
 * `npm run test:install`: packs, then walks in a fresh tree without compilers through installing, starting by the unit
 * file, registering, backing up, upgrading and uninstalling. Prints each step with its time. Exit code 0 only when every
 * step held. Linux; a minute or two.
 */
import { strict as assert } from 'node:assert'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { readUnit, Service } from './install/unit.ts'
import { pack, setVersion, stage, type Tarballs } from './install/staging.ts'
import { Tree } from './install/tree.ts'
import { ROOT } from './program.ts'
import { directoryBytes } from './install/size.ts'

const NAME = 'alice.chronym'
const PASSPHRASE = 'a passphrase for the walk'
/** Of the installed packages; it was 89 MB once. */
const SIZE_LIMIT_MB = 45
const MB = 1_000_000

const scratch = mkdtempSync(join(tmpdir(), 'chronym-install-'))
const staging = join(scratch, 'checkout')
const tree = new Tree(join(scratch, 'tree'))
const log: string[] = []
let service: Service | undefined

async function step<T>(words: string, work: () => Promise<T> | T): Promise<T> {
  const begin = performance.now()
  process.stdout.write(`${words} ... `)
  const result = await work()
  process.stdout.write(`${((performance.now() - begin) / 1000).toFixed(1)} s\n`)
  return result
}

function show(line: string): void {
  process.stdout.write(`    ${line}\n`)
}

function nextPatch(version: string): string {
  const [major, minor, patch] = version.split('.').map(Number)
  return `${major}.${minor}.${patch! + 1}`
}

const install = ({ main, platform }: Tarballs): Promise<string> =>
  tree.must('npm', ['install', '--global', main, platform])

async function startService(): Promise<void> {
  const packaged = join(tree.prefix, 'lib/node_modules/chronym/docs/operate/systemd/chronymd.service')
  const unit = readUnit(packaged, {
    '%S': join(tree.root, 'var/lib'),
    '%E': join(tree.root, 'etc'),
    '%C': join(tree.root, 'var/cache')
  })
  const program = join(tree.prefix, 'bin', unit.command[0]!)
  service = await Service.start(
    { ...unit, command: [program, ...unit.command.slice(1)] },
    { runtime: join(tree.root, 'run'), env: tree.environment, log: (text) => log.push(text) }
  )
}

async function stopService(): Promise<void> {
  assert.equal(await service?.stop(), 0, 'the daemon stops in order')
  service = undefined
}

interface SelfCheck {
  readonly healthy: boolean
  readonly checks: readonly { name: string; state: string; detail: string }[]
}

async function selfCheck(): Promise<SelfCheck & { readonly code: number }> {
  const { code, stdout } = await tree.run('chronym', ['--data-dir', tree.data, '--json', 'self-check'])
  return { code, ...(JSON.parse(stdout) as SelfCheck) }
}

async function withoutAddon({ main }: Tarballs): Promise<void> {
  const empty = new Tree(join(scratch, 'no-addon'))
  await empty.must('npm', ['install', '--global', main])
  const { code, stderr } = await empty.run('chronym', ['vdf', 'bench', '--json'])
  assert.notEqual(code, 0)
  assert.match(stderr, /no native addon for .*chronym-\*\.tgz.*npm rebuild chronym/s)
  show(stderr.trim().split('\n')[0]!)
}

async function walk(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const next = nextPatch(version)
  const first = await step(`pack ${version}`, () => {
    stage(staging)
    return pack(staging, join(scratch, 'out'), version)
  })
  const second = await step(`pack ${next}, for the upgrade`, () => {
    setVersion(staging, next)
    return pack(staging, join(scratch, 'out'), next)
  })
  await step('install without the addon and without cargo: one clear sentence', () => withoutAddon(first))
  await step('npx from the tarballs', async () => {
    const packages = [first.main, first.platform].flatMap((tarball) => ['--package', tarball])
    assert.equal((await tree.must('npx', ['--yes', ...packages, 'chronym', '--version'])).trim(), version)
  })

  await step(`install ${version}, offline`, () => install(first))
  const megabytes = directoryBytes(join(tree.prefix, 'lib/node_modules')) / MB
  show(`${megabytes.toFixed(1)} MB installed`)
  assert.ok(megabytes < SIZE_LIMIT_MB, `more than ${SIZE_LIMIT_MB} MB`)
  await step('the addon has the licences of what is linked in', () => {
    const scope = join(tree.prefix, 'lib/node_modules/@chronym')
    const [addon] = readdirSync(scope)
    assert.match(
      readFileSync(join(scope, addon!, 'LICENSE-crates.txt'), 'utf8'),
      /\nring [\d.]+ \(Apache-2.0 AND ISC\)\n/
    )
  })
  await step('publint finds nothing wrong', async () => {
    // Its suggestion to leave the field `browser` does not fit: `imports` would lead a checkout to dist.
    const pkgDir = join(tree.prefix, 'lib/node_modules/chronym')
    const { messages } = await publint({ pkgDir, pack: false, level: 'warning' })
    // Modules for pages look strange to it where they are others'.
    const ours = messages.filter((message) => !JSON.stringify(message).includes('dist/node_modules'))
    assert.deepEqual(ours, [])
  })
  await step('self-check before the first start', async () => {
    const found = await selfCheck()
    assert.ok(found.healthy && found.code === 0, JSON.stringify(found))
  })
  writeFileSync(
    join(tree.config, 'config.toml'),
    'network = "local"\n[api]\nport = 0\n[p2p]\nlisten = ["/ip4/127.0.0.1/tcp/0"]\n[dns]\nenabled = false\n'
  )
  await step('start by the unit file', startService)
  await step(`register ${NAME}`, () => tree.must('chronym', ['--data-dir', tree.data, 'register', NAME, '--yes']))
  await step('publish a record', () => tree.chronym('zone', 'add', NAME, 'www', 'A', '192.0.2.10', '--publish'))
  await step('back up', () => {
    writeFileSync(join(tree.root, 'home/passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 })
    const passphrase = ['--passphrase-file', join(tree.root, 'home/passphrase')]
    return tree.must('chronym', ['--data-dir', tree.data, 'backup', join(tree.root, 'home/names.age'), ...passphrase])
  })

  await step(`upgrade to ${next}, while ${version} runs`, () => install(second))
  await step('self-check: the daemon has yet to be restarted', async () => {
    const { code, checks } = await selfCheck()
    assert.equal(code, 1)
    const failed = checks.filter(({ state }) => state === 'failed')
    assert.deepEqual(
      failed.map(({ name }) => name),
      ['daemon'],
      JSON.stringify(failed)
    )
    show(failed[0]!.detail)
  })
  await step('restart', async () => {
    await stopService()
    await startService()
  })
  await step('self-check: everything agrees', async () => {
    const found = await selfCheck()
    assert.ok(found.healthy && found.code === 0, JSON.stringify(found))
    for (const { name, detail } of found.checks) show(`${name}: ${detail}`)
  })
  await step('the name and its zone are still there', async () => {
    assert.match(JSON.stringify(await tree.chronym('names')), new RegExp(NAME.replace('.', '\\.')))
    assert.match(JSON.stringify(await tree.chronym('zone', 'get', NAME)), /192\.0\.2\.10/)
  })
  await step('the backup restores elsewhere', async () => {
    const passphrase = ['--passphrase-file', join(tree.root, 'home/passphrase'), '--yes']
    const elsewhere = join(tree.root, 'tmp/restored')
    await tree.must('chronym', ['--data-dir', elsewhere, 'restore', join(tree.root, 'home/names.age'), ...passphrase])
    rmSync(elsewhere, { recursive: true })
  })

  await step('stop, uninstall', async () => {
    await stopService()
    await tree.must('npm', ['uninstall', '--global', 'chronym', '--no-save'])
    await tree.must('npm', [
      'uninstall',
      '--global',
      `@chronym/native-${second.platform.replace(/^.*native-|-[\d.]+\.tgz$/g, '')}`
    ])
  })
  await step('nothing is left but data, cache, configuration and backup', () => {
    const kept =
      /^(?:var\/(?:lib|cache)\/chronym\/|etc\/chronym\/config\.toml$|home\/(?:names\.age$|passphrase$|\.cache\/chronym\/))/
    const left = tree.leftovers()
    assert.deepEqual(
      left.filter((path) => !kept.test(path)),
      []
    )
    assert.ok(left.includes('var/lib/chronym/chronym.db') && left.includes('var/lib/chronym/seed-words'))
    show(`${left.filter((path) => path.startsWith('var/')).length} files in the data directory`)
  })
}

mkdirSync(scratch, { recursive: true })
try {
  await walk()
  process.stdout.write('\nall steps held\n')
} catch (error) {
  process.stdout.write('failed\n')
  process.stderr.write(
    `${log.slice(-40).join('')}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
  )
  process.exitCode = 1
} finally {
  await service?.stop()
  rmSync(scratch, { recursive: true, force: true })
}
