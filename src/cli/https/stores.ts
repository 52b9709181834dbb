/** Where programs of a machine look for authorities, and how one gets in and out. What a store holds decides, not names. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { shellWord } from '../../util/shell-commands.ts'
import type { Command, Host } from '../dns/setup/host.ts'

/** A certificate that is to be trusted, or no longer. Stores get these bytes: a file may be another one by then. */
export interface Trusted {
  /** What stores call it: it has digits of the key, so it is of one machine alone. */
  readonly nickname: string
  /** Path of the PEM file, for commands that a user runs. */
  readonly file: string
  readonly certificate: Uint8Array
  readonly pem: string
}

export interface StoreChange {
  readonly store: string
  /** `kept`: it was as it should be. */
  readonly state: 'added' | 'removed' | 'kept' | 'failed'
  readonly reason?: string
}

/** Directories of NSS databases: of Chromium and its kin, then of each Firefox profile. */
function nssDatabases(host: Host, home: string): string[] {
  const shared = ['.pki/nssdb', '.local/share/pki/nssdb', 'snap/chromium/current/.pki/nssdb'].map((path) =>
    join(home, path)
  )
  const profiles = [
    '.mozilla/firefox',
    '.config/mozilla/firefox',
    'snap/firefox/common/.mozilla/firefox',
    '.var/app/org.mozilla.firefox/.mozilla/firefox'
  ].flatMap((path) => host.list(join(home, path)).map((profile) => join(home, path, profile)))
  return [...shared, ...profiles].filter((path) => host.exists(join(path, 'cert9.db')))
}

/** The database of Chromium, which it makes itself at its first start: it must be there before. */
function makeSharedDatabase(host: Host, home: string): StoreChange[] {
  const path = join(home, '.pki/nssdb')
  if (host.exists(join(path, 'cert9.db'))) return []
  host.makePrivateDirectory(path)
  const made = host.run(['certutil', '-N', '--empty-password', '-d', `sql:${path}`])
  return made?.code === 0 ? [] : [failed(path, made?.output)]
}

function failed(store: string, output = 'nothing runs in a tree of files'): StoreChange {
  const isMissing = /ENOENT/u.test(output)
  return {
    store,
    state: 'failed',
    reason: isMissing ? 'there is no certutil: install libnss3-tools (Fedora: nss-tools), then repeat this' : output
  }
}

/** For servers alone, not for mail and programs. */
const TRUST = ['-t', 'C,,']

export function trustInBrowsers(host: Host, home: string, trusted: Trusted): StoreChange[] {
  const failures = makeSharedDatabase(host, home)
  const changes = nssDatabases(host, home).map((path): StoreChange => {
    const found = look(host, path, trusted)
    if (typeof found === 'object') return found
    if (found === 'trusted') return { store: path, state: 'kept' }
    const command = ['certutil', '-A', '-d', `sql:${path}`, '-n', trusted.nickname, ...TRUST, '-a'] as const
    const added = host.run(command, trusted.pem)
    // A store with a password takes a certificate, and trusts it only with the password.
    if (/password|authenticate/iu.test(added?.output ?? '')) return { store: path, ...locked(path, trusted) }
    if (added?.code !== 0) return failed(path, added?.output)
    const now = look(host, path, trusted)
    if (typeof now === 'object') return now
    return now === 'trusted' ? { store: path, state: 'added' } : failed(path, 'certutil added it without trust')
  })
  return [...failures, ...changes]
}

function locked(path: string, { nickname }: Trusted): Pick<StoreChange, 'state' | 'reason'> {
  const command = ['certutil', '-M', '-d', `sql:${path}`, '-n', nickname, ...TRUST].map(shellWord).join(' ')
  return { state: 'failed', reason: `it has a password of its own. Give it to this command: ${command}` }
}

export function distrustInBrowsers(host: Host, home: string, trusted: Trusted): StoreChange[] {
  return nssDatabases(host, home).flatMap((path): StoreChange[] => {
    const found = look(host, path, trusted)
    if (typeof found === 'object') return [found]
    if (found === 'absent') return []
    const removed = host.run(['certutil', '-D', '-d', `sql:${path}`, '-n', trusted.nickname])
    if (removed?.code !== 0) return [failed(path, removed?.output)]
    const now = look(host, path, trusted)
    if (typeof now === 'object') return [now]
    return [now === 'absent' ? { store: path, state: 'removed' } : failed(path, 'certutil left it there')]
  })
}

/** Stores of browsers that do not trust it. */
export function untrustingStores(host: Host, home: string, trusted: Trusted): string[] {
  return nssDatabases(host, home).filter((path) => look(host, path, trusted) !== 'trusted')
}

