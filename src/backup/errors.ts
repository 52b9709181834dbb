/**
 * `damaged`: the file is no whole backup, or the key does not open it. `network`: it is of another network than the one
 * asked for. `occupied`: what would be written is there already. `source`: the data directory has nothing to back up,
 * or its seed is not the one its names belong to. `recipient`: what was given is no public key.
 */
export type BackupErrorKind = 'damaged' | 'network' | 'occupied' | 'source' | 'recipient'

/** The message names the cause; `cure` says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
  readonly kind: BackupErrorKind
  readonly cure: string

  constructor(kind: BackupErrorKind, message: string, cure: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.cure = cure
  }
}
