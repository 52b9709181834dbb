/** A resolver that asks by check code, weighs and remembers as the daemon does. */
import { ServiceError } from '../../../src/errors.ts'
import { getByCode } from '../../../src/network/client/get-by-code.ts'
import { OfflineError, type NetworkStatus } from '../../../src/network/types.ts'
import type { Reveal } from '../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { parseName } from '../../../src/protocol/name/names.ts'
import { resolveByCode, type CodeContext } from '../../../src/registry/resolution/by-code.ts'
import { Memory } from '../../../src/registry/stored/memory.ts'
import type { SimNode } from '../world/sim-node.ts'
import type { World } from '../world/world.ts'

export interface SeenByCode {
  /** `none`: nobody shows such a claim, or its lease is over. `contested`: two have the code. `refused`: all older than seen. */
  readonly kind: 'owner' | 'none' | 'contested' | 'refused' | 'silence'
  /** The owner shown, in hex, and the record. */
  readonly owner?: string
  readonly reveal?: Reveal
}

export class CodeResolver {
  readonly node: SimNode
  readonly #context: CodeContext

  constructor(world: World, node = world.addClient()) {
    const { client, clock, store, peer, view } = node
    this.node = node
    this.#context = {
      profile: world.profile,
      memory: new Memory(store),
      time: () => clock.time(),
      owned: { get: () => undefined },
      network: {
        getByCode: (name, code, signal) => getByCode(client, name, code, signal),
        storedRecord: () => undefined,
        status: (): NetworkStatus => ({
          status: 'online',
          peers: view.known(),
          mode: 'light',
          peer_id: peer.peer,
          connecting: null,
          records: 0
        })
      }
    }
  }

  async resolve(name: string, code: string): Promise<SeenByCode> {
    await this.node.joined
    try {
      const { reveal } = await resolveByCode(this.#context, parseName(name, this.#context.profile), code)
      return { kind: 'owner', owner: toHex(reveal.pubkey), reveal }
    } catch (error) {
      if (error instanceof OfflineError) return { kind: 'silence' }
      if (!(error instanceof ServiceError)) throw error
      if (error.code !== 'SVC-RES-004') return { kind: 'none' }
      return { kind: error.extensions['candidates'] === undefined ? 'refused' : 'contested' }
    }
  }
}
