import * as v from 'valibot'

export const ConnectRequestSchema = v.pipe(
  v.object({
    address: v.pipe(
      v.string(),
      v.maxLength(300),
      v.description('Multiaddr, such as /ip4/192.0.2.1/tcp/7469/p2p/12D3KooW...; without a peer id it takes any peer')
    )
  }),
  v.metadata({ ref: 'ConnectRequest' })
)
