/** Connections by the network that they come from, over real sockets whose addresses the test chooses. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { boundConnections } from '../../src/api/connections.ts'

it('takes so many connections of one network, and any of this machine', async () => {
  const server = createServer()
  let from = ''
  boundConnections(
    {
      on: (_event, listener) =>
        server.on('connection', (socket: Socket) =>
          listener(Object.defineProperty(socket.resume(), 'remoteAddress', { value: from }))
        )
    },
    10,
    2
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  const addresses = [
    ...['198.51.100.1', '198.51.100.2', '::ffff:198.51.100.3', '198.51.101.1'],
    ...['2001:db8:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '127.0.0.1', '127.0.0.2', '::1']
  ]
  for (from of addresses) {
    sockets.push(connect(port, '127.0.0.1').on('error', () => undefined))
    await once(server, 'connection')
  }
  const refused = () => sockets.flatMap(({ closed }, index) => (closed ? [addresses[index]] : []))
  await expect.poll(refused).toEqual(['::ffff:198.51.100.3', '2001:db8:1:3::1'])
  for (const socket of sockets) socket.destroy()
  server.close()
})
