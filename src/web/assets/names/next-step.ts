/** What an owner of a first name may want next. Pure. */

import type { NetworkStatusView } from '../lib/api.ts'

export function nextStep({
  zone,
  isPublished,
  queries,
  later
}: {
  zone: Readonly<Record<string, readonly { type: string }[]>>
  isPublished: boolean
  queries: number
  /** Steps that were put off. */
  later: readonly string[]
}): 'point' | 'use' | undefined {
  const points = Object.values(zone).some((group) =>
    group.some(({ type }) => /^(?:A|AAAA|CNAME|HTTPS|SVCB)$/.test(type))
  )
  const step = points ? (isPublished && queries === 0 ? 'use' : undefined) : 'point'
  return step === undefined || later.includes(step) ? undefined : step
}

const ADDRESS = /^\/(ip4|ip6)\/([^/]+)\//
const LOOPBACK = /^(?:127\.|::1$)/

/**
 * An address of this machine, as a record: the one that peers reach, else one of its network, else loopback, which
 * reaches the machine that asks.
 */
export function machineRecord(
  addresses: readonly Pick<NetworkStatusView['addresses'][number], 'address' | 'state'>[] = []
): { type: string; value: string } {
  const found = [...addresses]
    .sort((a, b) => Number(b.state === 'announced') - Number(a.state === 'announced'))
    .map(({ address }) => ADDRESS.exec(address))
    .find((match) => match !== null && !LOOPBACK.test(match[2] ?? ''))
  const [, family, value = ''] = found ?? [undefined, 'ip4', '127.0.0.1']
  return { type: family === 'ip4' ? 'A' : 'AAAA', value }
}
