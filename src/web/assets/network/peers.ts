import type { PeerView } from '../lib/api.ts'
import { h, html, useMemo, useNow, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { count, duration, plural } from '../lib/words.ts'
import { distanceText } from '../lookup/words.ts'
import { Badge, Button, Card, Empty, Hash, loaded, When } from '../parts/basics.ts'
import { CheckField } from '../parts/fields.ts'
import { table } from '../parts/table.ts'

/** Rows that are drawn at first: a network of hundreds would be slow, and nobody reads them all. */
const SHOWN = 25
const SHOWN_PREFIXES = 8

export function Peers() {
  const peers = useResource('/api/peers', { every: 15_000, on: ['peer:'] })
  return html`
    <${Card} title="Peers">
      ${loaded(peers, (all) =>
        all.length === 0
          ? html`<${Empty} icon="network" title="No peer is known">
              <p>
                On network <code>local</code> that is fine. Elsewhere, name peers in <code>p2p.bootstrap</code> (<a
                  href="#/settings"
                  >settings</a
                >).
              </p>
            <//>`
          : h(All, { peers: all })
      )}
    <//>
  `
}

const sinceText = ({ direction, since }: NonNullable<PeerView['connection']>, now: number): string =>
  `${direction}, for ${duration((now - Date.parse(since)) / 1000)}`

function All({ peers }: { peers: PeerView[] }) {
  const [isConnectedOnly, setConnectedOnly] = useState(false)
  const [limit, setLimit] = useState(SHOWN)
  const now = useNow(10_000)
  const prefixes = useMemo(() => prefixesOf(peers), [peers])
  const rows = isConnectedOnly ? peers.filter(({ connection }) => connection !== null) : peers
  const most = prefixes[0]?.count ?? 1
  const more = prefixes.length - SHOWN_PREFIXES
  return html`
    <div class="stack">
      <div>
        <h3>Address prefixes</h3>
        <ul class="bars">
          ${prefixes.slice(0, SHOWN_PREFIXES).map(
            ({ prefix, count: number }) =>
              html`<li key=${prefix}>
                <code>${prefix}</code>
                <meter min="0" max=${most} value=${number} aria-label=${`Peers of ${prefix}`}>${number}</meter>
                <span class="number">${count(number)}</span>
              </li>`
          )}
        </ul>
        ${more > 0 && html`<p class="hint">and ${plural(more, 'more prefix', 'more prefixes')}</p>`}
      </div>
      ${h(CheckField, { label: 'Connected ones only', value: isConnectedOnly, onChange: setConnectedOnly })}
      ${table({
        caption: 'Peers, nearest to this node first',
        rows: rows.slice(0, limit),
        keyOf: ({ peer }) => peer,
        columns: [
          { title: 'Peer', cell: ({ peer }) => h(Hash, { text: peer, what: 'peer id' }) },
          {
            title: 'Prefix',
            cell: ({ prefix }) => (prefix === null ? 'not known yet' : html`<code class="unbroken">${prefix}</code>`)
          },
          {
            title: 'Connection',
            cell: ({ connection }) =>
              connection === null
                ? html`<span class="quiet">none now</span>`
                : h(When, { at: connection.since }, sinceText(connection, now))
          },
          {
            title: 'Role',
            cell: ({ in_table: isInTable }) =>
              h(Badge, { tone: isInTable ? 'good' : 'quiet' }, isInTable ? 'stores records' : 'asks only')
          },
          { title: 'Distance', isNumber: true, cell: ({ distance }) => distanceText(distance) }
        ]
      })}
      ${
        rows.length > limit &&
        html`<div>
          ${h(Button, { kind: 'small', onClick: () => setLimit(rows.length) }, `Show all ${count(rows.length)}`)}
        </div>`
      }
    </div>
  `
}

/** How many peers each address prefix has, most first. */
export function prefixesOf(peers: readonly Pick<PeerView, 'prefix'>[]): { prefix: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { prefix } of peers) if (prefix !== null) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  return [...counts]
    .map(([prefix, count]) => ({ prefix, count }))
    .sort((left, right) => right.count - left.count || (left.prefix < right.prefix ? -1 : 1))
}
