import type { NetworkStatusView, OwnedNameView } from '../lib/api.ts'
import { h, html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { count, duration, percent, plural } from '../lib/words.ts'
import { STATUS_TONES } from '../home/words.ts'
import { Dns } from '../network/dns.ts'
import { Https } from '../network/https.ts'
import { Peers } from '../network/peers.ts'
import { Badge, Card, facts, Hash, loaded, Notice, Page, stat, Whole, type Tone } from '../parts/basics.ts'

type Status = NetworkStatusView
type Address = Status['addresses'][number]

const MODES: Readonly<Record<Status['mode'], string>> = {
  full: 'full: stores and serves records',
  light: 'light: asks others only',
  offline: 'offline: has left the network'
}

export function View() {
  const status = useResource('/api/network-status', { every: 5_000, on: ['peer:', 'mode'] })
  const mayRead = useMay('read')
  return html`
    <${Page} title="Network" lead="The peers of this node, the beacon, and what is asked of it." />
    ${loaded(status, figures)}
    <div class="stack">
      <div class="grid">
        <div class="stack at-top"><${Dns} /><${Https} />${mayRead && html`<${Yours} />`}</div>
        ${status.data && html`<div class="stack at-top">${[thisNode(status.data), diversity(status.data)]}</div>`}
      </div>
      ${
        mayRead
          ? html`<${Peers} />`
          : html`<${Notice}>The token of this session lacks the scope "read": it shows no peers.<//>`
      }
    </div>
  `
}

const figures = ({ status, peers, size, records, beacon: { age_seconds: age } }: Status) => html`
  <div class="stats">
    ${stat({ value: status, word: 'connection', tone: STATUS_TONES[status] })}
    ${stat({ value: count(peers), word: 'connected peers' })}
    ${stat({ value: size === null ? '—' : `≈ ${count(size)}`, word: 'nodes in the network' })}
    ${stat({ value: count(records), word: 'records held for others' })}
    ${stat({
      value: age === null ? '—' : duration(age),
      word: 'age of the newest pulse',
      tone: age === null ? 'bad' : ''
    })}
  </div>
`

const thisNode = ({ network, mode, auto, peer_id: peer, beacon, addresses, connecting }: Status) => html`
  <${Card} title="This node">
    ${connecting && html`<${Notice} tone="warn">${connecting}<//>`}
    ${beacon.message && html`<${Notice} tone="warn">${beacon.message}<//>`}
    ${facts([
      ['Network', network],
      ['Mode', auto === null ? MODES[mode] : `${MODES[mode]}. ${auto}`],
      ['Peer id', h(Hash, { text: peer, what: 'peer id' })],
      ['Beacon', beacon.round === null ? 'no pulse yet' : `round ${count(beacon.round)}`]
    ])}
    ${addresses.length > 0 && addressList(addresses)}
    <p class="hint">
      <a href="#/settings">The settings</a> say where it listens, and which beacon it asks. <code>/metrics</code> has
      its traffic, memory and processor time for Prometheus.
    </p>
  <//>
`

const REACH: Readonly<Record<Address['state'], readonly [string, Tone]>> = {
  announced: ['reachable', 'good'],
  unconfirmed: ['not confirmed', 'warn'],
  local: ['local', 'quiet']
}

/** Where peers reach this node, in the form that --bootstrap takes. */
const addressList = (addresses: readonly Address[]) => html`
  <h3>Addresses</h3>
  <ul class="addresses" aria-label="Addresses of this node">
    ${addresses.map(({ address, state, confirmed_by: peers, message }) => {
      const [word, tone] = REACH[state]
      return html`<li key=${address}>
        ${h(Whole, { text: address, what: 'address' })}
        <${Badge} tone=${tone}>${word}<//>
        ${peers.length > 0 && html`<span class="hint">confirmed by ${plural(peers.length, 'peer')}</span>`}
        ${message && html`<span class="hint">${message}</span>`}
      </li>`
    })}
  </ul>
`

const NEEDS = [
  ['answer', 'an answer that is not thin'],
  ['settle', 'settling and repair'],
  ['adopt', 'adoption by newcomers']
] as const

/** Whether the peers are of enough address prefixes; null where the network limits none. */
function diversity({ diversity: found }: Status) {
  if (found === null)
    return html`<${Card} title="Diversity">
      <p>This network counts no address prefixes: peers of one machine have a vote each. It promises no security.</p>
    <//>`
  const { peers, prefixes, wide_prefixes: wide, needed, enough, message } = found
  return html`
    <${Card} title="Diversity" actions=${h(Badge, { tone: enough ? 'good' : 'warn' }, enough ? 'enough' : 'too few')}>
      <div class="stack">
        <p>
          <strong>${count(peers)}</strong> diverse peers, in ${count(prefixes)} networks (/24, by IPv6 /32) of
          ${count(wide)} ${' '}providers (/16, by IPv6 /24).
        </p>
        <ul class="stack">
          ${NEEDS.map(([key, words]) => {
            const [max, value] = [needed[key], Math.min(peers, needed[key])]
            return html`<li key=${key}>
              <div class="row spread"><span>${words}</span><span class="number quiet">${value} of ${max}</span></div>
              <meter min="0" max=${max} value=${value} aria-label=${`Peers for ${words}`}>
                ${percent(peers / max)}
              </meter>
            </li>`
          })}
        </ul>
        ${message && html`<${Notice} tone="warn">${message}<//>`}
      </div>
    <//>
  `
}

const NAME_TONES: Readonly<Record<OwnedNameView['state'], Tone>> = {
  live: 'good',
  grace: 'warn',
  lapsed: 'quiet',
  changing: 'bad',
  contested: 'bad',
  lost: 'bad',
  changed: 'bad',
  sold: 'quiet'
}

/** What this daemon has in the network, with the way to who stores it. */
function Yours() {
  const names = useResource('/api/names', { every: 30_000, on: ['name:', 'task:completed'] })
  return html`
    <${Card} title="Who stores your names">
      ${loaded(names, (all) =>
        all.length === 0
          ? html`<p class="quiet">No names yet. <a href="#/names">Register the first one.</a></p>`
          : html`<ul class="links">
              ${all.map(
                ({ name, state }) =>
                  html`<li key=${name}>
                    <a href=${to('lookup', name)}>${name}</a> <${Badge} tone=${NAME_TONES[state]}>${state}<//>
                  </li>`
              )}
            </ul>`
      )}
      <p class="hint">Each link asks the peers around that name what they hold.</p>
    <//>
  `
}
