/** UPnP over real sockets: routers that refuse, that answer with anything, and machines that pretend to be one. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { findUpnp, openUpnp } from '../../../src/network/mapping/upnp.ts'
import { locationIn, mappingServiceIn, valueIn } from '../../../src/network/mapping/router-texts.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Returns the address of its description. */
async function httpServer(listener: RequestListener, host = '127.0.0.1'): Promise<URL> {
  const server = createServer(listener).listen(0, host)
  await once(server, 'listening')
  ends.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return new URL(`http://${host}:${(server.address() as AddressInfo).port}/desc.xml`)
}

const description = (control: string): string =>
  '<root><service><serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1</serviceType>' +
  '<controlURL>/other</controlURL></service><!-- <service> --><service id="1"> <serviceType>' +
  `urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><controlURL>${control}</controlURL></service></root>`

describe('UPnP', () => {
  const calls: string[] = []
  /** `answers`: error codes for AddPortMapping, in turn; then it succeeds. */
  const serve = async (control: string, answers: readonly string[] = []): Promise<URL> => {
    calls.length = 0
    const left = [...answers]
    return httpServer((request, response) => {
      if (request.method === 'GET') {
        response.end(description(control))
        return
      }
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const read = (name: string): string => new RegExp(`<${name}>(.*?)</`).exec(body)?.[1] ?? ''
        const action = /#(\w+)/.exec(String(request.headers['soapaction']))![1]!
        calls.push(
          `${action} ${read('NewExternalPort')} ${read('NewInternalClient')} ${read('NewLeaseDuration')}`.trim()
        )
        const code = action === 'AddPortMapping' ? left.shift() : undefined
        if (code !== undefined) response.statusCode = 500
        const value = '<NewExternalIPAddress>45.1.2.3</NewExternalIPAddress>'
        response.end(`<s:Envelope>${code === undefined ? value : `<errorCode>${code}</errorCode>`}</s:Envelope>`)
      })
    })
  }

  it('of version 1 maps, and removes what it mapped', async () => {
    const router = await openUpnp(await serve('/control'), '192.168.1.2')
    expect(await router.map(7_469)).toEqual({ ip: '45.1.2.3', port: 7_469 })
    await router.unmap(7_469)
    expect(calls).toEqual(['AddPortMapping 7469 192.168.1.2 3600', 'GetExternalIPAddress', 'DeletePortMapping 7469'])
  })

  it('takes another port where one is taken, keeps it, and maps for good where the router knows nothing else', async () => {
    const router = await openUpnp(await serve('/control', ['718', '725']), '192.168.1.2')
    const { port } = await router.map(7_469)
    expect(port).not.toBe(7_469)
    expect(await router.map(7_469)).toMatchObject({ port })
    await router.unmap(7_469)
    expect(calls[2]).toBe(`AddPortMapping ${port} 192.168.1.2 0`)
    expect(calls.at(-1)).toBe(`DeletePortMapping ${port}`)
  })

  it('passes on a refusal', async () => {
    const router = await openUpnp(await serve('/control', ['606']), '192.168.1.2')
    await expect(router.map(7_469)).rejects.toThrow('UPnP: the router answers 606')
  })

  it('is led to no other machine, and to no other protocol', async () => {
    for (const control of ['http://127.0.0.2/control', 'https://127.0.0.1/control'])
      await expect(openUpnp(await serve(control), '192.168.1.2')).rejects.toThrow('leads to another machine')
  })
})

