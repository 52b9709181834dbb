/** What an owner of a first name may want next. Pure. */

/** `zone`: records by label. `later`: steps that were put off. 'point', 'use' or undefined. */
export function nextStep({ zone, isPublished, queries, later }) {
  const points = Object.values(zone).some((group) =>
    group.some(({ type }) => /^(?:A|AAAA|CNAME|HTTPS|SVCB)$/.test(type))
  )
  const step = points ? (isPublished && queries === 0 ? 'use' : undefined) : 'point'
  return later.includes(step) ? undefined : step
}

const ADDRESS = /^\/(ip4|ip6)\/([^/]+)\//
const LOOPBACK = /^(?:127\.|::1$)/

/**
 * An address of this machine, as a record: the one that peers reach, else one of its network, else loopback, which
 * reaches the machine that asks. `addresses`: of GET /api/network-status.
 */
export function machineRecord(addresses = []) {
  const found = [...addresses]
    .sort((a, b) => Number(b.state === 'announced') - Number(a.state === 'announced'))
    .map(({ address }) => ADDRESS.exec(address))
    .find((match) => match !== null && !LOOPBACK.test(match[2]))
  const [, family, value] = found ?? [undefined, 'ip4', '127.0.0.1']
  return { type: family === 'ip4' ? 'A' : 'AAAA', value }
}
