/** The peers that a daemon joins through: those of the configuration, of a file, and of names in DNS. */
import type { Logger } from 'pino'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import type { Store } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'
import { BootstrapFile } from './file.ts'
import { BootstrapNames, dnsaddrName } from './names.ts'

const LOOK_MS = 5_000

interface BootstrapOptions {
  /** Multiaddrs of the configuration, `/dnsaddr/NAME` too. */
  readonly bootstrap: readonly string[]
  /** Path of a file with more. */
  readonly bootstrapFile?: string | undefined
  /** Name servers, `ip:port`; empty: those of the system. */
  readonly resolvers?: readonly string[] | undefined
  /** Multikey that must have signed what names say; empty: none has to. */
  readonly bootstrapKey?: string | undefined
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: { nowMs(): number }
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export class Bootstrap {
  readonly #configured: readonly string[]
  readonly #file: BootstrapFile | undefined
  readonly #names: BootstrapNames

  /** Throws ListenError for a file or a key that is bad, and for `/dnsaddr` without a name. */
  constructor(options: BootstrapOptions) {
    const { bootstrap, bootstrapFile, resolvers = [], bootstrapKey: key = '', profile, store, clock, log } = options
    for (const address of bootstrap) dnsaddrName(address)
    this.#configured = bootstrap
    this.#file = bootstrapFile === undefined ? undefined : new BootstrapFile(bootstrapFile, log)
    this.#names = new BootstrapNames({
      store,
      resolvers,
      key,
      profileHash: profileHash(profile),
      nowMs: () => clock.nowMs(),
      log
    })
  }

  /** Whether the user named any source: this node is not the only one. */
  get expectsOthers(): boolean {
    return this.#configured.length > 0 || this.#file !== undefined
  }

  /** Addresses that the user names: they are dialled wherever they lead. What DNS says has no such right. */
  named(): readonly string[] {
    return this.#all().filter((address) => dnsaddrName(address) === undefined)
  }

  /** Those to dial, with what names lead to. */
  addresses(): readonly string[] {
    return [...this.named(), ...this.#names.expand(this.#ofNames())]
  }

  faults(): readonly string[] {
    return this.#names.faults()
  }

  /** Returns the function that ends it. */
  start(timers: Pick<Clock, 'every'>): () => void {
    const look = (): void => {
      void this.#file?.look()
      void this.#names.look(this.#ofNames())
    }
    look()
    return timers.every(LOOK_MS, look)
  }

  #all(): readonly string[] {
    return [...this.#configured, ...(this.#file?.addresses() ?? [])]
  }

  #ofNames(): readonly string[] {
    return this.#all().filter((address) => dnsaddrName(address) !== undefined)
  }
}
