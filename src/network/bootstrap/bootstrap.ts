/** The peers that a daemon joins through: those of the configuration, of a file, of names in DNS, and those on the link. */
import type { Logger } from 'pino'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { type NetworkProfile, profileHash } from '../../protocol/profile/profile.ts'
import type { Store } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'
import { BootstrapFile } from './file.ts'
import { LocalPeers, type LocalPeersOptions } from './mdns.ts'
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
  /** Look for peers on this machine or link by mDNS; on public networks without effect. */
  readonly mdns?: boolean | undefined
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: { nowMs(): number }
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export class Bootstrap {
  readonly #configured: readonly string[]
  readonly #file: BootstrapFile | undefined
  readonly #names: BootstrapNames
  readonly #local: Omit<LocalPeersOptions, 'timers' | 'own'> | undefined
  #found: LocalPeers | undefined

  /** Throws ListenError for a file or a key that is bad, and for `/dnsaddr` without a name. */
  constructor(options: BootstrapOptions) {
    const { bootstrap, bootstrapFile, resolvers = [], bootstrapKey: key = '', profile, store, clock, log } = options
    const network = toHex(profileHash(profile)).slice(0, 12)
    if (options.mdns === true && profile.scope !== 'public')
      this.#local = { network, loopbackOnly: profile.scope === 'loopback', log }
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

  /** Those to dial, with what names lead to and what was heard on the link. */
  addresses(): readonly string[] {
    return [...this.named(), ...this.#names.expand(this.#ofNames()), ...(this.#found?.addresses() ?? [])]
  }

  faults(): readonly string[] {
    return this.#names.faults()
  }

  /** `own`: the multiaddrs of this node, with peer id. Returns the function that ends it. */
  start(timers: Pick<Clock, 'every'>, own: () => readonly string[]): () => void {
    const look = (): void => {
      void this.#file?.look()
      void this.#names.look(this.#ofNames())
    }
    look()
    const end = timers.every(LOOK_MS, look)
    const found = this.#local === undefined ? undefined : new LocalPeers({ ...this.#local, timers, own })
    this.#found = found
    return () => {
      end()
      found?.close()
    }
  }

  #all(): readonly string[] {
    return [...this.#configured, ...(this.#file?.addresses() ?? [])]
  }

  #ofNames(): readonly string[] {
    return this.#all().filter((address) => dnsaddrName(address) !== undefined)
  }
}
