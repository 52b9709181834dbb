import type { NetworkStatusView } from '../lib/api.ts'
import type { View } from '../lib/view.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { count, duration } from '../lib/words.ts'
import { Card, Facts, Hash, Loaded, Notice, Page, Stat, type Tone } from '../parts/basics.ts'
import { Addresses } from '../network/addresses.ts'
import { Diversity } from '../network/diversity.ts'
import { Dns } from '../network/dns.ts'
import { Peers } from '../network/peers.ts'
import { Traffic } from '../network/traffic.ts'
import { Yours } from '../network/yours.ts'

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
