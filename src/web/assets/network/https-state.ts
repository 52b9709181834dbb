/** How far https for browsers is. Pure. */
import type { DnsView } from '../lib/api.ts'

/** `unready`: it is on, and the daemon does not have the key of the machine's authority. */
export type HttpsState = 'unavailable' | 'off' | 'unready' | 'on'

export function httpsState({ enabled, https }: Pick<DnsView, 'enabled' | 'https'>): HttpsState {
  if (!enabled) return 'unavailable'
  if (https === null) return 'off'
  return https.ready ? 'on' : 'unready'
}
