import type { MultiaddrConnection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { limitHalfOpen, MAX_HALF_OPEN } from '../../../src/network/transport/half-open.ts'

/** Limits of one prefix, as far as a connection that is set up is concerned. */
const OF_PREFIX = 25
const OF_WIDE_PREFIX = 50

const LIMITED = { answers_per_prefix: 2, answers_per_wide_prefix: 4 }
const UNLIMITED = { answers_per_prefix: 0, answers_per_wide_prefix: 0 }

type Inbound = MultiaddrConnection & { end: () => void }

function connectionFrom(ip: string): Inbound {
  const target = new EventTarget()
  return Object.assign(target, {
    remoteAddr: multiaddr(`/ip4/${ip}/tcp/4001`),
    end: () => void target.dispatchEvent(new Event('close'))
  }) as unknown as Inbound
}

describe('connections that are being set up', () => {
  it('have 25 places a /24, whatever else is free', () => {
    const halfOpen = limitHalfOpen(LIMITED)
    for (let index = 0; index < OF_PREFIX; index++)
      expect(halfOpen.begin(connectionFrom(`203.0.113.${index}`))).toBe(true)
    expect(halfOpen.begin(connectionFrom('203.0.113.200'))).toBe(false)
    expect(halfOpen.begin(connectionFrom('203.0.114.1'))).toBe(true)
  })

  it('have 50 places a /16', () => {
    const halfOpen = limitHalfOpen(LIMITED)
    for (let index = 0; index < OF_WIDE_PREFIX; index++)
      expect(halfOpen.begin(connectionFrom(`198.51.${index}.1`))).toBe(true)
    expect(halfOpen.begin(connectionFrom('198.51.200.1'))).toBe(false)
    expect(halfOpen.begin(connectionFrom('192.0.2.1'))).toBe(true)
  })

  it('have a hundred places in all where the profile limits no prefixes', () => {
    const halfOpen = limitHalfOpen(UNLIMITED)
    for (let index = 0; index < MAX_HALF_OPEN; index++) expect(halfOpen.begin(connectionFrom('203.0.113.1'))).toBe(true)
    expect(halfOpen.begin(connectionFrom('192.0.2.1'))).toBe(false)
  })

  it.each(['set up', 'closed'])('give their places back when they are %s, once', (how) => {
    const halfOpen = limitHalfOpen(LIMITED)
    const all = Array.from({ length: OF_PREFIX }, (_, index) => connectionFrom(`203.0.113.${index}`))
    for (const connection of all) halfOpen.begin(connection)
    if (how === 'set up') halfOpen.end(all[0]!)
    else all[0]!.end()
    all[0]!.end()
    expect(halfOpen.begin(connectionFrom('203.0.113.100'))).toBe(true)
    expect(halfOpen.begin(connectionFrom('203.0.113.101'))).toBe(false)
  })

  it('that are refused for their /24 take no place of their /16', () => {
    const halfOpen = limitHalfOpen(LIMITED)
    for (let index = 0; index < 2 * OF_WIDE_PREFIX; index++) halfOpen.begin(connectionFrom('203.0.113.1'))
    for (let index = 0; index < OF_WIDE_PREFIX - OF_PREFIX; index++)
      expect(halfOpen.begin(connectionFrom('203.0.114.1'))).toBe(true)
    expect(halfOpen.begin(connectionFrom('203.0.115.1'))).toBe(false)
  })
})
