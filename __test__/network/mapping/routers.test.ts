/** Routers that refuse, and machines that pretend to be one. Real ones: __test__/e2e/home-routers.test.ts. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { natPmp, pcp } from '../../../src/network/mapping/port-control.ts'
import { BY_IPV4, keepPortMapped, type PortMapping } from '../../../src/network/mapping/port-mapping.ts'
import type { Router, Way } from '../../../src/network/mapping/router.ts'
import { openUpnp } from '../../../src/network/mapping/upnp.ts'
import { portToMap } from '../../../src/network/routing/own-addresses.ts'
import { waitFor } from '../../wait-for.ts'

const ends: (() => Promise<unknown>)[] = []
beforeEach(() => {
  // However long the machine stops this process, an answer that is there is read before it is asked for again.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  vi.useRealTimers()
})

describe('NAT-PMP', () => {
  const serve = async (answer: (request: Buffer) => readonly Buffer[]): Promise<number> => {
    const socket: Socket = createSocket('udp4')
    socket.on('message', (request, { port, address }) => {
      for (const each of answer(request)) socket.send(each, port, address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    ends.push(async () => socket.close())
    return socket.address().port
  }
  const answerTo = (request: Buffer, result: number): Buffer => {
    const answer = Buffer.alloc(request[1] === 0 ? 12 : 16)
    answer[1] = 128 + request[1]!
    answer.writeUInt16BE(result, 2)
    if (request[1] === 0) answer.set([45, 1, 2, 3], 8)
    else answer.writeUInt16BE(7_000, 10)
    return answer
  }

  it('takes the address and the port that the router says, whatever was asked for, and asks again when a packet is lost', async () => {
    const asked: number[] = []
    const port = await serve((request) => {
      asked.push(request[1]!)
      return asked.length === 1 ? [] : [Buffer.from([0, 77]), answerTo(request, 0)]
    })
    expect(await natPmp('127.0.0.1', port).map(7_469)).toEqual({ ip: '45.1.2.3', port: 7_000 })
    expect(asked).toEqual([0, 0, 2])
  })

  it('says why a router refuses', async () => {
    const port = await serve((request) => [answerTo(request, 2)])
    await expect(natPmp('127.0.0.1', port).map(7_469)).rejects.toThrow('NAT-PMP: it is turned off')
  })

  it('gives up on a machine that does not speak it', async () => {
    await expect(natPmp('127.0.0.1', await serve(() => [])).map(7_469)).rejects.toThrow('NAT-PMP: no answer')
  })
})

describe('PCP', () => {
  const serve = async (
    host: string,
    answer: (request: Buffer) => Buffer
  ): Promise<{ asked: Buffer[]; port: number }> => {
    const socket = createSocket('udp6')
    const asked: Buffer[] = []
    socket.on('message', (request, { port, address }) => {
      asked.push(request)
      socket.send(answer(request), port, address)
    })
    socket.bind(0, host)
    await once(socket, 'listening')
    ends.push(async () => socket.close())
    return { asked, port: socket.address().port }
  }
  const granted = (request: Buffer): Buffer => {
    const answer = Buffer.from(request)
    answer[1] = 128 + request[1]!
    answer.fill(0, 8, 24)
    return answer
  }

  it('asks for, renews and gives back one opening, by one nonce, from the address that it is for', async () => {
    const { asked, port } = await serve('::1', granted)
    const router = pcp('::1', '::1', port)
    expect(await router.map(7_469)).toEqual({ ip: '::1', port: 7_469 })
    await router.map(7_469)
    await router.unmap(7_469)
    expect(asked.map((request) => request.readUInt32BE(4))).toEqual([3_600, 3_600, 0])
    expect(new Set(asked.map((request) => request.subarray(24, 36).toString('hex'))).size).toBe(1)
    // RFC 6887, 7.1 and 11.1: version 2, MAP; the client's address; TCP; internal and suggested external port.
    const [first] = asked
    expect(first!.subarray(0, 2)).toEqual(Buffer.from([2, 1]))
    expect(first!.subarray(8, 24)).toEqual(Buffer.from([...new Uint8Array(15), 1]))
    expect([first![36], first!.readUInt16BE(40), first!.readUInt16BE(42), first!.length]).toEqual([6, 7_469, 7_469, 60])
  })

  it('says why a router refuses', async () => {
    const { port } = await serve('::1', (request) => granted(request).fill(2, 3, 4))
    await expect(pcp('::1', '::1', port).map(7_469)).rejects.toThrow('PCP: it is turned off')
  })
})

describe('a mapping that is kept', () => {
  /** What NAT-PMP was asked: the lifetimes. The address of the machine is the gateway's own, which every port fits. */
  const gateway = async (host: string, ip: readonly number[]): Promise<number[]> => {
    const asked: number[] = []
    const socket = createSocket('udp4')
    socket.on('message', (request, { port, address }) => {
      const answer = Buffer.alloc(16)
      answer[1] = 128 + request[1]!
      if (request[1] === 0) answer.set(ip, 8)
      else {
        answer.writeUInt16BE(7_000, 10)
        asked.push(request.readUInt32BE(8))
      }
      socket.send(answer, port, address)
    })
    socket.bind(5_351, host)
    await once(socket, 'listening')
    ends.push(async () => socket.close())
    return asked
  }
  const keep = (ways: { now: Way | undefined }, family = BY_IPV4): { mapping: PortMapping; look: () => void } => {
    let look = (): void => undefined
    const mapping = keepPortMapped({
      timers: { every: (_, action) => ((look = action), () => undefined) },
      log: pino({ level: 'silent' }),
      port: () => 7_469,
      family,
      wayOut: async () => ways.now
    })
    return { mapping, look: () => look() }
  }

  it('is renewed, follows the machine to another network, and is removed at the end', async () => {
    const [first, second] = [await gateway('127.51.0.1', [45, 1, 2, 3]), await gateway('127.52.0.1', [45, 1, 2, 4])]
    const ways = { now: { own: '127.0.0.1', gateway: '127.51.0.1' } as Way | undefined }
    const { mapping, look } = keep(ways)
    await waitFor(() => expect(mapping.address()?.toString()).toBe('/ip4/45.1.2.3/tcp/7000'))
    for (let index = 0; index < 4; index++) {
      look()
      await waitFor(() => expect(first).toHaveLength(index < 3 ? 1 : 2))
      await setImmediate()
    }
    ways.now = { own: '127.0.0.1', gateway: '127.52.0.1' }
    await waitFor(() => {
      look()
      expect(mapping.address()?.toString()).toBe('/ip4/45.1.2.4/tcp/7000')
    })
    expect(first).toEqual([3_600, 3_600, 0])
    await mapping.close()
    expect(second).toEqual([3_600, 0])
  })

  it('is renewed and removed by the one that mapped it, though the router was silent meanwhile', async () => {
    const asked: string[] = []
    let isSilent = false
    let made = 0
    const router = (): Router => {
      const number = ++made
      return {
        async map(port) {
          asked.push(`map by ${number}`)
          if (isSilent) throw new Error('no answer')
          return { ip: '45.1.2.3', port }
        },
        unmap: async () => void asked.push(`unmap by ${number}`)
      }
    }
    const { mapping, look } = keep(
      { now: { own: '127.0.0.1', gateway: undefined } },
      { ...BY_IPV4, routers: () => [router] }
    )
    const until = (isThere: boolean): Promise<void> =>
      waitFor(() => {
        look()
        expect(mapping.address() !== undefined).toBe(isThere)
      })
    await until(true)
    for (const silent of [true, false, true]) {
      isSilent = silent
      await until(!silent)
    }
    await mapping.close()
    expect(asked).toEqual([...['map by 1', 'map by 1', 'map by 2', 'map by 1', 'map by 1', 'map by 3'], 'unmap by 1'])
  })

  it('to a router behind another one gives no address, and says so', async () => {
    await gateway('127.53.0.1', [100, 64, 7, 2])
    const { mapping } = keep({ now: { own: '127.0.0.1', gateway: '127.53.0.1' } })
    await waitFor(() => expect(mapping.fault()).toContain('its own address, 100.64.7.2, is not public'))
    expect(mapping.address()).toBeUndefined()
    await mapping.close()
  })
})

