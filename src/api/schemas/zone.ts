import * as v from 'valibot'
import { component, CountSchema } from '../../views/common.ts'
import { mapSchema } from './common.ts'

const RecordSchema = component('Record', {
  type: v.pipe(
    v.string(),
    v.metadata({ minLength: 1, maxLength: 5 }),
    v.description('A, AAAA, CNAME, TXT, MX, SRV, NS, CAA, TLSA, SSHFP, SVCB, HTTPS, URI, PTR, DS or KID')
  ),
  value: v.pipe(v.string(), v.description('DNS presentation format; for KID a DID')),
  ttl: v.optional(
    v.pipe(
      v.number(),
      v.integer('Expected an integer'),
      v.metadata({ minimum: 30, maximum: 86400 }),
      v.description('Seconds, 30-86400; 300 when left out')
    )
  )
})

/**
 * Only the shape. Which types, labels and values a zone may hold is the registry's to say (SVC-ZON-002); handlers give
 * it the body as it was received.
 */
export const ZoneSchema = v.pipe(
  v.object({
    serial: v.optional(
      v.pipe(
        CountSchema,
        v.description(
          'Of a zone to save: higher than any serial seen of the name (SVC-ZON-002); the next one when left out'
        )
      )
    ),
    records: v.pipe(mapSchema(v.array(RecordSchema)), v.description('Label (`@` is the apex) to its records'))
  }),
  v.metadata({
    ref: 'Zone',
    examples: [
      {
        serial: 7,
        records: { '@': [{ type: 'A', value: '192.0.2.1', ttl: 300 }], www: [{ type: 'CNAME', value: '@' }] }
      }
    ]
  })
)
export type ZoneBody = v.InferOutput<typeof ZoneSchema>

export const ZoneSavedSchema = component('ZoneSaved', { success: v.literal(true), serial: CountSchema })
export type ZoneSavedBody = v.InferOutput<typeof ZoneSavedSchema>

export const ZoneCheckedSchema = component('ZoneChecked', {
  valid: v.boolean(),
  errors: v.pipe(
    v.array(v.object({ path: v.string(), message: v.string() })),
    v.description('What saving it would refuse (SVC-ZON-002): the first 20')
  )
})
export type ZoneCheckedBody = v.InferOutput<typeof ZoneCheckedSchema>

/** Only the shape, as with {@link ZoneSchema}. */
export const ZonePatchSchema = v.pipe(
  v.unknown(),
  v.check((input) => !Array.isArray(input), 'Expected an object'),
  v.object({
    remove: v.optional(
      v.pipe(
        v.array(
          v.object({
            label: v.string(),
            type: v.pipe(v.optional(v.string()), v.description('All types of the label if omitted')),
            value: v.pipe(v.optional(v.string()), v.description('As in the zone; all values if omitted'))
          })
        ),
        v.description('Records to remove, before any is added; each must match one (SVC-ZON-002)')
      )
    ),
    add: v.optional(
      v.pipe(
        mapSchema(v.array(RecordSchema)),
        v.description('Label to records; an existing record takes the ttl given here')
      )
    )
  }),
  v.check(({ remove, add }) => remove !== undefined || add !== undefined, 'Expected records to remove or to add'),
  v.metadata({
    ref: 'ZonePatch',
    examples: [{ remove: [{ label: 'www', type: 'CNAME' }], add: { www: [{ type: 'A', value: '192.0.2.1' }] } }]
  })
)

export type ZonePatchBody = v.InferOutput<typeof ZonePatchSchema>
