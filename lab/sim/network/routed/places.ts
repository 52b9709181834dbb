/** Who answers at which address. Liars also have addresses that pass bytes on, or that are silent. */
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'

const HOSTS_OF_A_PREFIX = 250
const FIRST_PORT = 4_001

export interface Place<N> {
  readonly node: N
  /** Whether its own machine passes bytes on to that node: each side sees this address as the other's. */
  readonly isRelay: boolean
}

export class Places<N> {
  readonly #places = new Map<string, Place<N>>()
  readonly #hosts = new Map<string, number>()

  at(address: Multiaddr): Place<N> | undefined {
    return this.#places.get(address.toString())
  }

  /** An address of a /24, at which nobody answers. */
  free(prefix: string): Multiaddr {
    const host = this.#hosts.get(prefix) ?? 0
    this.#hosts.set(prefix, host + 1)
    const port = FIRST_PORT + Math.floor(host / HOSTS_OF_A_PREFIX)
    return multiaddr(`/ip4/${prefix.replace(/0\/24$/, `${1 + (host % HOSTS_OF_A_PREFIX)}`)}/tcp/${port}`)
  }

  listen(address: Multiaddr, node: N): void {
    this.#places.set(address.toString(), { node, isRelay: false })
  }

  /** An address of a /24 that leads to another's node. */
  relay(prefix: string, to: N): Multiaddr {
    const address = this.free(prefix)
    this.#places.set(address.toString(), { node: to, isRelay: true })
    return address
  }
}
