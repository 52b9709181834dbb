/**
 * Where namespaces can't be made: each place is an address of the loopback interface, and the wire is cut inside the
 * processes (loopback-wire.ts).
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Places } from './places.ts'

/** Fixed, since a daemon must come back where it was; apart from those of other test runs on this machine. */
const peerPort = 20_000 + (process.pid % 10_000)

export function makeLoopbackPlaces(count: number, directory: string): Places {
  const cutFile = (index: number): string => join(directory, `cut-${index}`)
  const address = (index: number): string => `127.1.${index + 1}.1`
  const all = Array.from({ length: count }, (_, index) => index)
  const separate = (side: ReadonlySet<number>): void => {
    for (const index of all) {
      const others = all.filter((other) => side.has(other) !== side.has(index)).map(address)
      writeFileSync(cutFile(index), others.join('\n'))
    }
  }
  separate(new Set())
  return {
    kind: 'addresses of the loopback interface, not in network namespaces',
    places: all.map((index) => ({
      listen: `/ip4/${address(index)}/tcp/${peerPort}`,
      surroundings: {
        preload: '__test__/e2e/network/loopback-wire.ts',
        environment: { LOOPBACK_ADDRESS: address(index), LOOPBACK_CUT_FILE: cutFile(index) }
      },
      apiHost: '127.0.0.1'
    })),
    ourHost: '127.0.0.1',
    cut: separate,
    heal() {
      separate(new Set())
    },
    remove: () => undefined
  }
}
