import * as v from 'valibot'
import { component, CountSchema, NameSchema, TimeSchema } from './common.ts'

const KeySchema = v.pipe(v.string(), v.hexadecimal(), v.description('Public key'))

const pinEntries = {
  owner: KeySchema,
  claim_id: v.pipe(
    v.string(),
    v.hexadecimal(),
    v.description('The claim that is meant: another one of its key is not')
  ),
  check_code: v.pipe(v.string(), v.description('The whole check code of that claim')),
  state: v.pipe(
    v.picklist(['tentative', 'firm']),
    v.description('`tentative`: seen once, warns and binds nobody. `firm`: seen twice, no other claim is believed')
  ),
  since: v.pipe(TimeSchema, v.description('The first sighting')),
  second_look: v.pipe(
    v.nullable(TimeSchema),
    v.description('When the daemon looks a second time by itself; null once that has been done')
  ),
  firm_since: v.nullable(TimeSchema),
  until: v.pipe(
    TimeSchema,
    v.description(
      'A firm one: until when no other claim is believed. A tentative one: when it ends, unless it has become firm'
    )
  ),
  rival: v.pipe(
    v.nullable(KeySchema),
    v.description('Owner of another claim that most peers named shortly before: the name is contested')
  ),
  contested_until: v.nullable(TimeSchema)
}

const PinSchema = component('Pin', {
  name: NameSchema,
  ...pinEntries,
  coded_name: v.pipe(
    v.nullable(v.string()),
    v.description('The name with that code; null where DNS has no room for it in the label')
  ),
  check_code: v.pipe(v.string(), v.description('Of a claim that was seen, whole; otherwise as many as were given')),
  state: v.pipe(
    v.picklist(['tentative', 'firm', 'given', 'configured']),
    v.description(
      'As for a claim that was seen; or the user gave the code, or `pins.codes` has it: then the bare name means the ' +
        'claim with that code alone, and the fields about sightings are null'
    )
  ),
  owner: v.nullable(KeySchema),
  claim_id: v.nullable(v.pipe(v.string(), v.hexadecimal())),
  since: v.pipe(v.nullable(TimeSchema), v.description('The first sighting, or when the code was given')),
  until: v.nullable(TimeSchema)
})
export const SeenPinSchema = v.object(pinEntries)
export type SeenPinView = v.InferOutput<typeof SeenPinSchema>
export const PinnedCodesSchema = component('PinnedCodes', {
  pinned: v.pipe(v.array(NameSchema), v.description('New ones, or by more characters than before')),
  known: v.pipe(CountSchema, v.description('Names that had this code already'))
})
/** What came of codes that the user gave. */
export type PinnedCodesView = v.InferOutput<typeof PinnedCodesSchema>
export const PinListSchema = v.array(PinSchema)
/** A claim, with its owner, that this daemon has seen as settled (docs/protocol/rules.md, 11). */
export type PinView = v.InferOutput<typeof PinSchema>

const FollowedListSchema = component('FollowedPinList', {
  source: v.pipe(v.string(), v.description('An https address, a path, or a name with its check code')),
  key: v.pipe(v.string(), v.description('Multikey of its publisher: no other key may sign a later list')),
  made_at: v.pipe(TimeSchema, v.description('An older list never replaces a newer one')),
  fetched_at: v.pipe(TimeSchema, v.description('When its source last showed a list of this key')),
  entries: CountSchema,
  failure: v.pipe(v.nullable(v.string()), v.description('Why the last attempt brought no list; the last one holds')),
  rolled_back_to: v.pipe(v.nullable(TimeSchema), v.description('Of an older list that the source showed last')),
  equivocation: v.pipe(
    v.nullable(v.array(v.object({ name: NameSchema, codes: v.array(v.nullable(v.string())) }))),
    v.description('Two lists of one second differ: names, at most 20, with both codes. This key counts no longer')
  )
})
export type FollowedListView = v.InferOutput<typeof FollowedListSchema>
export const FollowedListsSchema = component('FollowedPinLists', {
  agree: v.pipe(CountSchema, v.description('As many publishers must name one code, and none another')),
  lists: v.array(FollowedListSchema)
})
/** The lists of published pins that a daemon follows. */
export type FollowedListsView = v.InferOutput<typeof FollowedListsSchema>
