import * as v from 'valibot'
import { NameSchema } from '../../views/common.ts'
import { base64Schema, bytesSchema, KeySchema } from './bytes.ts'

const RoundSchema = v.pipe(v.number(), v.safeInteger('Expected an integer'), v.minValue(1, 'Expected 1 or more'))

/** In bytes: docs/protocol/wire.md, 8 (payload 16 KiB; a frame of 128 KiB bounds the proof with its chain). */
const PROOF = { min: 1, max: 112 * 1024 }
const SIGNATURE = { min: 64, max: 64 }
const PAYLOAD = { min: 0, max: 16 * 1024 }

/** As GET /api/resolve/{name} shows it. */
export const RevealSchema = v.pipe(
  v.object({
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
    )
  }),
  v.metadata({ ref: 'Reveal' })
)
export type RevealBody = v.InferOutput<typeof RevealSchema>

const RevealRequestSchema = v.pipe(
  v.object({
    name: NameSchema,
    pubkey: bytesSchema({ min: 32, max: 32 }),
    drand_pulse: RoundSchema,
    iterations: RoundSchema,
    vdf_proof: bytesSchema(PROOF),
    signature: bytesSchema(SIGNATURE),
    payload: bytesSchema(PAYLOAD)
  }),
  v.metadata({ ref: 'RevealRequest' })
)

export const PublishRequestSchema = v.pipe(
  v.object({ reveal: RevealRequestSchema }),
  v.metadata({ ref: 'PublishRequest' })
)
export type PublishRequest = v.InferInput<typeof PublishRequestSchema>

export const CommitRequestSchema = v.pipe(
  v.object({
    name: NameSchema,
    commitment: v.object({
      hash: v.pipe(bytesSchema({ min: 32, max: 32 }), v.description('The commitment C of docs/protocol/wire.md, 5'))
    })
  }),
  v.metadata({ ref: 'CommitRequest' })
)
export type CommitRequest = v.InferInput<typeof CommitRequestSchema>
