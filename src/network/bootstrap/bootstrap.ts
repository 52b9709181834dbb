/** The peers that a daemon joins through: those of the configuration, and of a file. */
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { BootstrapFile } from './file.ts'

const FILE_LOOK_MS = 5_000

interface BootstrapOptions {
  /** Multiaddrs of the configuration. */
  readonly bootstrap: readonly string[]
  /** Path of a file with more. */
  readonly bootstrapFile?: string | undefined
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export class Bootstrap {
  readonly #configured: readonly string[]
  readonly #file: BootstrapFile | undefined

  /** Throws ListenError for a file that is bad. */
  constructor({ bootstrap, bootstrapFile, log }: BootstrapOptions) {
    this.#configured = bootstrap
    this.#file = bootstrapFile === undefined ? undefined : new BootstrapFile(bootstrapFile, log)
  }

  /** Whether the user named any source: this node is not the only one. */
  get expectsOthers(): boolean {
    return this.#configured.length > 0 || this.#file !== undefined
  }

  /** Multiaddrs that the user names: they are dialled wherever they lead. */
  named(): readonly string[] {
    return [...this.#configured, ...(this.#file?.addresses() ?? [])]
  }

  /** Returns the function that ends it. */
  start(timers: Pick<Clock, 'every'>): () => void {
    const file = this.#file
    return file === undefined ? () => undefined : timers.every(FILE_LOOK_MS, () => void file.look())
  }
}