/** What a store has of the certificate. One that does not say so may have it: that is a failure, as is another of its name. */
function look(host: Host, path: string, { nickname, pem }: Trusted): 'trusted' | 'there' | 'absent' | StoreChange {
  const where = ['-d', `sql:${path}`] as const
  const result = host.run(['certutil', '-L', ...where, '-n', nickname, '-a'])
  if (result?.code !== 0) return /could not find/iu.test(result?.output ?? '') ? 'absent' : failed(path, result?.output)
  if (bare(result.output) !== bare(pem)) return failed(path, `it has another certificate that is called ${nickname}`)
  const listed = host.run(['certutil', '-L', ...where])
  if (listed?.code !== 0) return failed(path, listed?.output)
  const line = listed.output.split('\n').find((each) => each.startsWith(`${nickname} `))
  const [forServers = ''] = (line?.trim().split(/\s+/u).at(-1) ?? '').split(',')
  return forServers.includes('C') ? 'trusted' : 'there'
}

/** Text of PEM without what programs set differently. */
const bare = (text: string): string => text.replaceAll(/\s/gu, '')

interface SystemStore {
  readonly directory: string
  /** Makes programs see a change. */
  readonly update: Command
  /** All certificates that programs of the system trust, in one file. */
  readonly bundle: string
}

const SYSTEM_STORES: readonly SystemStore[] = [
  // Debian, Ubuntu, Alpine
  {
    directory: '/usr/local/share/ca-certificates',
    update: ['update-ca-certificates'],
    bundle: '/etc/ssl/certs/ca-certificates.crt'
  },
  // Fedora, RHEL
  {
    directory: '/etc/pki/ca-trust/source/anchors',
    update: ['update-ca-trust'],
    bundle: '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem'
  },
  // Arch
  {
    directory: '/etc/ca-certificates/trust-source/anchors',
    update: ['update-ca-trust'],
    bundle: '/etc/ca-certificates/extracted/tls-ca-bundle.pem'
  }
]

/** A name that no other certificate has, and the one of versions before. */
function systemFiles(directory: string, { nickname, certificate }: Trusted): [path: string, former: string] {
  const hash = createHash('sha256').update(certificate).digest('hex')
  const former = nickname.replaceAll(/[^a-z0-9]+/giu, '-').replaceAll(/^-|-$/gu, '')
  return [`chronym-${hash}`, former.toLowerCase()].map((name) => join(directory, `${name}.crt`)) as [string, string]
}

export function trustInSystem(host: Host, trusted: Trusted): StoreChange {
  const store = SYSTEM_STORES.find(({ directory }) => host.exists(directory))
  if (store === undefined)
    return { store: 'system', state: 'failed', reason: 'this system has no store that this command knows' }
  const files = systemFiles(store.directory, trusted)
  const path = files.find((file) => host.read(file) === trusted.pem) ?? files[0]
  if (host.read(path) === undefined && !host.exists(path)) host.write(path, trusted.pem)
  if (host.read(path) !== trusted.pem) return failed(path, 'another file has this name: move it away, then repeat this')
  if (isInBundle(host, store, trusted)) return { store: path, state: 'kept' }
  return updated(host, store, trusted, { store: path, state: 'added' })
}

export function distrustInSystem(host: Host, trusted: Trusted): StoreChange[] {
  return SYSTEM_STORES.flatMap((store): StoreChange[] => {
    const files = systemFiles(store.directory, trusted).filter((file) => host.read(file) === trusted.pem)
    if (files.length === 0 && !isInBundle(host, store, trusted)) return []
    const path = files[0] ?? store.bundle
    if (!host.mayWrite) return [{ store: path, state: 'failed', reason: 'this needs root' }]
    for (const file of files) host.remove(file)
    return [updated(host, store, trusted, { store: path, state: 'removed' })]
  })
}

function isInBundle(host: Host, { bundle }: SystemStore, { pem }: Trusted): boolean {
  return bare(host.read(bundle) ?? '').includes(bare(pem))
}

/** The change, once the bundle shows it. */
function updated(host: Host, store: SystemStore, trusted: Trusted, change: StoreChange): StoreChange {
  const ran = host.run(store.update)
  if (isInBundle(host, store, trusted) === (change.state === 'added')) return change
  const shown = change.state === 'added' ? 'does not have it' : 'still has it'
  const said = ran === undefined || ran.output === '' ? '' : `: ${ran.output}`
  return failed(change.store, `${store.bundle} ${shown} after ${store.update[0]}${said}`)
}

/** What a user of another system runs. */
export function commandsByHand(platform: NodeJS.Platform, { nickname, file }: Trusted, isUndo: boolean): string[] {
  if (platform === 'darwin')
    return isUndo
      ? [`security delete-certificate -c "${nickname}" -t`]
      : [`security add-trusted-cert -r trustRoot -p ssl -k ~/Library/Keychains/login.keychain-db "${file}"`]
  if (platform === 'win32')
    return isUndo ? [`certutil -user -delstore Root "${nickname}"`] : [`certutil -user -addstore Root "${file}"`]
  return []
}
