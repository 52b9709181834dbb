import { html } from '../lib/html.ts'
import { Told } from '../parts/command.ts'
import { Icon } from '../parts/icon.ts'
import { stepsOf } from './words.ts'

const ICONS = { good: 'check', warn: 'warn', bad: 'bad', quiet: 'info' }

/** From the question to the verdict, in order. */
export const Steps = ({ explanation }) => html`
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
