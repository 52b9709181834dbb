/** The resolvers of a machine that can send one domain to the daemon: how each is found, and what it needs. Pure. */
import type { Command, Host } from './host.ts'
import type { ConfigFile, Route } from '../route.ts'

export const SYSTEM_IDS = [
  'systemd-resolved',
  'networkmanager-dnsmasq',
  'dnsmasq',
  'unbound',
  'macos',
  'windows',
  'resolv.conf'
] as const
export type SystemId = (typeof SYSTEM_IDS)[number]

/** Why a route cannot be set up here, and what would help. */
export interface Obstacle {
  readonly detail: string
  readonly cure: string
}

export interface Plan {
  readonly files: readonly ConfigFile[]
  /** Says whether the resolver takes its configuration, before it has to. */
  readonly check?: Command
  /** What makes the resolver read its files, or what does the work where there are none. */
  readonly commands: readonly Command[]
  readonly remarks: readonly string[]
  readonly obstacle?: Obstacle
}

export interface System {
  readonly id: SystemId
  /** Why it is taken for present, or undefined. */
  find(host: Host): string | undefined
  /** Whether the programs of this machine ask it first. */
  isAsked(host: Host): boolean
  plan(host: Host, route: Route): Plan
}

/** A system whose files this command writes and takes back. */
export interface WrittenSystem extends System {
  /** Where its files are. */
  readonly directories: readonly string[]
  /** What follows the removal of its files. */
  undo(host: Host): readonly Command[]
}

/** Lines of a file that are not comments. */
export function settings(text: string | undefined): string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#;]/u.test(line))
}

/** The nameservers of resolv.conf, in their order. */
export function nameservers(host: Host): string[] {
  return settings(host.read('/etc/resolv.conf')).flatMap((line) => {
    const [word, address] = line.split(/\s+/u)
    return word === 'nameserver' && address !== undefined ? [address] : []
  })
}

/** A server on this machine that is not systemd-resolved's stub. */
export function asksLoopback(host: Host): boolean {
  return nameservers(host)
    .slice(0, 1)
    .some((address) => address === '::1' || (address.startsWith('127.') && !RESOLVED_STUBS.has(address)))
}

/** systemd-resolved.service(8): the stub, and the one that only forwards. */
export const RESOLVED_STUBS: ReadonlySet<string> = new Set(['127.0.0.53', '127.0.0.54'])
