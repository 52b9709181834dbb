import * as v from 'valibot'
import { decodeBase64 } from '../../util/base64.ts'

/** Bounds of a byte field, in bytes. */
export interface ByteBounds {
  readonly min: number
  readonly max: number
}

const BASE64 = '^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$'

function describeBounds({ min, max }: ByteBounds): string {
  return min === max ? `${min} bytes` : `${min} to ${max} bytes`
}

/**
 * A byte field of a request: an array of integers 0-255, or base64 text (standard or URL-safe, padding optional).
 * Its output is a Uint8Array whose length lies within `bounds`.
 */
export function bytesSchema(bounds: ByteBounds) {
  return v.pipe(
    v.union(
      [
        v.pipe(
          v.array(
            v.pipe(
              v.number(),
              v.integer('Expected an integer from 0 to 255'),
              v.minValue(0, 'Expected an integer from 0 to 255'),
              v.maxValue(255, 'Expected an integer from 0 to 255')
            )
          ),
          v.metadata({ minItems: bounds.min, maxItems: bounds.max })
        ),
        v.pipe(
          v.string(),
          v.metadata({
            minLength: Math.ceil((bounds.min * 4) / 3),
            maxLength: 4 * Math.ceil(bounds.max / 3),
            pattern: BASE64
          })
        )
      ],
      'Expected an array of integers from 0 to 255, or base64 text'
    ),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const bytes = typeof dataset.value === 'string' ? decodeBase64(dataset.value) : Uint8Array.from(dataset.value)
      if (bytes === undefined) {
        addIssue({ message: 'Expected base64 text' })
        return NEVER
      }
      if (bytes.length < bounds.min || bytes.length > bounds.max) {
        addIssue({ message: `Expected ${describeBounds(bounds)}` })
        return NEVER
      }
      return bytes
    }),
    v.description(
      `${describeBounds(bounds)}: an array of integers 0-255, or base64 text (standard or URL-safe, padding optional)`
    )
  )
}

/** A byte field of a response that api.md shows as an array. */
export const KeySchema = v.pipe(v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))), v.length(32))

/** A byte field of a response that api.md shows as text. */
export function base64Schema({ min, max }: ByteBounds) {
  return v.pipe(
    v.string(),
    v.base64(),
    v.minLength(4 * Math.ceil(min / 3)),
    v.maxLength(4 * Math.ceil(max / 3)),
    v.description(`${describeBounds({ min, max })} as base64 with padding`)
  )
}
