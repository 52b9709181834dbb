import type { Client } from '../../api/client/client.ts'
import { ProblemError } from '../../api/client/client.ts'
import type { ZoneInput } from '../zone-file/zone-input.ts'

/** The zone that a change is made on. */
export interface CurrentZone {
  readonly zone: ZoneInput
  readonly state: 'draft' | 'published'
  /** Undefined where there is no zone as yet. */
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
    // What is ours is answered from the daemon's own store; a network that finds nothing says that there is nothing.
    if (error instanceof ProblemError && (error.code.startsWith('SVC-RES-') || error.code === 'SVC-ZON-001'))
      return NONE
    throw error
  }
}
