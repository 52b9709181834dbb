import { Hono } from 'hono'
import { endpoint } from '../endpoint.ts'
import type { AppEnv } from '../http/request.ts'
import { CODE_PARAMETER, NAME_PARAMETER } from '../openapi/parameters.ts'
import { type CommittedBody, CommittedSchema, type StoredBody, StoredSchema, SuccessSchema } from '../schemas/common.ts'
import {
  OwnedNameListSchema,
  OwnedNameSchema,
  OwnedNamesSchema,
  WantedListSchema,
  WantedSchema,
  isStillOurs
} from '../../views/own.ts'
import {
  AcceptRequestSchema,
  ChangeWordsRequestSchema,
  CommitRequestSchema,
  OfferRequestSchema,
  FollowRequestSchema,
  PinCodesRequestSchema,
  PublishRequestSchema,
  WantRequestSchema
} from '../schemas/names.ts'
import { ChangeWordsSchema, KeysSchema, OfferSchema } from '../../views/keys.ts'
import { askedName } from './resolve.ts'
import type { ApiServices } from '../services.ts'
import { FollowedListsSchema, PinListSchema, PinnedCodesSchema } from '../../views/pin.ts'

const TAG = 'Names'
/** Where the network is asked who owns a name. */
const OWNER_ERRORS = ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-001', 'SVC-RES-002', 'SVC-RES-003', 'SVC-RES-004'] as const

export function nameRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .post(
      '/api/commit',
      endpoint({
        tag: 'Names',
        summary: 'Publish a commitment (manual flow)',
        description:
          'The daemon adds the stamp and uses the name only to find where the commitment belongs. A ' +
          'registration task does this automatically.',
        access: ['publish'],
        body: CommitRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: CommittedSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-RES-001', 'SVC-PUB-002', 'SVC-BCN-001', 'SVC-STO-001']
      }),
      async (c) => {
        const { name, commitment } = c.req.valid('json')
        const { stored_by, of, pulse_round } = await registry.commit(name, commitment.hash)
        return c.json<CommittedBody>({ success: true, stored_by, of, pulse_round })
      }
    )
    .post(
      '/api/publish',
      endpoint({
        tag: 'Names',
        summary: 'Publish a Reveal (manual flow)',
        description:
          'Finalizes a registration or updates the data of a name. A registration task does this automatically.',
        access: ['publish'],
        body: PublishRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: StoredSchema } },
        errors: [
          'SVC-NAM-001',
          'SVC-NAM-002',
          'SVC-REG-001',
          'SVC-RES-001',
          'SVC-PUB-001',
          'SVC-PUB-002',
          'SVC-BCN-001',
          'SVC-STO-001',
          'SVC-KEY-006'
        ]
      }),
      async (c) => {
        const { stored_by, of } = await registry.publish(c.req.valid('json').reveal)
        return c.json<StoredBody>({ success: true, stored_by, of })
      }
    )
    .get(
      '/api/owned-names',
      endpoint({
        tag: 'Names',
        summary: 'The names this daemon owns',
        description: 'Without names that are sold, lost or lapsed: `GET /api/names` lists these with their state.',
        access: ['read'],
        answers: { 200: { description: 'Names', schema: OwnedNamesSchema } }
      }),
      (c) => c.json(registry.ownedNames().flatMap(({ name, state }) => (isStillOurs(state) ? [name] : [])))
    )
    .get(
      '/api/names',
      endpoint({
        tag: 'Names',
        summary: 'The names this daemon owns, with lease, renewal and serials',
        description: '`warnings` lists what needs the owner\'s attention: docs/tasks.md, "Renewals".',
        access: ['read'],
        answers: { 200: { description: 'Names with their leases', schema: OwnedNameListSchema } }
      }),
      (c) => c.json(registry.ownedNames())
    )
    .post(
      '/api/names/:name/release',
      endpoint({
        tag: 'Names',
        summary: 'Release a name: let it lapse, or take a sold one off the list',
        description:
          'The daemon stops renewing it; its zone stays published until its lease ends. Until the grace ' +
          'ends, DELETE here or a renewal takes it back. A name that is sold leaves the list of this daemon.',
        access: ['vdf'],
        parameters: [NAME_PARAMETER],
        answers: {
          200: { description: 'The name, released, or as it was where it was sold', schema: OwnedNameSchema }
        },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-RES-003', 'SVC-REG-002', 'SVC-STO-001']
      }),
      (c) => c.json(registry.release(c.req.param('name')))
    )
    .delete(
      '/api/names/:name/release',
      endpoint({
        tag: 'Names',
        summary: 'Take a released name back',
        access: ['vdf'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'The name, renewed automatically again', schema: OwnedNameSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-OWN-001', 'SVC-OWN-002', 'SVC-RES-003', 'SVC-STO-001']
      }),
      (c) => c.json(registry.takeBack(c.req.param('name')))
    )
}

