import type { NetworkStatusView, OwnedNameView } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { queriesOf } from '../home/words.ts'
import { Button, Card, LinkButton } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'

interface Known {
  readonly zone: Readonly<Record<string, readonly { type: string }[]>>
  readonly isPublished: boolean
  readonly queries: number
  /** Steps that were put off. */
  readonly later: readonly string[]
}

/** What an owner of a first name may want next. */
export function nextStep({ zone, isPublished, queries, later }: Known): 'point' | 'use' | undefined {
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
  const found = addresses
    .toSorted((a, b) => Number(b.state === 'announced') - Number(a.state === 'announced'))
    .map(({ address }) => ADDRESS.exec(address))
    .find((match) => match !== null && !LOOPBACK.test(match[2] ?? ''))
  const [, family, value = ''] = found ?? [undefined, 'ip4', '127.0.0.1']
  return { type: family === 'ip4' ? 'A' : 'AAAA', value }
}

/** Steps that were put off, in this browser. */
const LATER = 'chronym:later'
const putOff = (): string[] => (localStorage.getItem(LATER) ?? '').split(' ')

/** Nothing where its zone is not known, or nothing is left to do. */
export function NextStep({ owned: { name, serial, published_serial: published } }: { owned: OwnedNameView }) {
  const zone = useResource(`/api/zone/${encodeURIComponent(name)}`, { every: Infinity, on: ['task:'] }).data
  const dns = useResource('/api/dns', { every: 10_000 }).data
  const addresses = useResource('/api/network-status', { every: 5000 }).data?.addresses
  const [later, setLater] = useState(putOff)
  if (zone === undefined || dns === undefined) return null
  const step = nextStep({ zone: zone.records, isPublished: serial === published, queries: queriesOf(dns), later })
  const leave = () => {
    localStorage.setItem(LATER, [...later, step].join(' ').trim())
    setLater(putOff())
  }
  const laterButton = h(Button, { kind: 'plain', onClick: leave }, 'Later')
  const machine = machineRecord(addresses)
  const adding = ({ type, value }: { type: string; value: string }) =>
    `${to('names', name)}?${new URLSearchParams({ add: type, value }).toString()}`
  if (step === 'point')
    return html`<${Card} title="${name} points nowhere yet">
      <p>Give it an address, and programs find it by its name.</p>
      <div class="actions card-foot">
        <${LinkButton} kind="main" href=${adding(machine)}>This machine: ${machine.value}<//>
        <${LinkButton} href=${adding({ type: 'A', value: '' })}>Another address<//>
        ${laterButton}
      </div>
      ${machine.value === '127.0.0.1' && html`<p class="hint">127.0.0.1 means the machine that asks: for tests.</p>`}
    <//>`
  if (step === 'use' && dns.enabled)
    return html`<${Card} title="Let this computer use ${name}">
      <p>Nothing has asked this daemon by DNS yet. This shows what to change so that all programs do:</p>
      <p><${Command} words="dns setup" isHere /></p>
      <div class="actions card-foot">${laterButton}</div>
    <//>`
  return null
}
