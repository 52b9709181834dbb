/** What a node dials for a peer that asks, with real nodes. */
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, it } from 'vitest'
import type { Node } from '../../../src/network/libp2p.ts'
import { createDialBack } from '../../../src/network/routing/dial-back.ts'
import type { ReachAnswer } from '../../../src/network/wire/find.ts'
import { prefixOf } from '../../../src/network/transport/addresses.ts'
import { startBareNode } from '../bare-node.ts'
import { waitFor } from '../../wait-for.ts'

const nodes: Node[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
})

async function start(options: Parameters<typeof startBareNode>[3] = {}): Promise<Node> {
  const node = await startBareNode(nodes.length, undefined, undefined, options)
  nodes.push(node)
  return node
}

const listening = (node: Node): string => node.services.listening()[0]!.toString()

/** Has `asked` dial an address for `asking`. */
function dialled(
  asked: Node,
  asking: Node,
  address: string,
  mayDial: (asking: string, dialled: string) => boolean = () => true
): Promise<ReachAnswer> {
  const from = { id: asking.peerId, prefix: prefixOf(multiaddr('/ip4/127.0.0.1')) }
  return createDialBack(asked, { dialBack: mayDial })({ type: 'reach', address: multiaddr(address).bytes }, from)
}

describe('dialling a peer back', () => {
  it('reaches it where it listens, and leaves no connection behind', async () => {
    const [asked, asking] = [await start(), await start()]
    await asking.dial(multiaddr(listening(asked)))
    expect(await dialled(asked, asking, listening(asking))).toEqual({ type: 'reached' })
    await waitFor(() => {
      expect(asked.getConnections(asking.peerId).map(({ direction }) => direction)).toEqual(['inbound'])
    })
  })

  it('needs no dial where a connection of its own leads there', async () => {
    const [asked, asking] = [await start(), await start()]
    await asked.dial(multiaddr(listening(asking)))
    const never = (): boolean => {
      throw new Error('dialled')
    }
    expect(await dialled(asked, asking, listening(asking), never)).toEqual({ type: 'reached' })
    expect(asked.getConnections(asking.peerId)).toHaveLength(1)
  })

  it('says why it does not come through: nobody there, or somebody else', async () => {
    const [asked, asking, other] = [await start(), await start(), await start()]
    expect(await dialled(asked, asking, '/ip4/127.0.0.1/tcp/1')).toMatchObject({
      code: 'unreached',
      detail: expect.stringContaining('ECONNREFUSED')
    })
    expect(await dialled(asked, asking, listening(other))).toMatchObject({
      code: 'unreached',
      detail: 'another peer answers there'
    })
  })

  it('goes nowhere that the gater forbids, and to nothing but IP addresses with a TCP port', async () => {
    const [asked, asking] = [await start(), await start()]
    for (const address of [
      '/ip4/192.0.2.1/tcp/1',
      '/dns4/localhost/tcp/1',
      '/ip4/127.0.0.1/tcp/0',
      '/ip4/127.0.0.1/udp/1'
    ])
      expect(await dialled(asked, asking, address)).toMatchObject({ type: 'refused', code: 'undialled' })
  })

  it('passes the limits of the asking side, as every connection', async () => {
    const [asked, asking] = [await start(), await start({ mayConnect: () => false })]
    expect(await dialled(asked, asking, listening(asking))).toMatchObject({ code: 'unreached' })
  })

  it('is busy beyond its budget, which is that of both prefixes', async () => {
    const [asked, asking] = [await start(), await start()]
    const charged: string[][] = []
    const none = (...prefixes: string[]): boolean => {
      charged.push(prefixes)
      return false
    }
    expect(await dialled(asked, asking, '/ip4/127.9.8.7/tcp/1', none)).toEqual({ type: 'busy' })
    expect(charged).toEqual([['127.0.0.0/24', '127.9.8.0/24']])
    expect(asked.getConnections()).toEqual([])
  })
})
