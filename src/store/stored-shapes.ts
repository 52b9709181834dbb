/**
 * Reads values of the store with care: it detects what a damaged disk or another version left behind before anything
 * builds on it.
 */
import { decode } from 'cborg'
import * as v from 'valibot'
import type { Store } from './types.ts'
import { textOfUtf8 } from '../util/utf8.ts'

/** A value that this version does not write. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord'
}

/** 0 to 2^53-1: rounds, serials, squarings. */
export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const Text = v.pipe(v.string(), v.nonEmpty())
export const Bytes = v.instance(Uint8Array)
/** 32 bytes: a hash, a key, a salt. */
export const Bytes32 = v.pipe(Bytes, v.length(32))

/** CBOR of that shape. Throws UnreadableRecord. */
export function readCbor<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> {
  return shaped(
    schema,
    parsed('CBOR', () => decode(bytes) as unknown)
  )
}

/** As {@link readCbor}, for JSON. */
export function readJson<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> {
  return shaped(
    schema,
    parsed('JSON', () => JSON.parse(textOfUtf8(bytes)) as unknown)
  )
}

function parsed(format: string, parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    throw new UnreadableRecord(`it is not ${format}: ${(error as Error).message}`, { cause: error })
  }
}

function shaped<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw new UnreadableRecord(`${v.getDotPath(issue) ?? 'it'}: ${issue.message}`)
}

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
