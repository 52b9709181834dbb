import type { Explanation } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { Told } from '../parts/command.ts'
import { Icon, type IconName } from '../parts/icon.ts'
import { stepsOf, type Step } from './words.ts'

const ICONS: Readonly<Partial<Record<Step['tone'], IconName>>> = {
  good: 'check',
  warn: 'warn',
  bad: 'bad',
  quiet: 'info'
}

/** From the question to the verdict, in order. */
export const Steps = ({ explanation }: { explanation: Explanation }) => html`
  <ol class="reasons" aria-label="How this daemon came to its verdict">
    ${stepsOf(explanation).map(
      ({ title, text, tone }) =>
        html`<li class=${tone} key=${title}>
          <span class="step-mark"><${Icon} name=${ICONS[tone] ?? 'info'} /></span>
          <div>
            <strong>${title}</strong>
            <p><${Told} text=${text} /></p>
          </div>
        </li>`
    )}
  </ol>
`
