/** What a daemon keeps of its owner's change words: their public point, from which each name's change key follows. */
import { changePublicKey, requirePoint } from '../../protocol/crypto/change-keys.ts'
import { nextHash } from '../../protocol/claim/changes.ts'
import { KeyError } from '../../protocol/errors.ts'
import { ServiceError } from '../../errors.ts'
import type { Name } from '../../protocol/name/names.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import { keys } from '../../store/keys.ts'
import type { ChangeWordsView } from '../../views/keys.ts'
import type { RegistryContext } from '../context.ts'

/** Undefined where the owner has made no change words, or not told this daemon of them. */
function changePointOf({ store }: Pick<RegistryContext, 'store'>): Uint8Array | undefined {
  return store.get(keys.changePoint())
}

/** Their point, or null. */
export function changeWordsView(context: Pick<RegistryContext, 'store' | 'profileHash'>): ChangeWordsView {
  const point = changePointOf(context)
  return { point: point === undefined ? null : toHex(point), profile_hash: toHex(context.profileHash) }
}

/** From now on names are claimed with, and offers name, change keys of these words. SVC-REQ-001, SVC-STO-001. */
export function setChangePoint({ store }: Pick<RegistryContext, 'store'>, point: Uint8Array): void {
  try {
    requirePoint(point)
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new ServiceError('SVC-REQ-001', `The point does not fit: ${error.detail}.`, {
      errors: [{ path: 'point', message: error.detail }]
    })
  }
  store.put(keys.changePoint(), point)
}

/** `next` that names the change key of a name after `index` changes; undefined without change words. */
export function ownNext(
  context: Pick<RegistryContext, 'store' | 'profileHash'>,
  name: Name,
  index: number
): Uint8Array | undefined {
  const { profileHash } = context
  const point = changePointOf(context)
  return point && nextHash(changePublicKey(point, { name, index, profileHash }), profileHash)
}
