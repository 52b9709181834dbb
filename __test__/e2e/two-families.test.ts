/**
 * A thief whose machines have ids by IPv4 and by IPv6. Real nodes in a network namespace, since loopback has one IPv6
 * address only.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Seen } from './network/two-families.ts'

const NAMESPACE = `chronym-test-${process.pid}-families`
const SCRIPT = join(import.meta.dirname, 'network/two-families.ts')

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' })

it('[two families] of a machine give a thief no more votes, and honest nodes of both count by IPv4', () => {
  ip('netns', 'add', NAMESPACE)
  try {
    ip('-n', NAMESPACE, 'link', 'set', 'lo', 'up')
    for (const place of [1, 2, 3, 4]) ip('-n', NAMESPACE, 'addr', 'add', `fd0${place}::1/128`, 'dev', 'lo', 'nodad')
    const seen = JSON.parse(ip('netns', 'exec', NAMESPACE, process.execPath, SCRIPT)) as Seen
    expect(seen).toEqual({ both: 'owner', ipv4: 'owner', metByIPv6: 3, prefixOfBoth: '127.99.0.0/24' })
  } finally {
    ip('netns', 'del', NAMESPACE)
  }
})
