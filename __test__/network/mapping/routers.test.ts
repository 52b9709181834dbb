/** Routers by NAT-PMP and PCP that refuse, and what is kept of a mapping. Real ones: __test__/e2e/home-routers.test.ts. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { natPmp, pcp } from '../../../src/network/mapping/port-control.ts'
import { BY_IPV4, keepPortMapped, type PortMapping } from '../../../src/network/mapping/port-mapping.ts'
import type { Router, Way } from '../../../src/network/mapping/router.ts'
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
    else answer.set([request[4]!, request[5]!, 0x1b, 0x58], 8)
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

  it('drops an answer to another request, and of another version unless it says just that', async () => {
    let isOther = false
    const port = await serve((request) => {
      const [good, later, forAnother] = [answerTo(request, 0), answerTo(request, 0), answerTo(request, 0)]
      later[0] = 2
      for (const wrong of [later, forAnother]) wrong[10] = 99
      forAnother[9]! ^= request[1] === 0 ? 0 : 1
      const short = good.subarray(0, 11)
      if (!isOther) return [later, short, ...(request[1] === 0 ? [] : [forAnother]), good]
      later[3] = 1
      return [later]
    })
    expect(await natPmp('127.0.0.1', port).map(7_469)).toEqual({ ip: '45.1.2.3', port: 7_000 })
    isOther = true
    await expect(natPmp('127.0.0.1', port).map(7_469)).rejects.toThrow('NAT-PMP: another version')
  })

  it('gives up on a machine that does not speak it', async () => {
    await expect(natPmp('127.0.0.1', await serve(() => [])).map(7_469)).rejects.toThrow('NAT-PMP: no answer')
  })
})

describe('PCP', () => {
  const serve = async (
    host: string,
    answer: (request: Buffer) => Buffer | readonly Buffer[]
  ): Promise<{ asked: Buffer[]; port: number }> => {
    const socket = createSocket('udp6')
    const asked: Buffer[] = []
    socket.on('message', (request, { port, address }) => {
      asked.push(request)
      for (const each of [answer(request)].flat()) socket.send(each, port, address)
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

  it.each([
    ['nonce', 24],
    ['protocol', 36],
    ['internal port', 41]
  ])('drops what answers a request with another %s, be it yes or no', async (_, at) => {
    const { port } = await serve('::1', (request) => {
      const forAnother = granted(request)
      forAnother[at]! ^= 1
      forAnother.writeUInt16BE(666, 42)
      return [forAnother, Buffer.from(forAnother).fill(2, 3, 4), granted(request)]
    })
    expect(await pcp('::1', '::1', port).map(7_469)).toEqual({ ip: '::1', port: 7_469 })
  })

  it('says why a router refuses, whatever the reserved byte holds', async () => {
    const { port } = await serve('::1', (request) => granted(request).fill(9, 2, 3).fill(2, 3, 4))
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
        answer.set([request[4]!, request[5]!, 0x1b, 0x58], 8)
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
      { now: { own: '127.0.0.1', gateway: '127.0.0.1' } },
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
