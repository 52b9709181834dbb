import { html } from '../lib/html.ts'
import { dateTime, plural } from '../lib/words.ts'
import { When } from '../parts/basics.ts'
import { Json } from './json.ts'
import { changesOf, type DidDocument, type Proof } from './words.ts'

/** Every version of a document with what it changed, the newest first. */
export const History = ({ versions }: { versions: readonly DidDocument[] }) => html`
  <p class="quiet">${plural(versions.length, 'version')}, each signed by a key of the one before.</p>
  <ol class="history">
    ${versions
      .map((version, index) => ({ version, former: versions[index - 1] }))
      .toReversed()
      .map(({ version, former }) => {
        const at = createdOf(version)
        return html`<li key=${version.version}>
          <div class="row">
            <strong>Version ${version.version}</strong>
            ${at && html`<span class="quiet"><${When} at=${at}>${dateTime(at)}<//></span>`}
          </div>
          <ul class="notes">
            ${changesOf(former, version).map((change) => html`<li key=${change}>${change}</li>`)}
          </ul>
          <${Json} value=${version} title="Version ${version.version} as JSON" />
        </li>`
      })}
  </ol>
`

function createdOf({ proof }: DidDocument): string | undefined {
  const [first] = [proof].flat() as (Proof | undefined)[]
  const at = first?.created
  return at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined
}