export function keyRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/names/:name/keys',
      endpoint({
        tag: TAG,
        summary: 'Which keys a name has, and whether the last change of them is final',
        access: ['read'],
        parameters: [NAME_PARAMETER, CODE_PARAMETER],
        answers: { 200: { description: 'By the network', schema: KeysSchema } },
        errors: [...OWNER_ERRORS, 'SVC-RES-005']
      }),
      async (c) => c.json(await registry.keysOf(askedName(c.req.param('name'), c.req.query('code'))))
    )
    .post(
      '/api/names/:name/offer',
      endpoint({
        tag: TAG,
        summary: 'Offer to take a name over, or to rotate its keys',
        description:
          'The offer has new keys of this daemon and its signature. The present owner accepts it with the change key. ' +
          'The daemon looks for the name from now on, and takes it up once that has happened.',
        access: ['publish'],
        parameters: [NAME_PARAMETER],
        body: OfferRequestSchema,
        answers: { 200: { description: 'The offer', schema: OfferSchema } },
        errors: [...OWNER_ERRORS, 'SVC-KEY-006', 'SVC-CHG-001', 'SVC-CHG-003', 'SVC-STO-001']
      }),
      async (c) => c.json(await registry.offerFor(c.req.param('name'), c.req.valid('json').alone))
    )
    .post(
      '/api/changes',
      endpoint({
        tag: TAG,
        summary: 'Accept an offer: change the keys of a name',
        description:
          'The daemon signs where the present signing key must, and publishes the record. It is final on `main` after a ' +
          'day, or after 60 days where one key alone has signed: docs/protocol/rules.md, 10. `final_after_seconds` of ' +
          'GET /api/names/{name}/keys has the times of this network.',
        access: ['admin'],
        body: AcceptRequestSchema,
        answers: { 200: { description: 'Peers hold it', schema: StoredSchema } },
        errors: [
          ...OWNER_ERRORS,
          'SVC-KEY-006',
          'SVC-OWN-001',
          'SVC-OWN-002',
          'SVC-CHG-002',
          'SVC-CHG-004',
          'SVC-PUB-001',
          'SVC-PUB-002',
          'SVC-REG-001',
          'SVC-STO-001'
        ]
      }),
      async (c) => {
        const { offer, key, signature } = c.req.valid('json')
        const { stored_by, of } = await registry.acceptOffer(offer, { key, signature })
        return c.json<StoredBody>({ success: true, stored_by, of })
      }
    )
    .get(
      '/api/change-words',
      endpoint({
        tag: TAG,
        summary: 'Whether this daemon knows of change words',
        access: ['read'],
        answers: { 200: { description: 'Their public point', schema: ChangeWordsSchema } }
      }),
      (c) => c.json(registry.changeWords())
    )
    .post(
      '/api/change-words',
      endpoint({
        tag: TAG,
        summary: 'Name change keys of these change words from now on',
        description: 'Only their public point comes here. Names claimed before keep the change key that they name.',
        access: ['admin'],
        body: ChangeWordsRequestSchema,
        answers: { 200: { description: 'Their public point', schema: ChangeWordsSchema } },
        errors: ['SVC-STO-001']
      }),
      (c) => c.json(registry.setChangePoint(c.req.valid('json').point))
    )
}

