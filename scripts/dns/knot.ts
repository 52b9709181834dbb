/** A Knot of its own on loopback: the name server that ours is held against. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OWN_HOST } from '../loopback.ts'
import { programOf } from '../packages.ts'
import { end } from '../program.ts'
import { askUdp, type Server } from './ask.ts'
import { decodeReply, encodeQuery } from './message.ts'

/** `static`: signed when loaded. `online`: signed answer by answer, with minimal proofs of absence. */
export type Signing = 'none' | 'static' | 'online'

export interface Zone {
  /** With its closing dot. */
  readonly name: string
  /** Master file. */
  readonly text: string
  readonly signing: Signing
}

interface KnotOptions {
  readonly directory: string
  readonly zones: readonly Zone[]
  /** PKCS#8 PEM of a P-256 key: signs the zones that are signed. */
  readonly key: string
  /** CPU that all its threads are bound to. */
  readonly cpu?: number
}

export interface Knot extends Server {
  readonly pid: number
  stop(): Promise<unknown>
}

/** Of the one Knot of a process. */
const PORT = 20_055
/** Only what never comes is waited for as long. */
const START_MS = 300_000
/** A packet to a server that has bound its port and has no thread yet is lost. */
const LOOK_MS = 500
const FLAGS_OF_KEY = ['algorithm=ecdsap256sha256', 'ksk=yes', 'zsk=yes']
const TIMES_OF_KEY = ['created', 'publish', 'ready', 'active'].map((time) => `${time}=t-1d`)

export function knotVersion(): string {
  const { stdout } = spawnSync(programOf('knot'), ['--version'], { encoding: 'utf8' })
  return /version (\S+)/.exec(stdout)?.[1] ?? 'unknown'
}

/** Started, with every zone loaded and signed. */
export async function startKnot({ directory, zones, key, cpu }: KnotOptions): Promise<Knot> {
  const file = join(directory, 'knot.conf')
  writeFileSync(file, configuration(directory, zones, `${OWN_HOST}@${PORT}`))
  writeFileSync(join(directory, 'key.pem'), key, { mode: 0o600 })
  for (const { name, text, signing } of zones) {
    writeFileSync(join(directory, `${name}zone`), text)
    if (signing !== 'none') importKey(directory, file, name)
  }
  const child = spawn(programOf('knot'), ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  // It would outlive a bench that fails or is stopped.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('close', () => process.off('exit', kill))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  const server = { address: OWN_HOST, port: PORT }
  try {
    for (const zone of zones) await loaded(server, zone, child)
    if (cpu !== undefined) bind(child.pid!, cpu)
  } catch (error) {
    await end(child, 'SIGKILL')
    throw new Error(`Knot does not serve: ${log}`, { cause: error })
  }
  return { ...server, pid: child.pid!, stop: () => end(child, 'SIGTERM') }
}

function configuration(directory: string, zones: readonly Zone[], listen: string): string {
  const signing = {
    none: [],
    static: ['dnssec-signing: on', 'dnssec-policy: ours'],
    online: ['module: mod-onlinesign/ours']
  }
  return `server:
    rundir: "${directory}"
    listen: ${listen}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    tcp-max-clients: 1000
    nsid: "knot"
    version: "Knot DNS"
log:
  - target: stderr
    any: warning
database:
    storage: "${directory}"
policy:
  - id: ours
    manual: on
    single-type-signing: on
    algorithm: ecdsap256sha256
    cds-cdnskey-publish: none
acl:
  - id: loopback
    address: [127.0.0.0/8, "::1"]
    action: transfer
mod-onlinesign:
  - id: ours
    policy: ours
template:
  - id: default
    storage: "${directory}"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    acl: loopback
zone:
${zones
  .map(({ name, signing: kind }) =>
    [`  - domain: ${name}`, `    file: ${name}zone`, ...signing[kind].map((line) => `    ${line}`)].join('\n')
  )
  .join('\n')}
`
}

function importKey(directory: string, file: string, zone: string): void {
  const args = ['-c', file, zone, 'import-pem', join(directory, 'key.pem'), ...FLAGS_OF_KEY, ...TIMES_OF_KEY]
  const { status, stderr } = spawnSync(join(programOf('knot'), '..', 'keymgr'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`keymgr: ${stderr}`)
}

/** All its threads, once they run: Knot gives each thread a CPU when it starts, whatever it was started on. */
function bind(pid: number, cpu: number): void {
  const { status, stderr } = spawnSync(programOf('util-linux'), ['-acp', String(cpu), String(pid)], {
    encoding: 'utf8'
  })
  if (status !== 0) throw new Error(`taskset: ${stderr}`)
}

async function loaded(server: Server, { name, signing }: Zone, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS
  const query = encodeQuery(1, { name, type: 'SOA', edns: { dnssecOk: true } })
  const wanted = signing === 'none' ? 1 : 2
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    const reply = await askUdp(server, query, name, LOOK_MS).catch(() => undefined)
    if (reply !== undefined && decodeReply(reply).answer.length === wanted) return
    if (Date.now() > deadline) throw new Error(`${name} is not loaded after ${START_MS} ms`)
    await delay(50)
  }
}
