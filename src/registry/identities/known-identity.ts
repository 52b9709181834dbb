/** What is known of a DID: peers are asked for it. */
import { ServiceError } from '../../errors.ts'
import { OfflineError, type FoundDocuments } from '../../network/types.ts'
import { type Did, parseDid } from '../../protocol/identity/did.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { RegistryContext } from '../context.ts'
import { isWholeNetwork } from '../resolution/survey.ts'
import { standingOf, type KnownIdentity } from './standing-identity.ts'

/** SVC-REQ-001 for what is no DID of this network. */
export function readDid({ profile }: RegistryContext, text: string): Did {
  try {
    return parseDid(text, profile)
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new ServiceError('SVC-REQ-001', `${text} is no DID of this network: ${error.detail}.`, {
      cause: error,
      errors: [{ path: 'did', message: error.detail }]
    })
  }
}

export async function requireIdentity(
  context: RegistryContext,
  did: Did,
  signal?: AbortSignal
): Promise<KnownIdentity> {
  const known = await findIdentity(context, did, signal)
  if (known !== undefined) return known
  if (context.network.status().peers === 0 && !isWholeNetwork(context)) throw new OfflineError('No peer can be asked.')
  throw new ServiceError('SVC-RES-002', `No identity document is known for ${did}.`)
}

/** The network's record of a DID merged with the one published from here. Offline, the latter alone. */
export async function knownIdentity(context: RegistryContext, did: Did): Promise<KnownIdentity | undefined> {
  try {
    return await findIdentity(context, did)
  } catch (error) {
    if (error instanceof OfflineError) return standingOf(context, did, NOTHING_SHOWN)
    throw error
  }
}

export async function findIdentity(
  context: RegistryContext,
  did: Did,
  signal?: AbortSignal
): Promise<KnownIdentity | undefined> {
  return standingOf(context, did, await context.network.getIdentity(did, signal))
}

/** Nobody was asked. */
const NOTHING_SHOWN: FoundDocuments = { records: [], shownBy: [], isAnswered: false }
