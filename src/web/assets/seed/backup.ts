import type { BackupView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { dateTime, plural } from '../lib/words.ts'
import { Copy, Facts, Notice, When } from '../parts/basics.ts'
import { backupState } from './words.ts'

const EXAMPLE = '[backup]\nfile = "/media/stick/chronym.age"\nrecipient = ["age1..."]'

/** The file that the daemon writes by itself; `kept` null where none is configured. */
export function Backup({ kept }: Pick<BackupView, 'kept'>) {
  const now = useNow(10_000)
  const state = backupState(kept, now)
  if (kept === null || state === null)
    return html`<div class="stack">
      <p>The daemon can write an encrypted file after each change: a stick or a synchronised folder is a good place.</p>
      <p class="quiet"><code>age-keygen</code> makes the key that opens it. Then, in config.toml:</p>
      <div class="json">
        <pre tabindex="0" aria-label="Lines for config.toml">${EXAMPLE}</pre>
        <${Copy} text=${EXAMPLE} what="lines" />
      </div>
    </div>`
  const { tone, title, text } = state
  return html`
    <div class="stack">
      <${Notice} tone=${tone} title=${title}>${text}<//>
      <${Facts}
        facts=${[
          ['File', html`<code>${kept.file}</code>`],
          kept.written_at !== null && [
            'Written',
            html`<${When} at=${kept.written_at}>${dateTime(kept.written_at)}<//>`
          ],
          kept.failures > 0 && ['Failures', `${plural(kept.failures, 'attempt')} since the start`]
        ]}
      />
    </div>
  `
}
