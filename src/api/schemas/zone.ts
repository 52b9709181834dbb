import * as v from 'valibot'
import { CountSchema, mapSchema } from './common.ts'

const RecordSchema = v.pipe(
  v.object({
    type: v.pipe(v.string(), v.description('A, AAAA, CNAME, TXT, MX, SRV, NS, CAA, TLSA, SSHFP, SVCB, HTTPS, URI, PTR, DS or KID')),
    value: v.pipe(v.string(), v.description('DNS presentation format; for KID a DID')),
    ttl: v.optional(v.pipe(v.number(), v.integer('Expected an integer'), v.description('Seconds, 30-86400; 300 when left out')))
  }),
  v.metadata({ ref: 'Record' })
)

/**
 * Only the shape. Which types, labels and values a zone may hold is the registry's to say (SVC-ZON-002); handlers give it the body as
 * it was received.
 */
export const ZoneSchema = v.pipe(
  v.object({
    serial: v.optional(CountSchema),
    records: v.pipe(mapSchema(v.array(RecordSchema)), v.description('Label (`@` is the apex) to its records'))
  }),
  v.metadata({
    ref: 'Zone',
    examples: [{ serial: 1, records: { '@': [{ type: 'A', value: '192.0.2.1', ttl: 300 }], www: [{ type: 'CNAME', value: '@' }] } }]
  })
)
export type ZoneBody = v.InferOutput<typeof ZoneSchema>

export const ZoneSavedSchema = v.pipe(v.object({ success: v.literal(true), serial: CountSchema }), v.metadata({ ref: 'ZoneSaved' }))
export type ZoneSavedBody = v.InferOutput<typeof ZoneSavedSchema>
