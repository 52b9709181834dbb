import { afterEach, describe, expect, it } from 'vitest'
import { ask, decodeReply, encodeQuery, reasonOf, TYPE } from '../../../../src/cli/dns/probe/ask.ts'
import { DnsScene, nameOf, say, typeOf } from '../scene.ts'

const scene = new DnsScene()
afterEach(() => scene.end())

const QUESTION = { name: 'alice.chronym', type: TYPE.A }

describe('a question', () => {
  it('asks for recursion and the AD bit, with EDNS of 1232 bytes and no signatures', () => {
    const query = encodeQuery(0xabcd, QUESTION)
    expect(query.toString('hex')).toBe(
      'abcd01200001000000000001' + '05616c696365076368726f6e796d00' + '00010001' + '00002904d0000000000000'
    )
    expect([nameOf(query), typeOf(query)]).toEqual(['alice.chronym', 1])
  })
})

describe('a reply', () => {
  const query = encodeQuery(7, QUESTION)
  const whole = say(query, {
    rcode: 2,
    ad: true,
    data: [Buffer.from([192, 0, 2, 1])],
    error: { code: 22, text: 'offline' }
  })

  it('is read with flags, data and extended errors', () => {
    expect(decodeReply(whole, 7)).toEqual({
      rcode: 2,
      truncated: false,
      aa: false,
      ad: true,
      answers: [{ type: 1, data: new Uint8Array([192, 0, 2, 1]) }],
      extendedErrors: [{ code: 22, text: 'offline' }]
    })
  })

  it('to another question, and a question, are none', () => {
    expect(decodeReply(whole, 8)).toBeUndefined()
    expect(decodeReply(query, 7)).toBeUndefined()
  })

  it('that is cut anywhere ends in a RangeError or in nothing, without a hang', () => {
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length)
      if (length < 12) expect(decodeReply(cut, 7)).toBeUndefined()
      else expect(() => decodeReply(cut, 7)).toThrow(RangeError)
    }
  })

  it('with any byte changed is read or refused, never worse', () => {
    for (let at = 2; at < whole.length; at++)
      for (const byte of [0, 0x3f, 0xc0, 0xff]) {
        const changed = Buffer.from(whole)
        changed[at] = byte
        try {
          decodeReply(changed, 7)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
  })
})

describe('asking', () => {
  it('goes on over TCP where the reply is cut', async () => {
    const port = await scene.nameServer((query, transport) =>
      say(query, transport === 'udp' ? { tc: true } : { data: [Buffer.from([192, 0, 2, 1])] })
    )
    expect(await ask({ address: '127.0.0.1', port }, QUESTION)).toMatchObject({
      truncated: false,
      answers: [{ type: 1 }]
    })
  })

  it('says why there is no reply: nobody listens, silence, nonsense', async () => {
    const silent = await scene.nameServer(() => undefined)
    const confused = await scene.nameServer((query) => say(query, {}).subarray(0, 14))
    const hangsUp = await scene.nameServer((query, transport) =>
      transport === 'udp' ? say(query, { tc: true }) : undefined
    )
    const reason = async (port: number, timeoutMs = 5_000) => {
      const answer = await ask({ address: '127.0.0.1', port }, QUESTION, timeoutMs)
      return 'reason' in answer ? answer.reason : answer
    }
    expect(await reason(silent, 50)).toBe('no reply within 0.05 s')
    expect(await reason(confused)).toMatch(/range|bounds/u)
    expect(await reason(hangsUp)).toMatch(/closed|ECONNRESET/u)
    await scene.end()
    expect(await reason(silent)).toContain('ECONNREFUSED')
  })

  it('says in a sentence what the system refuses', async () => {
    // No socket may ask this address without a permission of its own: the system refuses at once.
    const refused = await ask({ address: '255.255.255.255', port: 53 }, QUESTION)
    expect(refused).toEqual({ reason: 'this machine forbids to ask it (EACCES)' })
    const reason = (code: string) => reasonOf(Object.assign(new Error(`connect ${code}`), { code }))
    expect(reason('ENETUNREACH')).toBe('this machine has no route there (ENETUNREACH)')
    expect(reason('EPERM')).toContain('firewall')
    expect(reason('ESTRANGE')).toBe('connect ESTRANGE')
  })

  it('drops a reply with another id and waits for the right one', async () => {
    const port = await scene.nameServer((query) => {
      const forged = say(query, { rcode: 3 })
      forged[0] = forged[0]! ^ 0xff
      return forged
    })
    expect(await ask({ address: '127.0.0.1', port }, QUESTION, 50)).toEqual({ reason: 'no reply within 0.05 s' })
  })
})
