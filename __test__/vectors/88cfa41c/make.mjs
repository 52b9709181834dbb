// Makes the fixtures beside this file: node make.mjs CHECKOUT, where CHECKOUT is a built checkout of 88cfa41c.
// Only the programs of that checkout and their HTTP interface are used. README.md says what each fixture is for.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const CHECKOUT = resolve(process.argv[2] ?? '.')
const HERE = import.meta.dirname
const ROOT = mkdtempSync(join(tmpdir(), 'chronym-fixtures-'))
const FARM_PORT = 14_222
const FARM = `nats://127.0.0.1:${FARM_PORT}`
const at = (...parts) => join(ROOT, ...parts)
/** Read by clock-shift.ts of the checkout: a firm pin takes two looks that are ten minutes apart. */
const SHIFT = at('shift')
const setClock = (ms) => writeFileSync(SHIFT, String(ms - Date.now()))

const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHRONYM_'))),
  CLOCK_SHIFT_FILE: SHIFT,
  // `https setup` finds no browser of the person who runs this.
  HOME: at('home'),
  XDG_CONFIG_HOME: at('home', 'config'),
  XDG_DATA_HOME: at('home', 'data')
}
const node = ['--import', join(CHECKOUT, '__test__/e2e/clock-shift.ts')]
const [DAEMON, CLI] = ['src/daemon/main.ts', 'src/cli/main.ts'].map((file) => join(CHECKOUT, file))

const running = new Set()
function start(command, args, stderr = 'inherit') {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', stderr] })
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}
const ended = (child) => new Promise((done) => child.on('close', done))

async function daemon(name, ...args) {
  const dataDir = at(name)
  const own = ['--json', '--port', '0', '--mdns', 'false', '--listen', '/ip4/127.0.0.1/tcp/0', '--dns-listen']
  const child = start(process.execPath, [...node, DAEMON, ...own, '127.0.0.1:0', '--data-dir', dataDir, ...args])
  const summary = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once('line', (line) => done(JSON.parse(line)))
    child.once('close', (code) => fail(new Error(`the daemon of ${name} ended with ${code}`)))
  })
  const token = readFileSync(join(dataDir, 'access_token'), 'utf8').trim()
  const api = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${summary.api_url}${path}`, { method, headers, body: body && JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  const stop = () => {
    child.kill('SIGTERM')
    return ended(child)
  }
  return { dataDir, address: summary.addresses[0], api, stop }
}

/** A command beside the daemon of that name; its parsed answer. */
function chronym(name, ...args) {
  const command = [...node, CLI, '--data-dir', at(name), '--json', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env: environment, encoding: 'utf8' })
  if (status !== 0) throw new Error(`chronym ${args.join(' ')}: ${stderr}${stdout}`)
  return stdout === '' ? undefined : JSON.parse(stdout)
}

async function until(ask, accept) {
  for (;;) {
    const value = await ask()
    if (accept(value)) return value
    await delay(20)
  }
}

const task = (by, id) => by.api('GET', `/api/vdf/status/${id}`).then(({ body }) => body)
async function begin(by, name, more = {}) {
  const { body } = await until(
    () => by.api('POST', '/api/vdf/register', { name, ...more }),
    ({ status }) => status === 202
  )
  return body.task_id
}
async function register(by, name, more) {
  const id = await begin(by, name, more)
  const { error } = await until(
    () => task(by, id),
    ({ status }) => status !== 'running'
  )
  if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`)
}
const stateOf = async (by, name) => (await by.api('GET', '/api/names')).body.find((each) => each.name === name)?.state
const a = (value) => ({ records: { '@': [{ type: 'A', value }] } })

