import type { NetworkStatusView, OwnedNameView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to, type View } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { count, duration, percent, plural } from '../lib/words.ts'
import { Dns } from '../network/dns.ts'
import { Peers } from '../network/peers.ts'
import { Traffic } from '../network/traffic.ts'
import { Badge, Card, Copy, Facts, Hash, Loaded, Notice, Page, Stat, type Tone } from '../parts/basics.ts'

const TONES: Readonly<Record<NetworkStatusView['status'], Tone>> = {
  online: 'good',
  connecting: 'warn',
  offline: 'bad'
}
const MODES: Readonly<Record<NetworkStatusView['mode'], string>> = {
  full: 'full: stores and serves records',
  light: 'light: asks others only',
  offline: 'offline: has left the network'
}

function View() {
  const status = useResource('/api/network-status', { every: 5_000, on: ['peer:', 'mode'] })
  const mayRead = useMay('read')
  return html`
    <${Page} title="Network" lead="The peers of this node, the beacon, and what is asked of it." />
    <${Loaded} of=${status}>${(data: NetworkStatusView) => html`<${Status} status=${data} />`}<//>
    <div class="stack">
      <div class="grid">
        <div class="stack at-top"><${Dns} />${mayRead && html`<${Yours} />`}</div>
        ${
          status.data &&
          html`<div class="stack at-top">
            <${ThisNode} status=${status.data} /><${Diversity} diversity=${status.data.diversity} />
          </div>`
        }
      </div>
      ${
        mayRead
          ? html`<${Traffic} /><${Peers} />`
          : html`<${Notice}>The token of this session lacks the scope "read": it shows neither peers nor traffic.<//>`
      }
    </div>
  `
}

const Status = ({ status: { status, peers, size, records, beacon } }: { status: NetworkStatusView }) => html`
  <div class="stats">
    <${Stat} value=${status} word="connection" tone=${TONES[status]} />
    <${Stat} value=${count(peers)} word="connected peers" />
    <${Stat} value=${size === null ? '—' : `≈ ${count(size)}`} word="nodes in the network" />
    <${Stat} value=${count(records)} word="records held for others" />
    <${Stat}
      value=${beacon.age_seconds === null ? '—' : duration(beacon.age_seconds)}
      word="age of the newest pulse"
      tone=${beacon.age_seconds === null ? 'bad' : ''}
    />
  </div>
`

const ThisNode = ({
  status: { network, mode, peer_id: peer, beacon, addresses, connecting }
}: {
  status: NetworkStatusView
}) => html`
  <${Card} title="This node">
    ${connecting && html`<${Notice} tone="warn">${connecting}<//>`}
    <${Facts}
      facts=${[
        ['Network', network],
        ['Mode', MODES[mode]],
        ['Peer id', html`<${Hash} text=${peer} what="peer id" />`],
        ['Beacon', beacon.round === null ? 'no pulse yet' : `round ${count(beacon.round)}`]
      ]}
    />
    ${addresses.length > 0 && html`<${Addresses} addresses=${addresses} />`}
    <p class="hint"><a href="#/settings">The settings</a> say where it listens, and which beacon it asks.</p>
  <//>
`

export const view: View = { path: '/network', title: 'Network', icon: 'network', View }

type Address = NetworkStatusView['addresses'][number]

const ADDRESS_STATES: Readonly<Record<Address['state'], readonly [string, Tone]>> = {
  announced: ['reachable', 'good'],
  unconfirmed: ['not confirmed', 'warn'],
  local: ['local', 'quiet']
}

/** Where peers reach this node, in the form that --bootstrap takes. */
export const Addresses = ({ addresses }: { addresses: readonly Address[] }) => html`
  <h3>Addresses</h3>
  <ul class="addresses" aria-label="Addresses of this node">
    ${addresses.map(({ address, state, confirmed_by: peers, message }) => {
      const [word, tone] = ADDRESS_STATES[state]
      return html`<li key=${address}>
        <span class="hash"><code>${address}</code><${Copy} text=${address} what="address" /></span>
        <${Badge} tone=${tone}>${word}<//>
        ${peers.length > 0 && html`<span class="hint">confirmed by ${plural(peers.length, 'peer')}</span>`}
        ${message && html`<span class="hint">${message}</span>`}
      </li>`
    })}
  </ul>
`

const NEEDS = {
  answer: 'an answer that is not thin',
  settle: 'settling and repair',
  adopt: 'adoption by newcomers'
} as const

/** Whether the peers are of enough address prefixes; `diversity` null where the network limits none. */
export function Diversity({ diversity }: Pick<NetworkStatusView, 'diversity'>) {
  if (diversity === null)
    return html`<${Card} title="Diversity">
      <p>This network counts no address prefixes: peers of one machine have a vote each. It promises no security.</p>
    <//>`
  const { peers, prefixes, wide_prefixes: wide, needed, enough, message } = diversity
  return html`
    <${Card}
      title="Diversity"
      actions=${html`<${Badge} tone=${enough ? 'good' : 'warn'}>${enough ? 'enough' : 'too few'}<//>`}
    >
      <div class="stack">
        <p>
          <strong>${count(peers)}</strong> diverse peers, in ${count(prefixes)} networks (/24, by IPv6 /32) of
          ${count(wide)} ${' '}providers (/16, by IPv6 /24).
        </p>
        <ul class="stack">
          ${(Object.entries(NEEDS) as [keyof typeof NEEDS, string][]).map(
            ([key, words]) =>
              html`<li key=${key}>
                <div class="row spread">
                  <span>${words}</span
                  ><span class="number quiet">${Math.min(peers, needed[key])} of ${needed[key]}</span>
                </div>
                <meter
                  min="0"
                  max=${needed[key]}
                  value=${Math.min(peers, needed[key])}
                  aria-label=${`Peers for ${words}`}
                >
                  ${percent(peers / needed[key])}
                </meter>
              </li>`
          )}
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
  contested: 'bad',
  lost: 'bad'
}

/** What this daemon has in the network, with the way to who stores it. */
export const Yours = () => html`
  <${Card} title="Who stores your names">
    <${Loaded} of=${useResource('/api/names', { every: 30_000, on: ['name:', 'task:completed'] })}>
      ${(names: OwnedNameView[]) =>
        names.length === 0
          ? html`<p class="quiet">No names yet. <a href="#/names">Register the first one.</a></p>`
          : html`<ul class="links">
              ${names.map(
                ({ name, state }) =>
                  html`<li key=${name}>
                    <a href=${to('lookup', name)}>${name}</a> <${Badge} tone=${NAME_TONES[state]}>${state}<//>
                  </li>`
              )}
            </ul>`}
    <//>
    <p class="hint">Each link asks the peers around that name what they hold.</p>
  <//>
`
