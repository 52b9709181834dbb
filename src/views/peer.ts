import * as v from 'valibot'
import { TimeSchema } from './common.ts'

export const PeerSchema = v.pipe(
  v.object({
    peer: v.pipe(v.string(), v.description('Peer id')),
    prefix: v.pipe(v.nullable(v.string()), v.description('Its /24 or /48; null if it was never connected')),
    distance: v.pipe(v.number(), v.description('From this node, as a share of the key space')),
    in_table: v.pipe(v.boolean(), v.description('It can be asked; a light peer cannot')),
    connection: v.pipe(
      v.nullable(v.object({ direction: v.picklist(['inbound', 'outbound']), since: TimeSchema })),
      v.description('Null while it is not connected')
    )
  }),
  v.metadata({ ref: 'Peer' })
)
export const PeerListSchema = v.array(PeerSchema)
/** A peer of the routing table, or a connected one. */
export type PeerView = v.InferOutput<typeof PeerSchema>
