/** A daemon behind the shim, the work it does for its owner, and what must be there of it afterwards. */
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, ProblemError, type Client } from '../../src/api/client/client.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { cli } from '../cli/harness.ts'
import { Daemon, eventually, runToEnd, Scene, type Finished } from '../e2e/processes.ts'

export const ALICE = 'alice.chronym'
export const BOB = 'bob.chronym'
const ITERATIONS = 20_000
const PASSPHRASE = 'hostile to every machine'

/** Fields of `struct control` in shim.c, 8 bytes each. */
const FIELDS = ['changes', 'takers', 'kill_at', 'full_from', 'full_until', 'shift_s'] as const

/** Printed by each test, so that a run can be repeated. `npm run test:hostile` draws it. */
export const SEED = Number(process.env['HOSTILE_SEED'] ?? 1)
export const count = (name: string, few: number): number => Number(process.env[name] ?? few)

/** A folder `disk` behind the shim, with the data directory and all else that the daemon writes. */
export class HostileDisk {
  readonly scene = new Scene()
  readonly disk: string
  readonly log: string
  readonly data: string
  readonly backup: string
  readonly passphraseFile: string
  readonly profile: string
  readonly #control: number
  readonly #environment: Record<string, string>

  constructor() {
    const place = realpathSync(this.scene.directory())
    this.disk = join(place, 'disk')
    this.data = join(this.disk, 'data')
    this.backup = join(this.disk, 'backup.age')
    this.log = join(place, 'log')
    this.passphraseFile = join(place, 'passphrase')
    this.profile = join(place, 'profile.json')
    const shim = join(place, 'shim.so')
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, join(import.meta.dirname, 'shim.c'), '-ldl'])
    } catch (cause) {
      throw new Error('the hostile tests need a C compiler as `cc`, with glibc: install gcc', { cause })
    }
    mkdirSync(this.disk, { mode: 0o700 })
    writeFileSync(this.passphraseFile, PASSPHRASE, { mode: 0o600 })
    const { local } = builtInProfiles
    writeFileSync(
      this.profile,
      JSON.stringify({ ...local, id: 'hostile', difficulty: { ...local.difficulty, base: ITERATIONS } })
    )
    const control = join(place, 'control')
    writeFileSync(control, Buffer.alloc(8 * FIELDS.length))
    this.#control = openSync(control, 'r+')
    this.scene.onEnd(() => closeSync(this.#control))
    this.#environment = {
      LD_PRELOAD: shim,
      HOSTILE_ROOT: this.disk,
      HOSTILE_CONTROL: control,
      HOSTILE_LOG: this.log,
      UV_USE_IO_URING: '0'
    }
  }

  get(field: (typeof FIELDS)[number]): number {
    const bytes = Buffer.alloc(8)
    readSync(this.#control, bytes, 0, 8, 8 * FIELDS.indexOf(field))
    return Number(bytes.readBigInt64LE())
  }

  set(field: (typeof FIELDS)[number], value: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(value))
    writeSync(this.#control, bytes, 0, 8, 8 * FIELDS.indexOf(field))
  }

  /** The disk has no room from the `nth` change on that needs some, counted from 1 and from now. */
  fillAt(nth: number, changes = Infinity): void {
    const from = this.get('takers') + nth
    this.set('full_until', changes === Infinity ? Number.MAX_SAFE_INTEGER : from + changes)
    this.set('full_from', from)
  }

  free(): void {
    this.set('full_from', 0)
  }

  get logged(): number {
    return existsSync(this.log) ? statSync(this.log).size : 0
  }

  get arguments(): string[] {
    const flags = ['--network', this.profile, '--data-dir', this.data, '--seed-passphrase-file', this.passphraseFile]
    return [...flags, '--dns-enabled', 'false', '--vdf-checkpoint-seconds', '0.1']
  }

  daemon(...more: string[]): Promise<Daemon> {
    return this.scene.daemon([...this.arguments, ...more], { environment: this.#environment })
  }

  /** `started`, and killed again; or what it said when it ended by itself. */
  async failingStart(): Promise<string> {
    try {
      const daemon = await Daemon.start(this.arguments, { environment: this.#environment })
      await daemon.signal('SIGKILL')
      return 'started'
    } catch (error) {
      return (error as Error).message
    }
  }

  chronym(...args: string[]): Promise<Finished> {
    return runToEnd('src/cli/main.ts', args, {
      environment: { ...this.#environment, CHRONYM_NETWORK: this.profile }
    })
  }
}

/** What an owner sees of one thing, by a word for each. */
export type Seen = Readonly<Record<string, string>>

/** One value that was ordered and confirmed, by places in the log. */
export interface Promised {
  readonly what: string
  readonly value: string
  readonly ordered: number
  /** Infinity: never. */
  readonly confirmed: number
}

export const clientOf = (daemon: Daemon): Client =>
  createClient({ baseUrl: daemon.summary.api_url, token: daemon.token })

const zoneOf = (address: string) => ({ records: { '@': [{ type: 'A' as const, value: address }] } })

/** All that `work` changes, as the interface shows it. */
export async function look(client: Client): Promise<Seen> {
  const seen: Record<string, string> = {}
  for (const { name, renewal } of await client.names()) {
    seen[name] = String(renewal.left)
    const { records } = (await client.zone(name)).zone
    if (Object.keys(records).length > 0) seen[`zone of ${name}`] = JSON.stringify(records)
  }
  for (const { label } of await client.tokens()) if (label === 'ci') seen['token'] = 'valid'
  for (const { id } of await client.wanted()) seen['wanted'] = id
  seen['auto_renew'] = String((await client.config())['auto_renew'])
  seen['sealed'] = String((await client.seed()).sealed)
  return seen
}

export async function register(client: Client, name: string, kind: 'register' | 'renew' = 'register'): Promise<void> {
  const soon = (problem: unknown): undefined => {
    // The first pulse may take longer than a request waits for it.
    if (!(problem instanceof ProblemError && problem.status === 503)) throw problem
  }
  const begun = await eventually(
    () => client[kind](name).catch(soon),
    (task) => task !== undefined
  )
  const { status, error } = await eventually(
    () => client.task(begun!.task_id),
    (task) => task.status !== 'running'
  )
  if (status !== 'completed') throw new Error(`${name}: ${status}, ${JSON.stringify(error)}`)
}

export const publish = async (client: Client, name: string, address: string): Promise<void> => {
  await client.saveZone(name, zoneOf(address))
  await client.publishZone(name)
}

/**
 * A day of an owner, recorded. It ends with a kill. `isShort` leaves out renewing, the backup and the passphrase.
 * @param promised gets each step, also the one at which the daemon dies
 */
export async function work(disk: HostileDisk, promised: Promised[], isShort = false): Promise<void> {
  const step = async (values: Seen, act: () => Promise<unknown>): Promise<void> => {
    const ordered = disk.logged
    const steps = Object.entries(values).map(([what, value]) => ({ what, value, ordered, confirmed: Infinity }))
    promised.push(...steps)
    await act()
    for (const each of steps) each.confirmed = disk.logged
  }
  const records = (address: string): string => JSON.stringify(zoneOf(address).records)
  let daemon: Daemon
  let client: Client
  const start = async (): Promise<void> => {
    daemon = await disk.daemon()
    client = clientOf(daemon)
  }
  const chronym = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await disk.chronym('--data-dir', disk.data, ...args)
    if (code !== 0) throw new Error(stderr)
  }
  await step({ sealed: 'false', auto_renew: 'true' }, start)
  await step({ [ALICE]: '64' }, () => register(client, ALICE))
  await step({ [`zone of ${ALICE}`]: records('192.0.2.1') }, () => publish(client, ALICE, '192.0.2.1'))
  let tokenId = ''
  await step({ token: 'valid' }, async () => {
    tokenId = (await client.createToken({ scopes: ['read'], label: 'ci' })).id
  })
  await step({ auto_renew: 'false' }, () => client.changeConfig({ auto_renew: false }))
  await step({ wanted: 'carol.chronym' }, () => client.want('carol.chronym'))
  await step({ token: 'none' }, () => client.revokeToken(tokenId))
  if (isShort) {
    await daemon!.signal('SIGKILL')
    return
  }
  await step({ [ALICE]: '63' }, () => register(client, ALICE, 'renew'))
  await step({ backup: 'whole' }, () => chronym('backup', disk.backup, '--passphrase-file', disk.passphraseFile))
  await daemon!.signal('SIGTERM')
  await step({ sealed: 'true' }, () => chronym('key', 'passphrase', '--passphrase-file', disk.passphraseFile))
  await start()
  await step({ [`zone of ${ALICE}`]: records('192.0.2.2') }, () => publish(client, ALICE, '192.0.2.2'))
  await daemon!.signal('SIGKILL')
  await step({ sealed: 'false' }, () =>
    chronym('key', 'passphrase', '--remove', '--seed-passphrase-file', disk.passphraseFile)
  )
  await start()
  await step({ [BOB]: '64' }, () => register(client, BOB))
  await daemon!.signal('SIGKILL')
}

/** What each thing may be when the log was `end` bytes long: what was confirmed last, and what was ordered since. */
export function allowed(promised: readonly Promised[], end: number): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const { what, value, ordered, confirmed } of promised) {
    if (confirmed <= end) values.set(what, [value])
    else if (ordered <= end) values.set(what, [...(values.get(what) ?? ['none']), value])
    else if (!values.has(what)) values.set(what, ['none'])
  }
  return values
}

/** Starts a daemon in this process on a disk that a crash left. What it shows, and what doctor says. */
export async function revive(disk: HostileDisk, data: string): Promise<{ seen: Seen; doctor: string[] }> {
  const daemon = await startDaemon({
    file: {},
    environment: {},
    flags: {
      network: disk.profile,
      data_dir: data,
      api: { port: 0 },
      log: { level: 'fatal' },
      dns: { enabled: false },
      p2p: { mdns: false, listen: ['/ip4/127.0.0.1/tcp/0'] },
      seed: { passphrase_file: disk.passphraseFile }
    }
  })
  try {
    const { stdout } = await cli(['--json', '--data-dir', data, 'doctor'])
    const findings = (JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] }).checks
    const client = createClient({ baseUrl: daemon.apiUrl, token: readFileSync(daemon.tokenFile, 'utf8').trim() })
    const seen = await look(client)
    return {
      seen,
      // A daemon of one second has no pulse yet.
      doctor: findings
        .filter(({ state, name }) => state === 'failed' && name !== 'beacon')
        .map(({ name, detail }) => `${name}: ${detail}`)
    }
  } finally {
    await daemon.stop()
  }
}
