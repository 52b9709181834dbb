import type { MultiaddrConnection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, it } from 'vitest'
import { HALF_OPEN, limitHalfOpen, type HalfOpen } from '../../../src/network/transport/half-open.ts'
import { waitFor } from '../../wait-for.ts'

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

const mayConnect = (): boolean => true
const noPause = { sleep: () => Promise.resolve() }

/** What became of each, in the order in which they came: true at its turn, false when refused. */
function beginAll(halfOpen: HalfOpen, ips: readonly string[]) {
  const answers: { ip: string; isTurn: boolean }[] = []
  const connections = ips.map(connectionFrom)
  for (const [index, connection] of connections.entries())
    void halfOpen.begin(connection).then((isTurn) => answers.push({ ip: ips[index]!, isTurn }))
  return {
    connections,
    answers,
    turns: () => answers.flatMap(({ ip, isTurn }) => (isTurn ? [ip] : [])),
    refused: () => answers.flatMap(({ ip, isTurn }) => (isTurn ? [] : [ip]))
  }
}

const ofOnePrefix = (count: number): string[] => Array.from({ length: count }, (_, index) => `203.0.113.${index}`)
const ofPrefixes = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index + 1}.0.0.1`)

describe('connections that are being set up', () => {
  it.each([
    { of: 'a /24', most: HALF_OPEN.prefix, ips: ofOnePrefix(20) },
    { of: 'a /16', most: HALF_OPEN.widePrefix, ips: Array.from({ length: 20 }, (_, index) => `203.0.${index}.1`) }
  ])('have $most places of $of, whatever else is free', async ({ most, ips }) => {
    const { turns, refused } = beginAll(limitHalfOpen(LIMITED, mayConnect, noPause), [...ips, '192.0.2.1'])
    await waitFor(() => expect(turns()).toEqual([ips[0], '192.0.2.1', ...ips.slice(1, most)]))
    expect(refused()).toEqual(ips.slice(most))
  })

  it('charge their prefix only when it has a place, and have none beyond its rate', async () => {
    let charged = 0
    const halfOpen = limitHalfOpen(LIMITED, () => ++charged > 1, noPause)
    const { refused } = beginAll(halfOpen, ofOnePrefix(HALF_OPEN.prefix + 3))
    await waitFor(() => expect(refused()).toEqual(['203.0.113.0', '203.0.113.9', '203.0.113.10']))
    expect(charged).toBe(HALF_OPEN.prefix + 1)
  })

  it('begin one at a time, and the event loop turns between them', async () => {
    const sleeps: (() => void)[] = []
    const halfOpen = limitHalfOpen(LIMITED, mayConnect, {
      sleep: () => new Promise((resolve) => void sleeps.push(resolve))
    })
    const { turns } = beginAll(halfOpen, ofPrefixes(3))
    for (let count = 1; count <= 3; count++) {
      await waitFor(() => expect(sleeps.length).toBe(count))
      expect(turns().length).toBe(count)
      sleeps.at(-1)!()
    }
  })

  it('begin prefix by prefix in turn: one that has many waiting delays itself alone', async () => {
    const { turns } = beginAll(limitHalfOpen(LIMITED, mayConnect, noPause), [...ofOnePrefix(8), '192.0.2.1', '8.8.8.8'])
    await waitFor(() => expect(turns().length).toBe(10))
    expect(turns().slice(0, 3)).toEqual(['203.0.113.0', '192.0.2.1', '8.8.8.8'])
  })

  it.each(['set up', 'closed'])('give their places back when they are %s, once', async (how) => {
    const halfOpen = limitHalfOpen(LIMITED, mayConnect, noPause)
    const { connections, turns } = beginAll(halfOpen, ofOnePrefix(HALF_OPEN.prefix))
    await waitFor(() => expect(turns().length).toBe(HALF_OPEN.prefix))
    if (how === 'set up') halfOpen.end(connections[0]!)
    else connections[0]!.end()
    connections[0]!.end()
    expect(await halfOpen.begin(connectionFrom('203.0.113.100'))).toBe(true)
    expect(await halfOpen.begin(connectionFrom('203.0.113.101'))).toBe(false)
  })

  it('that are refused for their /24 take no place of their /16', async () => {
    const halfOpen = limitHalfOpen(LIMITED, mayConnect, noPause)
    const others = Array.from({ length: HALF_OPEN.widePrefix - HALF_OPEN.prefix }, (_, index) => `203.0.114.${index}`)
    const { turns } = beginAll(halfOpen, [...ofOnePrefix(2 * HALF_OPEN.widePrefix), ...others])
    await waitFor(() => expect(turns().length).toBe(HALF_OPEN.widePrefix))
  })

  it('wait beyond those that have begun, until one of these ends', async () => {
    const halfOpen = limitHalfOpen(UNLIMITED, mayConnect, noPause)
    const { connections, turns } = beginAll(halfOpen, ofOnePrefix(HALF_OPEN.begun + 2))
    await waitFor(() => expect(turns().length).toBe(HALF_OPEN.begun))
    connections[0]!.end()
    await waitFor(() => expect(turns().length).toBe(HALF_OPEN.begun + 1))
    // One that leaves while it waits uses up no turn.
    connections.at(-1)!.end()
    connections[1]!.end()
    expect(await halfOpen.begin(connectionFrom('192.0.2.1'))).toBe(true)
  })

  it('make room for prefixes that wait less, once too many wait', async () => {
    const halfOpen = limitHalfOpen(UNLIMITED, mayConnect, noPause)
    const { turns } = beginAll(halfOpen, ofPrefixes(HALF_OPEN.begun))
    await waitFor(() => expect(turns().length).toBe(HALF_OPEN.begun))
    const { refused } = beginAll(halfOpen, [...ofOnePrefix(HALF_OPEN.waiting), '192.0.2.1'])
    await waitFor(() => expect(refused()).toEqual([`203.0.113.${HALF_OPEN.waiting - 1}`]))
  })
})
