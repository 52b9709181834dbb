import type { Config } from '../../config/config.ts'
import { ServiceError } from '../../errors.ts'
import { messageOf } from '../../protocol/errors.ts'
import { checkRecipient } from '../encryption.ts'

export interface KeptBackup {
  readonly file: string
  readonly recipients: readonly string[]
}

/**
 * The kept backup of a whole configuration; undefined where it asks for none. Rejects with SVC-CFG-001 where one field is
 * missing or a recipient has a wrong checksum.
 */
export async function configuredBackup({
  backup: { file, recipient: recipients }
}: Pick<Config, 'backup'>): Promise<KeptBackup | undefined> {
  if (file === '' && recipients.length === 0) return undefined
  if (recipients.length === 0)
    throw invalid(
      'backup.recipient',
      'is missing, and backup.file is set: name a public key that opens the backup, as age-keygen prints it'
    )
  if (file === '')
    throw invalid('backup.file', 'is missing, and backup.recipient is set: name the file to keep up to date')
  try {
    for (const recipient of recipients) await checkRecipient(recipient)
  } catch (error) {
    throw invalid('backup.recipient', messageOf(error))
  }
  return { file, recipients }
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('SVC-CFG-001', `configuration: ${path}: ${message}`, { errors: [{ path, message }] })
}
