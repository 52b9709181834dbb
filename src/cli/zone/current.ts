import type { Client } from '../../api/client/client.ts'
import { ProblemError } from '../../api/client/client.ts'
import type { ZoneInput } from '../zone-file/zone-input.ts'

export interface CurrentZone {
  readonly zone: ZoneInput
  readonly state: 'draft' | 'published'
  readonly etag: string | undefined
}

const NONE: CurrentZone = { zone: { records: {} }, state: 'published', etag: undefined }

/**
 * The draft of a name, else what this daemon published of it. That of another's name is none to change: the daemon
 * refuses it when it is sent.
 */
export async function currentZone(client: Client, name: string): Promise<CurrentZone> {
  try {
    const { zone, source, state, etag } = await client.zone(name)
    return source === 'local' ? { zone, state, etag } : NONE
  } catch (error) {
    // An own zone comes from the daemon's store; a network that finds nothing means that there is none.
    if (error instanceof ProblemError && (error.code.startsWith('SVC-RES-') || error.code === 'SVC-ZON-001'))
      return NONE
    throw error
  }
}
