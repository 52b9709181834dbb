import { PartError } from '../protocol/errors.ts'

/**
 * `damaged`: the file is no whole backup, or the key does not open it. `network`: it is of another network than the one
 * asked for. `occupied`: the file to write exists already. `source`: the data directory has nothing to back up, or its
 * names belong to another seed. `recipient`: not a public key.
 */
export type BackupErrorCode = 'damaged' | 'network' | 'occupied' | 'source' | 'recipient'

export class BackupError extends PartError<'backup', BackupErrorCode> {
  override readonly name = 'BackupError'
  override readonly part = 'backup'
  readonly cure: string

  constructor(code: BackupErrorCode, message: string, cure: string, options?: ErrorOptions) {
    super(code, message, options)
    this.cure = cure
  }
}
