/** Connections by the network that they come from, over real sockets whose addresses the test chooses. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { boundConnections } from '../../src/api/connections.ts'

it('takes no more connections of one network than the limit, and any of this machine', async () => {
  const server = createServer()
  let from = ''
  boundConnections(
    {
      on: (_event, listener) =>
        server.on('connection', (socket: Socket) => {
          listener(Object.defineProperty(socket.resume(), 'remoteAddress', { value: from }))
          if (!socket.destroyed) socket.write('kept')
        })
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
  // A place is free again once its connection has closed.
  sockets[0]!.destroy()
  await once(sockets[0]!, 'close')
  await expect
    .poll(() => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))))
    .toBe(7)
  from = '198.51.100.9'
  const again = connect(port, '127.0.0.1')
  sockets.push(again)
  expect(String((await once(again, 'data'))[0])).toBe('kept')
  for (const socket of sockets) socket.destroy()
  server.close()
})
