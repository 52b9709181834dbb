import * as v from 'valibot'
import { component, CountSchema, NameSchema, TimeSchema } from './common.ts'

const ModeSchema = v.picklist(['full', 'light', 'offline'])

/** The peers of the routing table, and how many the fixed quorums need. */
const DiversitySchema = v.object({
  peers: v.pipe(
    CountSchema,
    v.description('Diverse peers of the routing table: of one prefix at most as many as the network counts')
  ),
  prefixes: v.pipe(CountSchema, v.description('The /24, and by IPv6 the /32, that its peers are in')),
  wide_prefixes: v.pipe(CountSchema, v.description('The /16, and by IPv6 the /24, that its peers are in')),
  needed: v.pipe(
    v.object({
      answer: v.pipe(CountSchema, v.description('More than half of k: an answer that is not thin')),
      settle: v.pipe(CountSchema, v.description('Settling and repair: repair_quorum')),
      adopt: v.pipe(CountSchema, v.description('Adoption by nodes that hold nothing: witness_quorum'))
    }),
    v.description('Diverse peers')
  ),
  missing: v.pipe(
    v.object({ peers: CountSchema, prefixes: CountSchema, wide_prefixes: CountSchema }),
    v.description('The fewest further peers needed for all of that, and their further prefixes')
  ),
  enough: v.boolean(),
  message: v.pipe(
    v.nullable(v.string()),
    v.description('What is missing and what that means, in plain words; null when there are enough')
  )
})

const AddressSchema = v.object({
  address: v.pipe(v.string(), v.description('Multiaddr with the peer id, as `--bootstrap` takes it')),
  state: v.pipe(
    v.picklist(['announced', 'unconfirmed', 'local']),
    v.description(
      '`announced`: peers are told. `unconfirmed`: not before a peer has dialled it. ' +
        '`local`: never told, for this machine or its own network'
    )
  ),
  confirmed_by: v.pipe(
    v.array(v.string()),
    v.description('Ids of peers that dialled it, most recent first; eight at most')
  ),
  message: v.pipe(v.nullable(v.string()), v.description('Why it is not announced, and the cure'))
})

export const NetworkStatusSchema = component('NetworkStatus', {
  status: v.picklist(['online', 'connecting', 'offline']),
  connecting: v.pipe(
    v.nullable(v.string()),
    v.description('While `status` is `connecting`: what is missing, and the cure, in one line; otherwise null')
  ),
  peers: v.pipe(CountSchema, v.description('Connected peers')),
  mode: v.pipe(ModeSchema, v.description('In force')),
  auto: v.pipe(
    v.nullable(v.string()),
    v.description('Where mode `auto` decides between full and light: why it is that one, and the cure; otherwise null')
  ),
  peer_id: v.string(),
  network: v.string(),
  size: v.pipe(
    v.nullable(CountSchema),
    v.description('Estimated nodes of the network, including this one; null while offline')
  ),
  beacon: v.object({
    round: v.pipe(v.nullable(CountSchema), v.description('The highest verified round')),
    age_seconds: v.nullable(v.number()),
    message: v.pipe(
      v.nullable(v.string()),
      v.description('Why pulses do not come, or by how much the clock of this machine is off; null while all is well')
    )
  }),
  addresses: v.pipe(
    v.array(AddressSchema),
    v.description('Where this daemon listens for peers, or is to be announced; none while offline')
  ),
  records: v.pipe(CountSchema, v.description('Records held for the network')),
  alone: v.pipe(
    v.boolean(),
    v.description('No peer answers look-ups: own names and records held here are answered from here, as thin')
  ),
  diversity: v.pipe(
    v.nullable(DiversitySchema),
    v.description('Whether the peers known are of enough address prefixes; null where the network limits none')
  )
})
export type NetworkStatusView = v.InferOutput<typeof NetworkStatusSchema>
export type NetworkDiversityView = v.InferOutput<typeof DiversitySchema>

export const PeerSchema = component('Peer', {
  peer: v.pipe(v.string(), v.description('Peer id')),
  prefix: v.pipe(v.nullable(v.string()), v.description('Its /24 or /48; null if it was never connected')),
  distance: v.pipe(v.number(), v.description('From this node, as a share of the key space')),
  in_table: v.pipe(v.boolean(), v.description('It can be asked; a light peer cannot')),
  agent: v.pipe(
    v.nullable(v.string()),
    v.description('The program and version that it says it is; null before that, and while it is not connected')
  ),
  connection: v.pipe(
    v.nullable(v.object({ direction: v.picklist(['inbound', 'outbound']), since: TimeSchema })),
    v.description('Null while it is not connected')
  )
})
export const SampledNamesSchema = v.array(NameSchema)
export const PeerClocksSchema = v.array(
  component('PeerClock', {
    peer: v.pipe(v.string(), v.description('Peer id')),
    ahead_ms: v.pipe(
      v.pipe(v.number(), v.safeInteger()),
      v.description("How far its clock is ahead of this machine's; half a round trip of it is not certain")
    )
  })
)
export type PeerClockView = v.InferOutput<typeof PeerClocksSchema>[number]
export const PeerListSchema = v.array(PeerSchema)
/** A peer of the routing table, or a connected one. */
export type PeerView = v.InferOutput<typeof PeerSchema>
