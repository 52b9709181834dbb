import { Hono, type Context } from 'hono'
import { ServiceError } from '../../errors.ts'
import { allows, endpoint } from '../endpoint.ts'
import { type AppEnv, etagMatches, etagOf, ifMatchSerial } from '../http/request.ts'
import { IF_MATCH_PARAMETER, IF_NONE_MATCH_PARAMETER, NAME_PARAMETER, CODE_PARAMETER } from '../openapi/parameters.ts'
import { SuccessSchema, ZonePublishedSchema, type ZonePublishedBody } from '../schemas/common.ts'
import {
  ZoneCheckedSchema,
  ZonePatchSchema,
  ZoneSavedSchema,
  ZoneSchema,
  type ZoneBody,
  type ZoneCheckedBody,
  type ZoneSavedBody
} from '../schemas/zone.ts'
import { ZoneDraftListSchema } from '../../views/own.ts'
import type { ApiServices } from '../services.ts'
import { askedName, RESOLVE_ERRORS } from './resolve.ts'

const ETAG = { description: 'Made from the serial of the zone', schema: { type: 'string' as const } }

const SAVE_ERRORS = [
  'SVC-NAM-001',
  'SVC-NAM-002',
  'SVC-OWN-001',
  'SVC-OWN-002',
  'SVC-ZON-002',
  'SVC-ZON-004',
  'SVC-STO-001',
  'SVC-KEY-006'
] as const

