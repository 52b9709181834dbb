/** Where programs of a machine look for authorities, and how one gets in and out. */
import { join } from 'node:path'
import type { Command, Host } from '../dns/setup/host.ts'

/** A certificate that is to be trusted, or no longer. */
export interface Trusted {
  /** What stores call it: it has digits of the key, so it is of one machine alone. */
  readonly nickname: string
  /** Path of the PEM file. */
  readonly file: string
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

export function trustInBrowsers(host: Host, home: string, { nickname, file }: Trusted): StoreChange[] {
  const failures = makeSharedDatabase(host, home)
  const changes = nssDatabases(host, home).map((path): StoreChange => {
    const found = look(host, path, nickname)
    if (found !== 'absent') return found === 'there' ? { store: path, state: 'kept' } : found
    // For servers alone, not for mail and programs.
    const added = host.run(['certutil', '-A', '-d', `sql:${path}`, '-n', nickname, '-t', 'C,,', '-i', file])
    return added?.code === 0 ? { store: path, state: 'added' } : failed(path, added?.output)
  })
  return [...failures, ...changes]
}

export function distrustInBrowsers(host: Host, home: string, { nickname }: Trusted): StoreChange[] {
  return nssDatabases(host, home).flatMap((path): StoreChange[] => {
    const found = look(host, path, nickname)
    if (found !== 'there') return found === 'absent' ? [] : [found]
    const removed = host.run(['certutil', '-D', '-d', `sql:${path}`, '-n', nickname])
    return [removed?.code === 0 ? { store: path, state: 'removed' } : failed(path, removed?.output)]
  })
}

/** Stores of browsers without it. */
export function untrustingStores(host: Host, home: string, { nickname }: Trusted): string[] {
  return nssDatabases(host, home).filter((path) => look(host, path, nickname) !== 'there')
}

/** Whether a store has it. One that does not say so may have it: that is a failure. */
function look(host: Host, path: string, nickname: string): 'there' | 'absent' | StoreChange {
  const result = host.run(['certutil', '-L', '-d', `sql:${path}`, '-n', nickname])
  if (result?.code === 0) return 'there'
  return /could not find/iu.test(result?.output ?? '') ? 'absent' : failed(path, result?.output)
}

/** Directories of the system's own authorities, with what makes programs see a change. */
const SYSTEM_STORES: readonly { readonly directory: string; readonly update: Command }[] = [
  // Debian, Ubuntu, Alpine
  { directory: '/usr/local/share/ca-certificates', update: ['update-ca-certificates'] },
  // Fedora, RHEL
  { directory: '/etc/pki/ca-trust/source/anchors', update: ['update-ca-trust'] },
  // Arch
  { directory: '/etc/ca-certificates/trust-source/anchors', update: ['update-ca-trust'] }
]

const systemFile = (directory: string, { nickname }: Trusted): string =>
  join(
    directory,
    `${nickname
      .replaceAll(/[^a-z0-9]+/giu, '-')
      .replaceAll(/^-|-$/gu, '')
      .toLowerCase()}.crt`
  )

export function trustInSystem(host: Host, trusted: Trusted): StoreChange {
  const store = SYSTEM_STORES.find(({ directory }) => host.exists(directory))
  if (store === undefined)
    return { store: 'system', state: 'failed', reason: 'this system has no store that this command knows' }
  const path = systemFile(store.directory, trusted)
  if (host.read(path) === trusted.pem) return { store: path, state: 'kept' }
  host.write(path, trusted.pem)
  return updated(host, path, store.update, 'added')
}

export function distrustInSystem(host: Host, trusted: Trusted): StoreChange[] {
  return SYSTEM_STORES.flatMap(({ directory, update }): StoreChange[] => {
    const path = systemFile(directory, trusted)
    if (host.read(path) === undefined) return []
    if (!host.mayWrite) return [{ store: path, state: 'failed', reason: 'this needs root' }]
    host.remove(path)
    return [updated(host, path, update, 'removed')]
  })
}

function updated(host: Host, store: string, command: Command, state: 'added' | 'removed'): StoreChange {
  const ran = host.run(command)
  return ran === undefined || ran.code === 0 ? { store, state } : failed(store, `${command[0]}: ${ran.output}`)
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
