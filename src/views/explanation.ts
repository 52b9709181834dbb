import * as v from 'valibot'
import type { EntryState } from '../protocol/admission/entry.ts'
import type { PinRule } from '../protocol/resolution/pin.ts'
import type { TallyRule } from '../protocol/resolution/quorum.ts'
import { component, CountSchema, ErrorCodeSchema, NameSchema, TimeSchema } from './common.ts'
import { OwnedNameSchema } from './own.ts'
import { SeenPinSchema } from './pin.ts'
import { TaskSchema } from './task.ts'

export const EXPLAINED_RULES = [
  'majority',
  'provisional-only',
  'provisional-majority',
  'no-majority',
  'parted',
  'pin',
  'two-majorities',
  'nobody-holds-it',
  'older-than-seen',
  'nobody-answers',
  'blinded',
  'check-code'
] as const satisfies readonly (TallyRule | PinRule | 'older-than-seen' | 'nobody-answers' | 'blinded' | 'check-code')[]
export const EXPLAINED_STATES = [
  'none',
  'contested',
  'provisional',
  'fresh',
  'settling',
  'settled',
  'grace',
  'dead',
  'unconfirmed',
  'registering',
  'proven'
] as const

const HexSchema = v.pipe(v.string(), v.hexadecimal())
const OwnerSchema = v.pipe(HexSchema, v.length(64), v.description('Public key'))
const EntryStateSchema = v.picklist([
  'fresh',
  'settling',
  'settled',
  'provisional'
] as const satisfies readonly EntryState[])

const placeEntries = {
  distance: v.pipe(v.number(), v.description('From the name to the peer, as a share of the key space')),
  prefix: v.pipe(
    v.nullable(v.string()),
    v.description('Its /24 or /48; null without a token, of this daemon, and where it was never connected')
  )
}

const AnswerSchema = v.object({
  peer: v.string(),
  ...placeEntries,
  self: v.pipe(v.boolean(), v.description('Our own store')),
  state: v.picklist([...EntryStateSchema.options, 'none']),
  claim_id: v.nullable(HexSchema),
  serial: v.nullable(CountSchema),
  owner: v.pipe(
    v.nullable(HexSchema),
    v.description('Null where the peer keeps a stub only and nobody proves its claim')
  ),
  vote: v.pipe(v.boolean(), v.description('Whether it counted'))
})

const OwnSchema = v.object({
  name: v.nullable(OwnedNameSchema),
  claim: v.nullable(
    v.object({
      owner: OwnerSchema,
      claim_id: HexSchema,
      commitment: HexSchema,
      pulse_round: CountSchema,
      renewals: CountSchema
    })
  ),
  receipts: v.pipe(
    v.nullable(
      v.object({
        commitment: HexSchema,
        pulse_round: CountSchema,
        receipts: v.array(v.object({ peer: v.string(), seen_round: CountSchema, signature: HexSchema }))
      })
    ),
    v.description(
      'Who confirmed by signature to have seen the newest commitment, and at which round (docs/protocol/rules.md, 5)'
    )
  ),
  tasks: v.array(
    v.pick(v.object(TaskSchema.entries), ['task_id', 'kind', 'status', 'phase', 'paused', 'stalled', 'error'])
  )
})

export const ExplanationSchema = component('Explanation', {
  name: NameSchema,
  verdict: v.pipe(v.string(), v.description('Who owns it and why this daemon thinks so, in plain words')),
  rule: v.pipe(v.picklist(EXPLAINED_RULES), v.description('The rule of docs/protocol/rules.md that decided')),
  rule_text: v.pipe(v.string(), v.description('That rule in words')),
  state: v.picklist(EXPLAINED_STATES),
  lease: v.nullable(v.object({ start: TimeSchema, end: TimeSchema, grace_end: TimeSchema })),
  owner: v.nullable(OwnerSchema),
  claim_id: v.pipe(
    v.nullable(HexSchema),
    v.description("The owner's claim. With a check code, owner, claim and lease are those of the claim that has it")
  ),
  answers: v.array(AnswerSchema),
  notes: v.pipe(
    v.array(v.string()),
    v.description('Further sentences: how far the verdict can be believed, and what else this daemon knows')
  ),
  resolves: v.pipe(
    v.nullable(v.picklist(['settled', 'provisional', 'thin', 'proven'])),
    v.description('What resolving the name answers now: how sure that is')
  ),
  source: v.pipe(
    v.nullable(v.picklist(['network', 'own', 'held'])),
    v.description(
      'Whose record resolving gives: that of the network; or no peer answered, and it is that of a name of this ' +
        'daemon, or one that it holds. Null where it does not resolve'
    )
  ),
  error: v.pipe(
    v.nullable(v.object({ code: ErrorCodeSchema, message: v.string() })),
    v.description('Or why it does not resolve')
  ),
  candidates: v.pipe(
    v.array(
      v.object({
        owner: OwnerSchema,
        votes: CountSchema,
        settled_votes: CountSchema,
        serial: CountSchema,
        lease_end: TimeSchema
      })
    ),
    v.description('Owners that are named, most votes first')
  ),
  asked: v.object({
    peers: v.pipe(CountSchema, v.description('Among them the store of this daemon, where it holds records')),
    answered: CountSchema,
    silent: v.array(
      v.object({ peer: v.string(), ...placeEntries, reason: v.picklist(['no-answer', 'late', 'busy', 'invalid']) })
    ),
    left_out: v.pipe(
      CountSchema,
      v.description(
        'Further peers near the name that do not count: their address prefix has as many votes as it may, or this ' +
          'daemon could not dial them'
      )
    )
  }),
  reach: v.object({
    network_size: v.pipe(CountSchema, v.description('Estimated nodes, including this one')),
    holders: v.pipe(CountSchema, v.description('Peers nearest to the name that should hold it')),
    radius: v.pipe(v.number(), v.description('Share of the key space in which these are expected'))
  }),
  pin: v.pipe(
    v.nullable(SeenPinSchema),
    v.description('The owner that this daemon has seen as settled; only a firm one binds it')
  ),
  equivocation: v.pipe(
    v.nullable(v.object({ pulse_round: CountSchema, serial: CountSchema, payload_hashes: v.array(HexSchema) })),
    v.description('The owner signed two payloads at one pulse and serial')
  ),
  held_here: v.pipe(
    v.nullable(
      v.object({
        state: EntryStateSchema,
        owner: OwnerSchema,
        claim_id: HexSchema,
        serial: CountSchema,
        since: TimeSchema,
        rivals: CountSchema,
        stub: v.boolean()
      })
    ),
    v.description('What the store of this daemon holds of it for the network')
  ),
  own: v.pipe(
    v.nullable(OwnSchema),
    v.description('What concerns a claim of this daemon; null without a token, and where there is nothing')
  )
})
export type Explanation = v.InferOutput<typeof ExplanationSchema>
export type ExplainedRule = Explanation['rule']
export type ExplainedState = Explanation['state']
export type ExplainedPlace = Pick<ExplainedAnswer, 'distance' | 'prefix'>
export type ExplainedAnswer = Explanation['answers'][number]
export type OwnExplanation = v.InferOutput<typeof OwnSchema>