export function zoneRoutes({ registry }: ApiServices) {
  /** A reserved name can have no zone here; on the network it is simply nobody's. */
  const localZone = (name: string) => {
    try {
      return registry.localZone(name)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'SVC-NAM-002') return undefined
      throw error
    }
  }

  /** The local zone is shown to those who may read or edit it; to all others the public one. */
  const zoneFor = async (c: Context<AppEnv>, name: string) => {
    const local = allows(c.get('caller'), ['read', 'publish']) ? localZone(name) : undefined
    return local ?? (await registry.publicZone(name, c.req.raw.signal))
  }

  const standingSerial = (name: string) => {
    const local = registry.localZone(name)
    return local === undefined ? undefined : (local.zone.serial ?? 0)
  }

  return new Hono<AppEnv>()
    .get(
      '/api/zone/:name',
      endpoint({
        tag: 'Zones',
        summary: 'The DNS zone of a name',
        description:
          'Without a token: the zone of the Reveal found on the network. With one (scope read or publish): ' +
          'the draft saved here, else what this daemon published for its name, else as without.',
        access: 'public',
        isLookUp: true,
        parameters: [NAME_PARAMETER, CODE_PARAMETER, IF_NONE_MATCH_PARAMETER],
        answers: {
          200: {
            description: 'The zone',
            schema: ZoneSchema,
            headers: {
              'X-Zone-Source': {
                description: '`local`, `network`; `own` or `held` where no peer answered',
                schema: { type: 'string' }
              },
              'X-Zone-State': {
                description: '`draft`: saved here and not published; `published`',
                schema: { type: 'string' }
              },
              ETag: ETAG
            }
          },
          304: { description: 'The zone is still the one that If-None-Match names' }
        },
        errors: [...RESOLVE_ERRORS, 'SVC-ZON-001']
      }),
      async (c) => {
        const { zone, source, state } = await zoneFor(c, askedName(c.req.param('name'), c.req.query('code')))
        const etag = etagOf(zone.serial ?? 0)
        c.header('X-Zone-Source', source)
        c.header('X-Zone-State', state)
        c.header('Vary', 'Authorization, Cookie', { append: true })
        c.header('ETag', etag)
        return etagMatches(c.req.header('If-None-Match'), etag) ? c.body(null, 304) : c.json(zone as ZoneBody)
      }
    )
    .post(
      '/api/zone/:name',
      endpoint({
        tag: 'Zones',
        summary: 'Save the local zone of a name',
        description:
          'Replaces the whole zone and drops records that are not sent (PATCH changes some). Saves a ' +
          'draft, which nobody else sees until you publish it. This daemon must own or be registering the ' +
          'name; POST /api/vdf/register takes a zone too.',
        access: ['publish'],
        body: ZoneSchema,
        isBodyAsReceived: true,
        parameters: [NAME_PARAMETER, IF_MATCH_PARAMETER],
        answers: { 200: { description: 'Saved', schema: ZoneSavedSchema, headers: { ETag: ETAG } } },
        errors: SAVE_ERRORS
      }),
      (c) => {
        const name = c.req.param('name')
        const expected = ifMatchSerial(c.req.header('If-Match'), () => standingSerial(name))
        const { serial } = registry.saveZone(name, c.req.valid('json'), expected)
        c.header('ETag', etagOf(serial))
        return c.json<ZoneSavedBody>({ success: true, serial })
      }
    )
    .patch(
      '/api/zone/:name',
      endpoint({
        tag: 'Zones',
        summary: 'Add and remove records of a zone',
        description:
          'A change of the draft, else of the published zone; all other records stay. Saves only, as POST does.',
        access: ['publish'],
        body: ZonePatchSchema,
        isBodyAsReceived: true,
        parameters: [NAME_PARAMETER, IF_MATCH_PARAMETER],
        answers: { 200: { description: 'Saved', schema: ZoneSavedSchema, headers: { ETag: ETAG } } },
        errors: SAVE_ERRORS
      }),
      (c) => {
        const name = c.req.param('name')
        const expected = ifMatchSerial(c.req.header('If-Match'), () => standingSerial(name))
        const { remove = [], add = {} } = c.req.valid('json')
        const { serial } = registry.patchZone(name, { remove, add }, expected)
        c.header('ETag', etagOf(serial))
        return c.json<ZoneSavedBody>({ success: true, serial })
      }
    )
    .delete(
      '/api/zone/:name',
      endpoint({
        tag: 'Zones',
        summary: 'Discard the draft of a zone',
        description: 'What is published stays as it is.',
        access: ['publish'],
        parameters: [NAME_PARAMETER, IF_MATCH_PARAMETER],
        answers: { 200: { description: 'Discarded', schema: SuccessSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002', 'SVC-ZON-003', 'SVC-ZON-004', 'SVC-STO-001']
      }),
      (c) => {
        const name = c.req.param('name')
        registry.discardZone(
          name,
          ifMatchSerial(c.req.header('If-Match'), () => standingSerial(name))
        )
        return c.json({ success: true as const })
      }
    )
    .post(
      '/api/zone/:name/check',
      endpoint({
        tag: 'Zones',
        summary: 'Hold a zone against the rules',
        description: 'For editors, as one types. Saves nothing, and asks no peer.',
        access: ['read', 'publish'],
        body: ZoneSchema,
        isBodyAsReceived: true,
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'What saving it would say', schema: ZoneCheckedSchema } },
        errors: ['SVC-NAM-001', 'SVC-NAM-002']
      }),
      (c) => c.json<ZoneCheckedBody>(checked(() => registry.checkZone(c.req.param('name'), c.req.valid('json'))))
    )
    .get(
      '/api/drafts',
      endpoint({
        tag: 'Zones',
        summary: 'The zones that were saved here and not published',
        access: ['read', 'publish'],
        answers: { 200: { description: 'Drafts, by name', schema: ZoneDraftListSchema } },
        errors: ['SVC-STO-001']
      }),
      (c) => c.json(registry.drafts())
    )
    .post(
      '/api/zone/:name/publish',
      endpoint({
        tag: 'Zones',
        summary: 'Sign the local zone and publish it',
        access: ['publish'],
        parameters: [NAME_PARAMETER],
        answers: { 200: { description: 'Live at `stored_by` of the `of` peers asked', schema: ZonePublishedSchema } },
        errors: [
          'SVC-NAM-001',
          'SVC-NAM-002',
          'SVC-OWN-001',
          'SVC-OWN-002',
          'SVC-ZON-003',
          'SVC-RES-001',
          'SVC-RES-003',
          'SVC-REG-001',
          'SVC-PUB-001',
          'SVC-PUB-002',
          'SVC-STO-001',
          'SVC-KEY-006'
        ]
      }),
      async (c) => {
        const { serial, stored_by, of } = await registry.publishZone(c.req.param('name'), c.req.raw.signal)
        return c.json<ZonePublishedBody>({ success: true, serial, stored_by, of })
      }
    )
}

function checked(check: () => void): ZoneCheckedBody {
  try {
    check()
    return { valid: true, errors: [] }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SVC-ZON-002') throw error
    return { valid: false, errors: [...error.errors] }
  }
}
