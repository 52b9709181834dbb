import * as v from 'valibot'
import { NameOrDidSchema } from '../../views/wanted.ts'

export const WantRequestSchema = v.pipe(v.object({ id: NameOrDidSchema }), v.metadata({ ref: 'WantRequest' }))