describe('UPnP', () => {
  const calls: string[] = []
  /** `answers`: error codes for AddPortMapping, in turn; then it succeeds. */
  const serve = async (control: string, answers: readonly string[] = []): Promise<URL> => {
    calls.length = 0
    const left = [...answers]
    const server: Server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.end(
          '<root><service><serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1</serviceType>' +
            '<controlURL>/other</controlURL></service><service> <serviceType>' +
            `urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><controlURL>${control}</controlURL></service></root>`
        )
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
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/desc.xml`)
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

it.each([
  [['/ip4/127.0.0.1/tcp/1', '/ip4/192.168.1.2/tcp/2'], 2, undefined],
  [['/ip4/127.0.0.1/tcp/1', '/ip6/::1/tcp/1'], undefined, undefined],
  [['/ip4/45.1.2.3/tcp/2', '/ip4/10.0.0.1/tcp/2', '/ip6/2a00:1::2/tcp/3'], undefined, undefined],
  [['/ip4/192.168.1.2/tcp/2', '/ip6/fd00::2/tcp/3', '/ip6/2a00:1::2/tcp/3'], 2, 3],
  [['/ip6/2a00:1::2/tcp/3'], undefined, 3]
])('a router is asked for the ports of a home alone: %j', (listening, byIPv4, byIPv6) => {
  const addresses = listening.map((text) => multiaddr(text))
  expect(portToMap({ named: [] }, addresses, 'IPv4')).toBe(byIPv4)
  expect(portToMap({ named: [] }, addresses, 'IPv6')).toBe(byIPv6)
  for (const version of ['IPv4', 'IPv6'] as const)
    expect(portToMap({ named: addresses.slice(0, 1) }, addresses, version)).toBeUndefined()
})
