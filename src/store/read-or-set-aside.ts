import type { Store } from './types.ts'

/**
 * What a stored value says; undefined where there is none, or where `decode` throws: then it is set aside. A damaged
 * record keeps neither the daemon from starting nor anything else from going on. Throws StoreError.
 */
export function readOrSetAside<T>(
  store: Pick<Store, 'setAside'>,
  key: string,
  value: Uint8Array | undefined,
  decode: (value: Uint8Array) => T
): T | undefined {
  if (value === undefined) return undefined
  let failure: unknown
  try {
    return decode(value)
  } catch (error) {
    failure = error
  }
  store.setAside(key, failure instanceof Error ? failure.message : String(failure))
  return undefined
}
