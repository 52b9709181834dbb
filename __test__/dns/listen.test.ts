import { describe, expect, it } from 'vitest'
import { startListening } from '../../src/dns/listen.ts'
import type { DnsListen, DnsServer } from '../../src/native/dns.ts'
import { NativeError } from '../../src/native/types.ts'

const SERVER = {} as DnsServer
const DEFAULT = { listen: undefined, tlsListen: [] }

/** Starts where `works` allows it; notes each attempt as text. */
function starter(works: (listen: readonly DnsListen[]) => boolean) {
  const attempts: string[] = []
  const start = (listen: readonly DnsListen[]): DnsServer => {
    attempts.push(listen.map(({ transport, address, port }) => `${transport} ${address} ${port}`).join(', '))
    if (!works(listen)) throw new NativeError('LISTEN_FAILED', `not ${attempts.at(-1)}`)
    return SERVER
  }
  return { attempts, start }
}
const usual = 'udp 127.0.0.1 7453, tcp 127.0.0.1 7453, udp ::1 7453, tcp ::1 7453'
const free = usual.replaceAll('7453', '0')
const free4 = 'udp 127.0.0.1 0, tcp 127.0.0.1 0'

describe('without addresses in the configuration, the server starts', () => {
  it('on both loopback addresses', () => {
    const { attempts, start } = starter(() => true)
    expect(startListening(DEFAULT, start, true)).toEqual({ server: SERVER, remark: undefined })
    expect(attempts).toEqual([usual])
  })

  it('on a free port where the usual one is taken, and says so', () => {
    const { attempts, start } = starter((listen) => listen.every(({ port }) => port === 0))
    const nobody = (): undefined => undefined
    expect(startListening(DEFAULT, start, true, nobody)).toEqual({ server: SERVER, remark: `not ${usual}` })
    expect(attempts).toEqual([usual, free])
    const holder = (port: number) => ({ pid: 42, command: `chronymd --data-dir /srv/${port}` })
    expect(startListening(DEFAULT, start, true, holder).remark).toBe(
      `not ${usual}; process 42 (chronymd --data-dir /srv/7453) listens on port 7453`
    )
  })

  it('on IPv4 alone where IPv6 fails, or is missing', () => {
    const failing = starter((listen) => listen.every(({ address }) => address === '127.0.0.1'))
    expect(startListening(DEFAULT, failing.start, true).server).toBe(SERVER)
    expect(failing.attempts).toEqual([usual, free, free4])
    const missing = starter(() => true)
    startListening(DEFAULT, missing.start, false)
    expect(missing.attempts).toEqual(['udp 127.0.0.1 7453, tcp 127.0.0.1 7453'])
  })

  it('nowhere when nothing works', () => {
    const { start } = starter(() => false)
    expect(() => startListening(DEFAULT, start, false)).toThrow(
      expect.objectContaining({ code: 'LISTEN_FAILED', message: `not ${free4}` }) as Error
    )
  })

  it('not again after another failure', () => {
    const { attempts } = starter(() => true)
    const start = (): DnsServer => {
      attempts.push('once')
      throw new NativeError('INVALID_ARGUMENT', 'key')
    }
    expect(() => startListening(DEFAULT, start, true)).toThrow('key')
    expect(attempts).toEqual(['once'])
  })
})

describe('with addresses in the configuration, the server', () => {
  it('starts on them and no others, with TLS beside them', () => {
    const { attempts, start } = starter(() => true)
    startListening(
      { listen: [{ address: '192.0.2.1', port: 53 }], tlsListen: [{ address: '::', port: 853 }] },
      start,
      true
    )
    expect(attempts).toEqual(['udp 192.0.2.1 53, tcp 192.0.2.1 53, tls :: 853'])
  })

  it('does not start where one is taken', () => {
    const { attempts, start } = starter(() => false)
    expect(() => startListening({ listen: [{ address: '192.0.2.1', port: 53 }], tlsListen: [] }, start, true)).toThrow(
      'not udp 192.0.2.1 53'
    )
    expect(attempts).toHaveLength(1)
  })
})
