/**
 * Network namespaces, one a place. The hub holds three bridges. Two are sides of the wire between the places, of which
 * the second is used while it is cut. By the third this process reaches them all.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Places } from './places.ts'

const PREFIX = 'chronym-test'
const PEER_PORT = 7469
/** What runs in a namespace ends with the process that started it, or a run that is killed leaves daemons behind. */
export const ENDS_WITH_US = ['setpriv', '--pdeathsig', 'KILL'] as const
const NO_IPV6 = 'for each in all default lo; do echo 1 > /proc/sys/net/ipv6/conf/$each/disable_ipv6; done'
/** Second octet of 10/8 for our own bridge: one that this machine has no route to. The third is our own too. */
const CANDIDATES = Array.from({ length: 120 }, (_, index) => 128 + ((process.pid + index) % 120))
const THIRD = Math.floor(process.pid / 120) % 256

function ip(...args: string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What a place is like. */
export interface Ground {
  /** Of the wire between the places, with the length of what is directly reachable. */
  readonly addresses: readonly string[]
  /** Null: what a daemon does by default. */
  readonly listen: string | null
  /** Default: as the machine. */
  readonly hasIPv6?: boolean
}

const PRIVATE = (index: number): Ground => ({
  addresses: [`10.1.${index + 1}.2/16`],
  listen: `/ip4/10.1.${index + 1}.2/tcp/${PEER_PORT}`
})

/** Undefined where this process may not make any, or there is no `ip`. */
export function makeNamespaces(count: number, ground: (index: number) => Ground = PRIVATE): Places | undefined {
  const hub = `${PREFIX}-${process.pid}-hub`
  try {
    removeLeftOver()
    ip('netns', 'add', hub)
    ip('-n', hub, 'link', 'add', 'probe', 'type', 'bridge')
  } catch {
    removeNamespace(hub)
    return undefined
  }
  const namespace = (index: number): string => `${PREFIX}-${process.pid}-${index}`
  const remove = (): void => {
    for (let index = 0; index < count; index++) removeNamespace(namespace(index))
    // With it goes our end of the wire to it.
    removeNamespace(hub)
  }
  try {
    const routes = ip('-4', 'route')
    const ours = CANDIDATES.find((octet) => !routes.includes(`10.${octet}.`))
    if (ours === undefined) throw new Error('every network in 10/8 that could be used has a route')
    const ourLink = `chr${process.pid}`
    for (const bridge of ['side-a', 'side-b', 'ours']) {
      ip('-n', hub, 'link', 'add', bridge, 'type', 'bridge')
      ip('-n', hub, 'link', 'set', bridge, 'up')
    }
    ip('link', 'add', ourLink, 'type', 'veth', 'peer', 'name', 'to-us', 'netns', hub)
    ip('-n', hub, 'link', 'set', 'to-us', 'master', 'ours', 'up')
    ip('addr', 'add', `10.${ours}.${THIRD}.1/24`, 'dev', ourLink)
    ip('link', 'set', ourLink, 'up')
    for (let index = 0; index < count; index++) {
      const name = namespace(index)
      ip('netns', 'add', name)
      if (ground(index).hasIPv6 === false) ip('netns', 'exec', name, 'sh', '-c', NO_IPV6)
      for (const [link, bridge, addresses] of [
        ['peers', 'side-a', ground(index).addresses],
        ['api', 'ours', [`10.${ours}.${THIRD}.${index + 10}/24`]]
      ] as const) {
        ip('-n', hub, 'link', 'add', `${link}${index}`, 'type', 'veth', 'peer', 'name', link, 'netns', name)
        ip('-n', hub, 'link', 'set', `${link}${index}`, 'master', bridge, 'up')
        // Without `nodad` an IPv6 address takes a second to be usable.
        for (const address of addresses)
          ip('-n', name, 'addr', 'add', address, 'dev', link, ...(address.includes(':') ? ['nodad'] : []))
        ip('-n', name, 'link', 'set', link, 'up')
      }
      ip('-n', name, 'link', 'set', 'lo', 'up')
    }
    return {
      kind: 'network namespaces',
      places: Array.from({ length: count }, (_, index) => ({
        listen: ground(index).listen,
        surroundings: { within: [...ENDS_WITH_US, 'ip', 'netns', 'exec', namespace(index)] },
        apiHost: `10.${ours}.${THIRD}.${index + 10}`
      })),
      ourHost: `10.${ours}.${THIRD}.1`,
      cut(side) {
        for (const index of side) ip('-n', hub, 'link', 'set', `peers${index}`, 'master', 'side-b')
      },
      heal() {
        for (let index = 0; index < count; index++) ip('-n', hub, 'link', 'set', `peers${index}`, 'master', 'side-a')
      },
      remove
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Those of test runs that were killed. */
function removeLeftOver(): void {
  for (const name of ip('netns', 'list').split('\n')) {
    const pid = new RegExp(`^(${PREFIX}-(\\d+)-\\w+)`).exec(name)
    if (pid !== null && !existsSync(`/proc/${pid[2]}`)) removeNamespace(pid[1]!)
  }
}

function removeNamespace(name: string): void {
  try {
    ip('netns', 'del', name)
  } catch {
    // It was never made.
  }
}
