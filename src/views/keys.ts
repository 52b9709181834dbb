import * as v from 'valibot'
import { component, CountSchema, NameSchema, TimeSchema } from './common.ts'

const HexSchema = v.pipe(v.string(), v.hexadecimal(), v.length(64))

export const KeysSchema = component('NameKeys', {
  name: NameSchema,
  check_code: v.pipe(v.string(), v.description('Of the claim; changes of keys keep it')),
  claim_id: HexSchema,
  claimed_round: v.pipe(CountSchema, v.description('The pulse of the first claim')),
  claimed_at: v.pipe(TimeSchema, v.description('When that pulse was drawn: the age of the claim')),
  renewals: CountSchema,
  pubkey: v.pipe(HexSchema, v.description('The present signing key')),
  own: v.pipe(v.boolean(), v.description('Whether this daemon has that key')),
  changes: v.pipe(CountSchema, v.description('Changes of the keys so far')),
  changes_left: CountSchema,
  last_change: v.pipe(v.nullable(HexSchema), v.description('Hash of the last change')),
  consented: v.pipe(
    v.nullable(v.boolean()),
    v.description('Whether the signing key before signed the last change too; null without changes')
  ),
  change_key: v.pipe(
    v.boolean(),
    v.description('Whether the claim, or the notice of its first one, names a change key')
  ),
  final_after_seconds: v.pipe(
    v.object({
      both: v.pipe(CountSchema, v.description('With the signature of the signing key before it too')),
      alone: v.pipe(CountSchema, v.description('With one signature'))
    }),
    v.description('How long after holders first see a change it is final on this network')
  ),
  final: v.pipe(
    v.boolean(),
    v.description('Whether most peers that hold the claim call its changes final, and are no few; true without changes')
  ),
  final_at: v.pipe(
    v.nullable(TimeSchema),
    v.description('When more than half of them call the changes final; null where they are, or where fewer hold them')
  ),
  final_votes: v.pipe(CountSchema, v.description('Peers that call them final')),
  votes: v.pipe(CountSchema, v.description('Peers that hold the claim')),
  coded: v.pipe(
    v.object({
      final_votes: v.pipe(CountSchema, v.description('Peers there that call these changes final')),
      votes: v.pipe(CountSchema, v.description('Peers there that hold the claim'))
    }),
    v.description('The same at the place of the check code, where look-ups with the code ask')
  ),
  other_keys: v.pipe(
    CountSchema,
    v.description('Of these, peers that show another change of its keys in place of one')
  ),
  equivocation: v.pipe(v.boolean(), v.description('The owner signed two zones with one serial')),
  notice: v.pipe(
    v.nullable(
      v.object({
        pubkey: v.pipe(HexSchema, v.description('The signing key from then on')),
        own: v.pipe(v.boolean(), v.description('Whether this daemon signed it, or has that key')),
        final_at: v.pipe(v.nullable(TimeSchema), v.description('When most holders count it, unless its owner objects')),
        votes: v.pipe(CountSchema, v.description('Peers that hold it'))
      })
    ),
    v.description('A change of the keys with one signature, which waits; the keys above count meanwhile')
  )
})
export type KeysView = v.InferOutput<typeof KeysSchema>

export const OfferSchema = component('Offer', {
  offer: v.pipe(v.string(), v.description('The offer itself, as a `chronym:` link')),
  code: v.pipe(v.string(), v.description('12 characters that both sides may compare')),
  name: NameSchema,
  pubkey: v.pipe(HexSchema, v.description('The signing key after the change')),
  consented: v.pipe(v.boolean(), v.description('Whether the present signing key is to sign too'))
})
export type OfferView = v.InferOutput<typeof OfferSchema>

export const ChangeWordsSchema = component('ChangeWords', {
  point: v.pipe(
    v.nullable(HexSchema),
    v.description('The public point of the change words; null where there are none')
  ),
  profile_hash: v.pipe(HexSchema, v.description('Hash of the network profile: change keys are of one network'))
})
export type ChangeWordsView = v.InferOutput<typeof ChangeWordsSchema>
