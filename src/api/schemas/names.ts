import * as v from 'valibot'
import { decodeBase64 } from '../../util/base64.ts'
import { component, CountSchema, NameSchema, TimeSchema } from '../../views/common.ts'
import { NameOrDidSchema } from '../../views/own.ts'
import { TaskIdSchema } from '../../views/task.ts'
import { ZoneSchema } from './zone.ts'

/** Bounds of a byte field, in bytes. */
interface ByteBounds {
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
function bytesSchema(bounds: ByteBounds) {
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
function base64Schema({ min, max }: ByteBounds) {
  return v.pipe(
    v.string(),
    v.base64(),
    v.minLength(4 * Math.ceil(min / 3)),
    v.maxLength(4 * Math.ceil(max / 3)),
    v.description(`${describeBounds({ min, max })} as base64 with padding`)
  )
}

const RoundSchema = v.pipe(v.number(), v.safeInteger('Expected an integer'), v.minValue(1, 'Expected 1 or more'))

/** In bytes: docs/protocol/wire.md, 8 (payload 16 KiB; a frame of 128 KiB bounds the proof with its chain). */
const PROOF = { min: 1, max: 112 * 1024 }
const SIGNATURE = { min: 64, max: 64 }
const PAYLOAD = { min: 0, max: 16 * 1024 }

/** As GET /api/resolve/{name} shows it. */
export const RevealSchema = component('Reveal', {
  name: NameSchema,
  pubkey: v.pipe(KeySchema, v.description('Ed25519 public key controlling the name, 32 bytes')),
  drand_pulse: v.pipe(RoundSchema, v.description('Round of public randomness used as the VDF seed')),
  iterations: v.pipe(RoundSchema, v.description('Sequential squarings')),
  vdf_proof: base64Schema(PROOF),
  signature: base64Schema(SIGNATURE),
  payload: v.pipe(
    base64Schema(PAYLOAD),
    v.description('The zone as RFC 8785 JSON, 16 KiB at most, as base64 with padding')
  ),
  check_code: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'In every answer: the whole check code of the claim, 26 characters. `alice--` and its first six or more look ' +
          'up this claim alone'
      )
    )
  ),
  source: v.optional(
    v.pipe(
      v.picklist(['network', 'own', 'held']),
      v.description(
        'In every answer. `own`, `held`: no peer answered, and this is the record of a name of this daemon, or one ' +
          'that it holds for others'
      )
    )
  ),
  asked_at: v.optional(
    v.pipe(
      TimeSchema,
      v.description('Where peers are being asked again, or cannot be: when they gave this answer, 24 hours ago at most')
    )
  ),
  keys_pending: v.optional(
    v.pipe(
      v.literal(true),
      v.description('Where the last change of the keys is not final: another may still take its place')
    )
  ),
  notice: v.optional(
    v.pipe(
      v.object({ pubkey: KeySchema, final_at: v.nullable(TimeSchema) }),
      v.description('A change of the keys with one signature: who has the name from when on, unless its owner objects')
    )
  )
})
export type RevealBody = v.InferOutput<typeof RevealSchema>

const RevealRequestSchema = component('RevealRequest', {
  name: NameSchema,
  pubkey: bytesSchema({ min: 32, max: 32 }),
  drand_pulse: RoundSchema,
  iterations: RoundSchema,
  vdf_proof: bytesSchema(PROOF),
  signature: bytesSchema(SIGNATURE),
  payload: bytesSchema(PAYLOAD)
})

export const PublishRequestSchema = component('PublishRequest', { reveal: RevealRequestSchema })
export type PublishRequest = v.InferInput<typeof PublishRequestSchema>

export const OfferRequestSchema = component('OfferRequest', {
  alone: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'Whether the change key alone is to sign, since nobody has the signing key any more; default: false'
      )
    ),
    false
  )
})

const Bytes32Schema = bytesSchema({ min: 32, max: 32 })

export const AcceptRequestSchema = component('AcceptRequest', {
  offer: v.pipe(v.string(), v.maxLength(1024), v.description('As POST /api/names/{name}/offer gave it')),
  key: v.optional(
    v.pipe(Bytes32Schema, v.description('The change key that the claim names; none where it names none'))
  ),
  signature: v.optional(
    v.pipe(bytesSchema(SIGNATURE), v.description('By that key: docs/protocol/wire.md, 8, "Changes of keys"'))
  )
})
export type AcceptRequest = v.InferInput<typeof AcceptRequestSchema>

export const ChangeWordsRequestSchema = component('ChangeWordsRequest', {
  point: v.pipe(Bytes32Schema, v.description('The public point P of the change words: docs/protocol/wire.md, 4'))
})

export const CommitRequestSchema = component('CommitRequest', {
  name: NameSchema,
  commitment: v.object({
    hash: v.pipe(bytesSchema({ min: 32, max: 32 }), v.description('The commitment C of docs/protocol/wire.md, 5'))
  })
})
export type CommitRequest = v.InferInput<typeof CommitRequestSchema>

/** In one request; a longer list takes several. */
export const MOST_CODES = 1_000

export const PinCodesRequestSchema = component('PinCodesRequest', {
  codes: v.pipe(
    v.array(v.pipe(v.string(), v.nonEmpty('Expected a name with its code'), v.maxLength(255))),
    v.minLength(1, 'Expected a name with its code'),
    v.maxLength(MOST_CODES, `Expected at most ${MOST_CODES} codes`),
    v.description('Names with their check codes. Where a label has no room for it, the code follows after a space'),
    v.metadata({ examples: [['alice--7kq2mx.chronym']] })
  ),
  dry_run: v.pipe(v.optional(v.boolean(), false), v.description('Only say what would come of it'))
})

const FEW_LISTS = 'Expected an integer from 1 to 16'
export const FollowRequestSchema = component('FollowPinListRequest', {
  source: v.pipe(
    v.string(),
    v.nonEmpty('Expected an address, a path or a name with its code'),
    v.maxLength(2_048, 'Expected at most 2048 characters'),
    v.metadata({ examples: ['alice--7kq2mx4q8r7k.chronym'] })
  ),
  key: v.exactOptional(v.pipe(v.string(), v.maxLength(64), v.description('The multikey that must have signed it'))),
  agree: v.exactOptional(
    v.pipe(
      v.pipe(v.number(), v.integer(FEW_LISTS), v.minValue(1, FEW_LISTS), v.maxValue(16, FEW_LISTS)),
      v.description('How many publishers must agree from now on; more than half where nobody said so')
    )
  ),
  follow: v.exactOptional(v.pipe(v.boolean(), v.description('False: follow it no longer')))
})
export type FollowRequest = v.InferInput<typeof FollowRequestSchema>

export const WantRequestSchema = component('WantRequest', { id: NameOrDidSchema })

export const TaskStartedSchema = component('TaskStarted', {
  task_id: TaskIdSchema,
  message: v.string(),
  gain_seconds: v.optional(
    v.pipe(v.number(), v.description('Of a renewal started now: how far it moves the end of the lease'))
  ),
  left: v.optional(v.pipe(CountSchema, v.description('Of a renewal: how many the network still allows after it')))
})
export type TaskStartedBody = v.InferOutput<typeof TaskStartedSchema>

export const StartTaskRequestSchema = component('StartTaskRequest', {
  name: NameSchema,
  zone: v.optional(v.pipe(ZoneSchema, v.description('Published with the reveal')))
})
export type StartTaskRequest = v.InferInput<typeof StartTaskRequestSchema>

export const EstimateRequestSchema = component('EstimateRequest', { name: NameSchema })
