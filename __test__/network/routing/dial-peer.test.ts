/** Peers that a user has dialled, with real nodes; and what a node without peers waits for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OWN_HOST } from '../../../scripts/loopback.ts'
import { OfflineError } from '../../../src/network/types.ts'
import { sha256, utf8 } from '../../../src/protocol/encoding/bytes.ts'
import { Lab, labProfile } from '../lab.ts'
import { waitFor } from '../../wait-for.ts'

let lab: Lab
beforeEach(() => {
  lab = new Lab()
})
afterEach(() => lab.close())

const NOBODY = '/ip4/127.0.0.1/tcp/1'

describe('dialling a peer', () => {
  it('shows the one that answers', async () => {
    const [node, other] = [await lab.addNode({ bootstrap: [] }), await lab.addNode({ bootstrap: [] })]
    const { peer_id: peer } = other.network.status()
    expect(await node.network.dial(other.address)).toMatchObject({ peer, connection: { direction: 'outbound' } })
    await lab.connected()
  })

  it('says what is wrong with an address, or with what is there', async () => {
    const [node, other] = [await lab.addNode({ bootstrap: [] }), await lab.addNode({ bootstrap: [] })]
    const another = other.address.replace(other.network.status().peer_id, node.network.status().peer_id)
    const third = await lab.addNode({ bootstrap: [] })
    for (const [address, code, reason] of [
      ['127.0.0.1:7469', 'address', 'is not a multiaddr such as'],
      [node.address, 'address', 'this daemon itself'],
      ['/ip4/192.0.2.1/tcp/7469', 'address', 'network lab is for this machine only'],
      ['/ip4/127.0.0.1/udp/7469', 'address', 'they dial TCP ports'],
      [NOBODY, 'unreached', 'ECONNREFUSED'],
      [another, 'unreached', 'another peer answers there']
    ] as const) {
      const from = address === another ? third : node
      await expect(from.network.dial(address), address).rejects.toMatchObject({
        code,
        message: expect.stringContaining(reason)
      })
    }
    await node.network.setMode('offline')
    await expect(node.network.dial(other.address)).rejects.toThrow(OfflineError)
  })

  it('leaves private addresses alone on a public network', async () => {
    const open = new Lab(
      labProfile({ scope: 'public', contest: 1, difficulty: { base: 2e6, by_length: [{ from: 1, factor: 1 }] } })
    )
    try {
      const node = await open.addNode({ bootstrap: [], listen: '/ip4/0.0.0.0/tcp/0' })
      await expect(node.network.dial('/ip4/10.0.0.1/tcp/7469')).rejects.toMatchObject({ code: 'address' })
    } finally {
      await open.close()
    }
  })
})

describe('a node that is connecting', () => {
  it('names the bootstrap peers that cannot be reached, with the reason', async () => {
    const gone = await lab.addNode({ bootstrap: [], place: OWN_HOST })
    await lab.stopNode(gone)
    const node = await lab.addNode({ bootstrap: [gone.address] })
    await waitFor(() => {
      lab.advance(2)
      expect(node.network.status().connecting).toMatch(`${gone.address} (connect ECONNREFUSED`)
    })
  })

  it('says that only light peers are connected, or none of its own network', async () => {
    const elsewhere = new Lab(labProfile({ id: 'elsewhere' }))
    try {
      const light = await lab.addNode({ mode: 'light', bootstrap: [] })
      const stranger = await elsewhere.addNode({ bootstrap: [], seed: sha256(utf8('elsewhere')) })
      const node = await lab.addNode({ bootstrap: [light.address] })
      await waitFor(() => expect(node.network.status().connecting).toContain('Only light peers are connected'))
      await node.network.dial(stranger.address)
      await waitFor(() => expect(node.network.status().connecting).toContain('another network profile'))
      await lab.addNode({ bootstrap: [node.address] })
      await waitFor(() => expect(node.network.status()).toMatchObject({ status: 'online', connecting: null }))
    } finally {
      await elsewhere.close()
    }
  })

  it('says that no bootstrap peer is configured', async () => {
    const open = new Lab(labProfile({ scope: 'test' }))
    try {
      const { network } = await open.addNode({ bootstrap: [] })
      expect(network.status()).toMatchObject({ connecting: expect.stringContaining('--bootstrap') })
      await network.setMode('offline')
      expect(network.status().connecting).toBeNull()
    } finally {
      await open.close()
    }
  })
})
