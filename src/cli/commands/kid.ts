import type { ResolvedIdentityBody } from '../../api/client.ts'
import { printable } from '../terminal/format.ts'

/** An identity and its manifest as indented JSON: their shape is the reader's concern. */
export function identityText(identity: ResolvedIdentityBody): string {
  return JSON.stringify(identity, undefined, 2).split('\n').map(printable).join('\n')
}