async function make() {
  for (const directory of ['home', 'nats', 'owner', 'backups', 'change-words']) mkdirSync(at(directory))
  setClock(Date.now())
  cpSync(join(HERE, 'given'), at('given'), { recursive: true })
  const config = readFileSync(at('given', 'config.toml'), 'utf8').replaceAll('@DIRECTORY@', ROOT)
  writeFileSync(at('config.toml'), config.replace('@FARM@', FARM))
  const passphrase = at('given', 'passphrase.txt')
  const octets = at('given', 'passphrase-cp1251.txt')

  start(
    'nats-server',
    ['--addr', '127.0.0.1', '--port', String(FARM_PORT), '--jetstream', '--store_dir', at('nats')],
    'ignore'
  )
  const peer = await daemon('peer')
  const owner = await daemon('owner', '--config', at('config.toml'), '--bootstrap', peer.address)
  await until(
    () => owner.api('GET', '/api/peers'),
    ({ body }) => body.some((each) => each.in_table)
  )

  // keys and names
  for (const name of ['owner', 'peer']) {
    writeFileSync(at('change-words', name), chronym(name, 'key', 'change-words', '--make').words)
    chronym(name, 'key', 'change-words', at('change-words', name))
  }
  const zone = {
    records: {
      '@': [
        { type: 'A', value: '192.0.2.1' },
        { type: 'MX', value: '10 mail' },
        { type: 'TXT', value: '"v=spf1 -all"' }
      ],
      mail: [{ type: 'AAAA', value: '2001:db8::1', ttl: 3600 }],
      'a.b': [{ type: 'CNAME', value: 'mail' }]
    }
  }
  await register(owner, 'alice.chronym', { zone })
  await register(owner, 'bob.chronym')
  await register(owner, 'sold.chronym', { zone: a('192.0.2.3') })
  await register(owner, 'released.chronym', { zone: a('192.0.2.4') })
  for (const name of ['pinned.chronym', 'coded.chronym', 'tentative.chronym'])
    await register(peer, name, { zone: a('192.0.2.5') })
  chronym('owner', 'release', 'released.chronym', '--yes')

  // identities
  const did = chronym('owner', 'kid', 'create', '--name', 'alice.chronym', '--publish').did
  const alone = chronym(
    'owner',
    'kid',
    'create',
    '--index',
    '1',
    '--also-known-as',
    'https://alice.example/',
    '--publish'
  ).did
  chronym(
    'owner',
    'manifest',
    'publish',
    '--did',
    did,
    '--capability',
    'chat message/send https https://alice.example/chat'
  )

  // key changes: a name that was sold, and an offer that nobody has accepted yet
  const [{ offer }] = chronym('peer', 'transfer', 'offer', 'sold.chronym')
  chronym('owner', 'transfer', 'accept', offer, '--change-words-file', at('change-words', 'owner'), '--yes')
  await until(
    () => stateOf(peer, 'sold.chronym'),
    (state) => state === 'live'
  )
  await until(
    () => stateOf(owner, 'sold.chronym'),
    (state) => state === 'changed'
  )
  const [{ offer: pending }] = chronym('owner', 'transfer', 'offer', 'pinned.chronym')

  // pins: one by its code, one seen twice, one seen once
  const code = chronym('peer', 'share', 'coded.chronym').check_code
  chronym('owner', 'pins', 'add', 'coded.chronym', code)
  const pin = async (name) => (await owner.api('GET', '/api/pins')).body.find((each) => each.name === name)
  const look = (name, state) =>
    until(
      () => owner.api('GET', `/api/resolve/${name}`).then(() => pin(name)),
      (found) => found?.state === state
    )
  const { second_look: secondLook } = await look('pinned.chronym', 'tentative')
  setClock(Date.parse(secondLook) + 1000)
  await look('pinned.chronym', 'firm')
  await look('tentative.chronym', 'tentative')

  // drafts, tokens, fields changed at run time, a commitment by hand, an authority for https
  await owner.api('POST', '/api/zone/alice.chronym', {
    records: { ...zone.records, draft: [{ type: 'TXT', value: 'not yet' }] }
  })
  const tokens = ['read', 'vdf', 'publish', 'admin'].map((scope) => ({
    scope,
    token: chronym('owner', 'token', 'create', '--scope', scope, '--label', `for ${scope}`).token
  }))
  chronym('owner', 'config', 'set', 'vdf.queue=50', 'backup.list_in=alice.chronym', 'https.allow_private=alice.chronym')
  chronym('owner', 'commit', 'by-hand.chronym')
  chronym('owner', 'https', 'setup', '--yes')
  await until(
    () => owner.api('GET', '/api/backup'),
    ({ body }) => body.kept.written_at !== null
  )

  // one task at the farm, one on this machine, both half done
  const worker = start(
    process.execPath,
    [...node, CLI, 'worker', '--farm', FARM, '--network', 'local', '--threads', '1', '--label', 'w1'],
    'ignore'
  )
  await until(
    () => owner.api('GET', '/api/farm'),
    ({ body }) => body.workers?.length === 1
  )
  const away = await begin(owner, 'away.chronym')
  await owner.api('POST', `/api/vdf/tasks/${away}/move`, { place: 'farm' })
  await until(
    () => task(owner, away),
    ({ worker: by, progress }) => by === 'w1' && progress > 50_000
  )
  worker.kill('SIGSTOP')
  const begun = await begin(owner, 'begun.chronym')
  await until(
    () => task(owner, begun),
    ({ progress }) => progress > 60_000
  )
  const [awayTask, begunTask] = [await task(owner, away), await task(owner, begun)]
  await owner.stop()
  worker.kill('SIGKILL')
  await peer.stop()

  // backups, and passphrases on seeds
  chronym('owner', 'backup', at('backups', 'made.age'), '--tasks', '--passphrase-file', passphrase)
  chronym('owner', 'backup', at('backups', 'made-octets.age'), '--passphrase-file', octets)
  chronym('owner', 'key', 'passphrase', '--passphrase-file', passphrase)
  const sealed = await daemon('octets', '--mode', 'offline')
  await sealed.stop()
  chronym('octets', 'key', 'passphrase', '--passphrase-file', octets)

  for (const each of ['owner', 'peer', 'octets', 'backups', 'change-words']) {
    rmSync(join(HERE, each), { recursive: true, force: true })
    // SQLite's own files beside a database that was closed hold nothing.
    cpSync(at(each), join(HERE, each), { recursive: true, filter: (file) => !/\.db-(?:wal|shm)$/u.test(file) })
  }
  const state = join(HERE, 'owner', 'backup-state.json')
  writeFileSync(state, readFileSync(state, 'utf8').replaceAll(ROOT, '@DIRECTORY@'))
  const facts = {
    made_at: new Date(Date.now() + Number(readFileSync(SHIFT, 'utf8'))).toISOString(),
    identities: { 'alice.chronym': did, alone },
    offer: pending,
    code,
    tokens,
    tasks: Object.fromEntries([awayTask, begunTask].map(({ name, task_id, progress }) => [name, { task_id, progress }]))
  }
  writeFileSync(join(HERE, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`)
}

try {
  await make()
} finally {
  for (const child of running) child.kill('SIGKILL')
  if (process.env.KEEP === undefined) rmSync(ROOT, { recursive: true, force: true })
}
