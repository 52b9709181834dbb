import * as v from 'valibot'
import { component, CountSchema } from './common.ts'

const WorkerSchema = v.object({
  worker: v.string(),
  threads: CountSchema,
  busy: v.pipe(CountSchema, v.description('Evaluations that it has, of all daemons')),
  iterations_per_second: v.number()
})

export const FarmViewSchema = component('Farm', {
  enabled: v.pipe(v.boolean(), v.description('Whether `vdf.farm` is set')),
  connected: v.pipe(v.boolean(), v.description('Whether its server is reached')),
  workers: v.pipe(v.array(WorkerSchema), v.description('Those heard of in the last seconds that may have work')),
  tasks: v.pipe(CountSchema, v.description('Evaluations that this daemon has there')),
  wrong_proofs: v.pipe(CountSchema, v.description('Since the start')),
  barred: v.pipe(v.array(v.string()), v.description('Workers that sent one, since the start')),
  outdated: v.pipe(
    v.array(v.string()),
    v.description("Workers of another version, which take none of this daemon's work")
  )
})
export type FarmView = v.InferOutput<typeof FarmViewSchema>

/** Without `vdf.farm`. */
export const NO_FARM: FarmView = {
  enabled: false,
  connected: false,
  workers: [],
  tasks: 0,
  wrong_proofs: 0,
  barred: [],
  outdated: []
}