describe('A hostile router', () => {
  /** Answers the description with `described`, and all else with status and text. */
  const serve = (described: string, status: number, text: string): Promise<URL> =>
    httpServer((request, response) => {
      response.statusCode = request.method === 'GET' ? 200 : status
      response.end(request.method === 'GET' ? described : text)
    })

  it('gets no text of its own into an answer or a message', async () => {
    const escapes = '\u001b[8m\r\nhidden'
    const own = '192.168.1.2'
    for (const address of ['', escapes, '1.2.3.4.5', '2a00::1', '1'.repeat(9_000)]) {
      const text = `<NewExternalIPAddress>${address}</NewExternalIPAddress>`
      const router = await openUpnp(await serve(description('/control'), 200, text), own)
      expect(await router.map(7_469)).toEqual({ ip: '0.0.0.0', port: 7_469 })
    }
    for (const code of ['', escapes, '1'.repeat(9_000)]) {
      const router = await openUpnp(await serve(description('/control'), 500, `<errorCode>${code}</errorCode>`), own)
      await expect(router.map(7_469)).rejects.toThrow(/^UPnP: the router answers 500$/)
    }
  })

  it('is heard up to 16 KiB, its head included', async () => {
    const long = description('/control').replace('<root>', `<root>${' '.repeat(16 * 1024)}`)
    const heads = await httpServer((_, response) => {
      response.setHeader('x-long', 'x'.repeat(8_000)).end(`${' '.repeat(9_000)}${description('/control')}`)
    })
    for (const location of [await serve(long, 200, ''), heads])
      await expect(openUpnp(location, '192.168.1.2')).rejects.toThrow('more than 16384 bytes')
  })

  it('sends this machine nowhere else by a redirect', async () => {
    let isAsked = false
    const elsewhere = await httpServer((_, response) => {
      isAsked = true
      response.end(description('/control'))
    })
    const redirecting = await httpServer((_, response) => response.writeHead(302, { location: elsewhere.href }).end())
    await expect(openUpnp(redirecting, '192.168.1.2')).rejects.toThrow('maps no ports')
    expect(isAsked).toBe(false)
  })
})

/** The search of findUpnp, heard and answered on the loopback interface. */
describe('A search', () => {
  const GATEWAY = '127.54.0.1'
  const speaker = async (host: string): Promise<Socket> => {
    const socket = createSocket('udp4')
    socket.bind(0, host)
    await once(socket, 'listening')
    ends.push(() => socket.close())
    return socket
  }

  it('is answered by the default gateway alone, which names no other machine', async () => {
    const location = await httpServer((_, response) => response.end(description('/control')), GATEWAY)
    const asked: string[] = []
    const trap = await httpServer((_, response) => response.end(asked.push('trap')), '127.54.0.9')
    const [gateway, liar] = [await speaker(GATEWAY), await speaker('127.54.0.9')]
    const listener = createSocket({ type: 'udp4', reuseAddr: true })
    ends.push(() => listener.close())
    listener.bind(1900)
    await once(listener, 'listening')
    listener.addMembership('239.255.255.250', '127.0.0.1')
    const answer = (url: URL | string): string => `HTTP/1.1 200 OK\r\nST: x\r\nLOCATION: ${String(url)}\r\n\r\n`
    listener.on('message', (_, { port, address }) => {
      if (address !== '127.54.0.2') return
      liar.send(answer(trap), port, address)
      liar.send(answer(location), port, address)
      gateway.send(answer(trap), port, address)
      gateway.send(answer(location.href.replace('http:', 'https:')), port, address)
      // After the others, so that each of them had its chance.
      if (asked.push('search') > 1) gateway.send(answer(location), port, address)
    })
    await findUpnp({ own: '127.54.0.2', gateway: GATEWAY })
    expect(asked).toEqual(['search', 'search'])
  })
})

it('reads what real routers write', () => {
  const answer =
    'HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nlocation:http://192.168.1.1:5000/rootDesc.xml\r\n\r\n'
  expect(locationIn(Buffer.from(answer))).toBe('http://192.168.1.1:5000/rootDesc.xml')
  const service = (name: string): string =>
    `<service><serviceType>urn:schemas-upnp-org:service:${name}</serviceType><controlURL>/${name}</controlURL></service>`
  const both = service('WANIPConnection:1') + service('WANIPConnection:2') + service('WANCommonInterfaceConfig:1')
  expect(mappingServiceIn(both)?.path).toBe('/WANIPConnection:2')
  expect(
    valueIn('<s:Body><m:NewExternalIPAddress xmlns:m="x">\n 45.1.2.3 </m:NewExternalIPAddress>', 'NewExternalIPAddress')
  ).toBe('45.1.2.3')
})