export function pinRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/pins',
      endpoint({
        tag: TAG,
        summary: 'The claims that names mean to this daemon: seen as settled, or given by their codes',
        description:
          'In order of names, at most 1,000. For the next ones, ask for those after the last name. ' +
          'docs/protocol/rules.md, 11, says what a pin does.',
        access: ['read'],
        parameters: [
          {
            name: 'after',
            in: 'query',
            description: 'A name: only those after it',
            example: 'alice.chronym',
            schema: { minLength: 1, maxLength: 255 },
            refusal: 'SVC-NAM-001'
          }
        ],
        answers: { 200: { description: 'Pins', schema: PinListSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002']
      }),
      (c) => c.json(registry.pins(c.req.query('after')))
    )
    .post(
      '/api/pins',
      endpoint({
        tag: TAG,
        summary: 'Pin names by check codes',
        description:
          'From now on each bare name means the claim with its code alone, before any look-up and for DNS too. All or ' +
          'none: a code that contradicts what is pinned is refused, and `errors` lists each. A longer code of the same ' +
          'claim takes the place of a shorter one.',
        access: ['admin'],
        body: PinCodesRequestSchema,
        answers: { 200: { description: 'They are pinned', schema: PinnedCodesSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-PIN-002', 'SVC-STO-001']
      }),
      (c) => {
        const { codes, dry_run: dryRun } = c.req.valid('json')
        return c.json(registry.pinCodes(codes, dryRun))
      }
    )
    .delete(
      '/api/pins/:name',
      endpoint({
        tag: TAG,
        summary: 'Forget what a name means',
        description:
          'The next look decides alone who owns the name: that owner is believed and, once it is seen again, pinned.',
        access: ['admin'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'It is forgotten', schema: SuccessSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-PIN-001', 'SVC-PIN-002', 'SVC-STO-001']
      }),
      (c) => {
        registry.forgetPin(c.req.param('name'))
        return c.json({ success: true } as const)
      }
    )
}

export function pinListRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/pin-lists',
      endpoint({
        tag: TAG,
        summary: 'Lists of published pins that this daemon follows',
        description: 'docs/verification.md, "Published pins", says what they decide.',
        access: ['read'],
        answers: { 200: { description: 'The lists', schema: FollowedListsSchema } }
      }),
      (c) => c.json(registry.pinLists())
    )
    .post(
      '/api/pin-lists',
      endpoint({
        tag: TAG,
        summary: 'Follow a list of published pins, fetch it again, or follow it no longer',
        description:
          'From now on a bare name means the claim whose code enough publishers name, where none names another; where ' +
          'they differ it is contested. Each list is fetched again every hour.',
        access: ['admin'],
        body: FollowRequestSchema,
        answers: { 200: { description: 'All lists that are followed', schema: FollowedListsSchema } },
        errors: ['SVC-PIN-003', 'SVC-STO-001']
      }),
      async (c) => {
        const { source, ...following } = c.req.valid('json')
        return c.json(await registry.followPinList(source, following))
      }
    )
}

export function wantedRoutes({ registry }: ApiServices) {
  return new Hono<AppEnv>()
    .get(
      '/api/wanted',
      endpoint({
        tag: TAG,
        summary: 'The names and identities of this seed that the daemon looks for',
        description: 'After a restore from the 24 words: docs/backup.md.',
        access: ['read'],
        answers: { 200: { description: 'What the daemon looks for', schema: WantedListSchema } }
      }),
      (c) => c.json(registry.adoptions())
    )
    .post(
      '/api/wanted',
      endpoint({
        tag: TAG,
        summary: 'Find and adopt a name or identity of this seed',
        description:
          'Looks up immediately, and again until it is found. For a name it uses the blinded look-up of a ' +
          'registration, which does not reveal the name.',
        access: ['publish'],
        body: WantRequestSchema,
        answers: { 200: { description: 'The outcome of the look-up', schema: WantedSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-WNT-001', 'SVC-STO-001', 'SVC-KEY-006']
      }),
      async (c) => c.json(await registry.adopt(c.req.valid('json').id))
    )
    .delete(
      '/api/wanted/:id',
      endpoint({
        tag: TAG,
        summary: 'Look for a name or identity no more',
        description: 'What the database lost is given up too: GET /api/backup does not list it any more.',
        access: ['publish'],
        parameters: [{ name: 'id', in: 'path', description: 'A name or a DID', example: 'alice.chronym' }],
        answers: { 200: { description: 'The daemon stopped looking for it', schema: SuccessSchema } },
        errors: ['SVC-WNT-002', 'SVC-STO-001']
      }),
      (c) => {
        registry.stopAdopting(c.req.param('id'))
        return c.json({ success: true } as const)
      }
    )
}
