/** Where the processes of a network run: each has an address in its own /24, and the wire between them can be cut. */
import { makeLoopbackPlaces } from './loopback.ts'
import { makeNamespaces } from './namespaces.ts'
import type { Surroundings } from '../../../scripts/program.ts'

export interface Place {
  /** Multiaddr without peer id; null leaves it to the daemon. */
  readonly listen: string | null
  readonly surroundings: Surroundings
  /** Address at which this process reaches the HTTP interface there. */
  readonly apiHost: string
}

export interface Places {
  /** For the titles of tests: what kind of places these are. */
  readonly kind: string
  readonly places: readonly Place[]
  /** Address of this process as seen from the places, for the beacon. */
  readonly ourHost: string
  /** No byte passes any more between those places and all others; both sides stay connected to us. */
  cut(side: ReadonlySet<number>): void
  heal(): void
  /** Once all processes there have ended. */
  remove(): void
}

/**
 * Network namespaces where they can be made (root on Linux, with iproute2), else addresses of the loopback interface;
 * NETWORK_PLACES=loopback takes those anyhow.
 */
export function makePlaces(count: number, directory: string): Places {
  const namespaces = process.env['NETWORK_PLACES'] === 'loopback' ? undefined : makeNamespaces(count)
  return namespaces ?? makeLoopbackPlaces(count, directory)
}
