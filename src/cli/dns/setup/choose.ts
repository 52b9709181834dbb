/** Which resolver of this machine is meant. Pure. */
import type { Host } from './host.ts'
import { dnsmasq, managedDnsmasq } from './dnsmasq.ts'
import { macos, plainResolvConf, windows } from './others.ts'
import { resolved } from './resolved.ts'
import type { System, SystemId } from './systems.ts'
import { unbound } from './unbound.ts'
import { EXIT, Failure } from '../../failures/failure.ts'

/** The first found that programs ask wins, else the first found. */
export const SYSTEMS: readonly System[] = [macos, windows, resolved, managedDnsmasq, dnsmasq, unbound, plainResolvConf]

export interface Found {
  readonly system: System
  readonly because: string
  readonly isAsked: boolean
}

export function findSystems(host: Host): Found[] {
  return SYSTEMS.flatMap((system) => {
    const because = system.find(host)
    return because === undefined ? [] : [{ system, because, isAsked: system.isAsked(host) }]
  })
}

/** `wanted` is taken even where it was not found. Throws CLI-DNS-001 where there is none. */
export function chooseSystem(found: readonly Found[], wanted: SystemId | undefined): System {
  if (wanted !== undefined) return SYSTEMS.find(({ id }) => id === wanted)!
  const first = found.find(({ isAsked }) => isAsked) ?? found[0]
  if (first === undefined)
    throw new Failure('CLI-DNS-001', 'no resolver that this command knows was found', {
      exitCode: EXIT.refused,
      cure: 'Name it with --system, or take the lines of chronym dns anchor --for.'
    })
  return first.system
}
