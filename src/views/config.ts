import * as v from 'valibot'
import { component } from './common.ts'

const ConfigSourceSchema = v.picklist(['default', 'file', 'run time', 'environment', 'flag'])

const ConfigFieldSchema = component('ConfigField', {
  field: v.string(),
  value: v.unknown(),
  source: ConfigSourceSchema,
  changeable: v.pipe(v.boolean(), v.description('It can change while the daemon runs')),
  help: v.pipe(v.string(), v.description('What it is for')),
  kind: v.picklist(['string', 'number', 'boolean', 'list']),
  choices: v.pipe(v.nullable(v.array(v.string())), v.description('The values it may have; null where others fit')),
  flag: v.pipe(v.string(), v.description('Of chronymd')),
  environment: v.pipe(v.string(), v.description('The variable that sets it')),
  otherwise: v.optional(
    v.pipe(
      v.object({ value: v.unknown(), source: ConfigSourceSchema }),
      v.description('Of a field set at run time: what applies once that is unset')
    )
  )
})
export type ConfigFieldView = v.InferOutput<typeof ConfigFieldSchema>
export const ConfigFieldListSchema = v.array(ConfigFieldSchema)
