import type { BackupView, SeedBody } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { Badge, Card } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { Icon } from '../parts/icon.ts'
import { checklist } from './words.ts'

/** What is done, and what is left to do. `backup`: undefined while it is not read. */
export function Safety({ seed, backup }: { seed: SeedBody; backup: BackupView | undefined }) {
  const now = useNow(30_000)
  const items = checklist(seed, backup?.kept, now)
  const left = items.filter(({ isDone, isAdvice }) => !isDone && !isAdvice).length
  const badge = html`<${Badge} tone=${left === 0 ? 'good' : 'bad'}
    >${left === 0 ? 'kept elsewhere too' : `${left} to do`}<//
  >`
  return html`
    <${Card} title="How safe your names are" actions=${badge} tone=${seed.kept_elsewhere ? '' : 'warn'}>
      <ul class="checklist">
        ${items.map(
          ({ isDone, isAdvice, text, how }) =>
            html`<li class=${isDone ? 'good' : isAdvice ? '' : 'warn'} key=${text}>
              <span class="step-mark"><${Icon} name=${isDone ? 'check' : isAdvice ? 'info' : 'warn'} /></span>
              <div>
                <p>${isAdvice && !isDone && html`<strong>Advice: </strong>`}${text}</p>
                ${how.map((words) => html`<p key=${words}><${Command} words=${words} /></p>`)}
              </div>
            </li>`
        )}
      </ul>
    <//>
  `
}
